"""Runs tests, prints what go test or unittest prints, and counts those that passed, failed and were skipped.

    run_tests.py go ARGUMENTS OF GO TEST
    run_tests.py python FOLDER

With CI set in the environment it fails where a test is skipped that tools/skips.txt does not list; elsewhere it only
says so, since what a machine lacks is nobody's fault."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

MODULE = "github.com/peng-cde/pengcde-go"
LIST = pathlib.Path(__file__).with_name("skips.txt")


def read_list(text: str) -> dict[tuple[str, str], str]:
    """The reasons why tests may be skipped, by package and name."""
    allowed = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(maxsplit=2)
        if len(words) < 3 or (words[0], words[1]) in allowed:
            raise ValueError(f"line {number} is {line!r}, want a package, a test that no other line names, and a reason")
        allowed[words[0], words[1]] = words[2]
    return allowed


class Count:
    """What became of tests, by package and name."""

    def __init__(self):
        self.passed, self.failed, self.skipped = set(), set(), {}

    def faults(self, allowed: dict[tuple[str, str], str]) -> list[str]:
        """What CI does not take."""
        found = [f"{package} {test} is skipped and not in the list of tests that may be: {reason}"
                 for (package, test), reason in sorted(self.skipped.items()) if (package, test) not in allowed]
        seen = self.passed | self.failed | set(self.skipped)
        packages = {package for package, _ in seen}
        return found + [f"{package} {test} is in the list of tests that may be skipped, but no such test ran"
                        for package, test in sorted(allowed) if package in packages and (package, test) not in seen]

    def __str__(self):
        return f"{len(self.passed)} tests passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


class Go:
    """Reads the events of go test -json and writes what go test writes without it: a line for each package, and what
    tests that failed said."""

    def __init__(self, write):
        self.write, self.count, self.said = write, Count(), {}

    def line(self, text: str):
        try:
            event = json.loads(text)
        except ValueError:
            event = None
        if not isinstance(event, dict) or "Action" not in event:
            self.write(text)  # from outside of the tests
            return
        package, test, action = event.get("Package", ""), event.get("Test"), event["Action"]
        key = package.removeprefix(MODULE).removeprefix("/") or ".", test or ""
        if action in ("output", "build-output"):
            if test is not None:
                self.said.setdefault(key, []).append(event["Output"])
            elif event["Output"] != "PASS\n":  # which stands before the package's line with -v alone
                self.flush(key[0], event["Output"])
        elif test is not None and action in ("pass", "fail", "skip"):
            self.end(key, action)

    def end(self, key, action):
        if action == "pass":
            self.count.passed.add(key)
            self.said.pop(key, None)
        elif action == "skip":
            said = [text.strip() for text in self.said.pop(key, [])]
            self.count.skipped[key] = " ".join(text for text in said if not text.startswith(("=== ", "--- ")))
        else:
            self.count.failed.add(key)
            for text in self.said.pop(key, []):
                if not text.startswith("=== "):
                    self.write(text)

    def flush(self, package, line):
        """Writes a package's line; after a failure with what tests said that did not end, as at a panic."""
        if line.startswith("FAIL\t"):
            for key in [key for key in self.said if key[0] == package]:
                for text in self.said.pop(key):
                    if not text.startswith("=== "):
                        self.write(text)
        self.write(line)


def run_go(arguments: list[str], write) -> tuple[int, Count]:
    reader = Go(write)
    with subprocess.Popen(["go", "test", "-json", *arguments], stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            reader.line(line)
    return process.returncode, reader.count


def run_python(folder: str) -> tuple[int, Count]:
    count, ran = Count(), []

    class Result(unittest.TextTestResult):
        def startTest(self, test):
            ran.append(test)
            super().startTest(test)

    def key(test):
        module, _, name = test.id().partition(".")
        return f"{folder}/{module}.py", name

    suite = unittest.TestLoader().discover(folder, pattern="test_*.py")
    result = unittest.TextTestRunner(resultclass=Result).run(suite)
    count.failed = {key(test) for test, _ in result.failures + result.errors}
    count.failed |= {key(test) for test in result.unexpectedSuccesses}
    count.skipped = {key(test): reason for test, reason in result.skipped}
    count.passed = {key(test) for test in ran} - count.failed - set(count.skipped)
    return (0 if result.wasSuccessful() else 1), count


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in ("go", "python"):
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "python":
        code, count = run_python(arguments[1])
    else:
        def write(text):
            sys.stdout.write(text)
            sys.stdout.flush()
        code, count = run_go(arguments[1:], write)
    allowed = read_list(LIST.read_text())
    print(count)
    for (package, test), reason in sorted(count.skipped.items()):
        print(f"  skipped: {package} {test}: {allowed.get((package, test), reason)}")
    faults = count.faults(allowed) if os.environ.get("CI") else []
    for fault in faults:
        print(f"{fault}; see {LIST.parent.name}/{LIST.name}", file=sys.stderr)
    return code or (1 if faults else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
