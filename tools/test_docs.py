"""What README, DEVELOPERS and docs name exists and runs: files, functions, targets of make, blocks of Python."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / name for name in ("README.md", "DEVELOPERS.md", "CONTRIBUTING.md")] + DOCS
PEER = ROOT / "build" / "peer-venv" / "bin" / "python"


def prose(page):
    return re.sub(r"(?ms)^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"))


def blocks(page, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"))


class Docs(unittest.TestCase):
    def test_readme_is_short(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len(lines), 100)
        for number, line in enumerate(lines, 1):
            self.assertLessEqual(len(line.expandtabs(4)), 120, f"README.md, line {number}")

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose(page)):
                self.assertTrue((page.parent / target).exists(), f"{page.name} links {target}")

    def test_go_files(self):
        for page in PAGES:
            for file in re.findall(r"`([a-z/]+/[a-z_0-9]+\.go)`", page.read_text(encoding="utf-8")):
                self.assertTrue(any((at / file).exists() for at in (ROOT, ROOT / "pengcde")), f"{page.name} names {file}")

    def test_functions_of_the_walk(self):
        text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
        for name, file in re.findall(r"`([A-Za-z.]+)` in `([a-z/_]+\.go)`", text):
            self.assertRegex((ROOT / file).read_text(encoding="utf-8"),
                             rf"(?m)^(func (\([^)]*\) )?|type |\t){name.split('.')[-1]}\b", f"{name} in {file}")

    def test_tests_and_benchmarks(self):
        folders = ("affinity", "bench", "cmd", "datasets", "docs", "dyngraph", "experiments", "forecast", "internal",
                   "pengcde", "stats", "tools", "xla")
        code = "\n".join(file.read_text(encoding="utf-8") for folder in folders
                         for file in (ROOT / folder).rglob("*_test.go"))
        for page in PAGES:
            for name in re.findall(r"`((?:Test|Benchmark)[A-Z]\w+)`", page.read_text(encoding="utf-8")):
                self.assertTrue(f"func {name}(" in code, f"{page.name} names {name}")

    def test_targets_of_make(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"(?m)^([a-z][a-z-]*):", makefile))
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"(?m)^ {4,}make ([a-z][a-z-]*)|`make ([a-z][a-z-]*)", text):
                self.assertIn("".join(target), targets, f"{page.name} names make {''.join(target)}")

    def test_every_page_is_in_the_site(self):
        index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
        for page in DOCS:
            if page.stem != "index":
                self.assertRegex(index, rf"(?m)^{page.stem}$", f"{page.name} is in no toctree of docs/index.md")

    def test_python_compiles(self):
        for page in PAGES:
            for number, block in enumerate(blocks(page, "python"), 1):
                compile(block, f"{page.name}, Python block {number}", "exec")

    @unittest.skipUnless(PEER.exists(), "make peer sets diffrax up")
    def test_diffrax_runs(self):
        code = "\n".join(blocks(ROOT / "docs" / "from-diffrax.md", "python"))
        self.assertIn("diffeqsolve", code)
        done = subprocess.run([PEER, "-c", code], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
