"""Pages that were written open from a folder, without a network: those of the notebooks, and the site of the docs."""

import unittest

import chromium
from case import HEIGHT, ROOT, WIDTH
from notebook_page import LOOK

FOLDERS = {"build/notebooks": "make notebooks", "build/site": "make site"}


class Pages(unittest.TestCase):
    def pages(self, folder: str, context, watch):
        found = sorted((ROOT / folder).rglob("*.html"))
        if not found:
            self.skipTest(f"no pages in {folder}: {FOLDERS[folder]}")
        for path in found:
            with self.subTest(page=str(path.relative_to(ROOT))):
                watch.left.clear()
                watch.errors.clear()
                page = context.new_page()
                page.goto(path.as_uri())
                page.evaluate(LOOK)
                self.assertEqual(watch.left, [], "asked for")
                self.assertEqual(watch.errors, [], "its scripts fail")
                self.assertEqual(page.evaluate("look.broken(document.body)"), [])
                self.assertEqual(page.evaluate("Math.max(0, document.scrollingElement.scrollWidth - innerWidth)"), 0,
                                 f"pixels that do not fit {WIDTH}")
                page.close()

    def test_notebooks(self):
        self.within("build/notebooks")

    def test_site(self):
        self.within("build/site")

    def within(self, folder: str):
        with chromium.opened(WIDTH, HEIGHT) as context:
            self.pages(folder, context, chromium.Watch(context, "file:"))


if __name__ == "__main__":
    unittest.main()
