"""Find phrases that make readers stop, in comments and texts of Go, help, messages and pages: "that of" and its like.

They stand for a noun that the sentence could name."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PHRASES = re.compile(r"\b(that of|those of|what is|as many as)\b", re.IGNORECASE)
COMMENT = re.compile(r"(?:^|[^:\"'`])//(.*)$")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]*)`')
# Generated from stored runs by texts that are looked at where they are written.
GENERATED = ("docs/results.md", "docs/results/", "docs/examples.md")


def prose(path, line):
    """What of a line people read: all of a page; of Go the comment and, outside tests, the texts."""
    if path.endswith(".md"):
        return line
    comment = COMMENT.search(line)
    read = comment.group(1) if comment else ""
    if not path.endswith("_test.go"):
        code = line[:comment.start()] if comment else line
        read += " ".join(a or b for a, b in TEXT.findall(code))
    return read


def found():
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.go", "*.md"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for path in files:
        if path and not path.startswith(GENERATED) and (ROOT / path).exists():
            for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
                if PHRASES.search(prose(path, line)):
                    yield path, number, line.strip()


def main():
    bad = list(found())
    for path, number, text in bad:
        print(f"{path}:{number}: {text}")
    if bad:
        print(f'{len(bad)} lines with "that of", "those of", "what is" or "as many as": name the thing instead')
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
