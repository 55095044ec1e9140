"""What README, DEVELOPERS and docs name exists: linked files, and the Go files of the walk and its functions."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "DEVELOPERS.md", *sorted((ROOT / "docs").glob("*.md"))]


class Docs(unittest.TestCase):
    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
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


if __name__ == "__main__":
    unittest.main()
