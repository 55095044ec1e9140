"""Nothing is installed that a hash does not hold, and the requirements files hold what their .in files name."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0")[:-1] or [  # no repository: a copy of the files
        str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.rglob(pattern)
        if not path.relative_to(ROOT).parts[0] in ("build", ".venv")]
    return [ROOT / name for name in names]


def requirements(file):
    """The requirements of a file, each with its hashes on the same line."""
    text = file.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


class Pins(unittest.TestCase):
    def test_every_requirement_has_hashes(self):
        files = tracked("*requirements.txt")
        self.assertGreater(len(files), 5)
        for file in files:
            for line in requirements(file):
                with self.subTest(file=file.name, requirement=line[:60]):
                    self.assertRegex(line, r"^[A-Za-z0-9._-]+==[^\s;]+( ;[^#]*)?(\s+--hash=sha256:[0-9a-f]{64})+\s*$")

    def test_pip_takes_hashes_alone(self):
        calls = 0
        for file in tracked("Makefile", "*.sh", ".ci/run"):
            text = re.sub(r"(?m)^\s*#.*$", "", file.read_text(encoding="utf-8")).replace("\\\n", " ")
            for call in re.findall(r"(?m)^.*\bpip3? install\b.*$", text):
                calls += 1
                with self.subTest(file=file.name, call=call.strip()):
                    self.assertIn("--require-hashes", call)
                    self.assertIn("--only-binary :all:", call)
        self.assertGreater(calls, 0)

    def test_named_versions_are_held(self):
        files = tracked("*requirements.in")
        self.assertGreater(len(files), 3)
        for file in files:
            held = {line.split()[0].lower() for line in requirements(file.with_suffix(".txt"))}
            for line in requirements(file):
                with self.subTest(file=file.name, requirement=line):
                    self.assertIn(line.lower(), held, "run: make pins")


if __name__ == "__main__":
    unittest.main()
