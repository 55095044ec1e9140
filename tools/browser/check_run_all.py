"""Run All of every notebook, as it looks in a narrow window, light and dark, and its sliders by the keyboard."""

import unittest

from case import PICTURES, LabCase, notebooks
from notebook_page import DARK, LIGHT

LIMIT = 900  # seconds for a notebook whose trainings are not stored yet
SMALLEST = 7.5  # pixels of a text in a figure


class RunAll(LabCase):
    def run_all(self, path):
        with self.opened(path.name) as notebook:
            notebook.start("notebook:run-all-cells")
            notebook.wait(LIMIT)
            notebook.picture(PICTURES / f"{path.stem}-light.png")
            self.assertEqual("\n".join(notebook.failures()), "")
            for number, (cell, shown) in enumerate(zip(notebook.cells(), notebook.look("shown"), strict=True), 1):
                if "notebook.Show(" in cell.source:
                    with self.subTest("shows a table or a figure", cell=number):
                        self.assertTrue(shown, "neither is seen")
            self.assert_none(notebook, "broken")
            self.assert_none(notebook, "sideways")
            for number, tables in enumerate(notebook.look("tables"), 1):
                for table in tables:
                    print(f"\n{path.name} cell {number}: a table scrolls in its box, {table}", end=" ", flush=True)
            self.assert_none(notebook, "small", SMALLEST)
            self.assert_none(notebook, "faint", LIGHT)
            for slider in notebook.page.locator("input[type=range]").all():
                self.slide(slider)
            notebook.theme(DARK)
            notebook.picture(PICTURES / f"{path.stem}-dark.png")
            self.assert_none(notebook, "faint", DARK)
            notebook.theme(LIGHT)

    def assert_none(self, notebook, what: str, *arguments):
        """Nothing of that kind in the outputs of any cell; see look.js."""
        for number, found in enumerate(notebook.look(what, *arguments), 1):
            with self.subTest(what, cell=number, of=arguments):
                self.assertEqual(found, [])

    def slide(self, slider):
        """From the middle frame by the arrow keys to the one before and back, to the end and to the start."""
        name = slider.get_attribute("aria-label")
        with self.subTest("slider", name=name):
            slider.scroll_into_view_if_needed()
            first, last = slider.get_attribute("min"), slider.get_attribute("max")
            middle = (int(first) + int(last) + 1) // 2
            self.assertEqual(slider.input_value(), str(middle), "does not open at the middle frame")
            start = self.frame(slider)
            slider.focus()
            slider.press("ArrowLeft")
            self.assertEqual(slider.input_value(), str(middle - 1), "the arrow key did not move it")
            self.assertNotEqual(self.frame(slider), start, "the frame before looks the same")
            slider.press("ArrowRight")
            self.assertEqual(self.frame(slider), start)
            slider.press("End")
            self.assertEqual(slider.input_value(), last)
            slider.press("Home")
            self.assertEqual(slider.input_value(), first)

    @staticmethod
    def frame(slider) -> bytes:
        """What is drawn below a slider."""
        return slider.locator("xpath=../following-sibling::img[not(@hidden)]").screenshot()


for _path in notebooks():
    setattr(RunAll, f"test_{_path.stem}", lambda self, path=_path: self.run_all(path))

if __name__ == "__main__":
    unittest.main()
