"""The cell that trains: its bar, an interrupt, and that it goes on. Nothing is stored when it starts."""

import re
import tempfile
import unittest
from pathlib import Path

from case import LabCase

NOTEBOOK = "wealth_opinion.ipynb"
LIMIT = 600

# Notes what a bar shows, each state once, from now on.
RECORD = """
window.states = [];
setInterval(() => {
    const bar = document.querySelector(".pengcde-bar");
    const state = bar && [bar.querySelector("progress")?.value ?? -1, bar.textContent].join(" ");
    if (bar && states.at(-1) !== state) states.push(state);
}, 50);
"""


class Training(LabCase):
    @classmethod
    def setUpClass(cls):
        results = tempfile.TemporaryDirectory(prefix="results-")
        cls.addClassCleanup(results.cleanup)
        cls.environment, cls.results = {"PENGCDE_RESULTS": results.name}, Path(results.name)
        super().setUpClass()

    def test_bar_interrupt_and_going_on(self):
        with self.opened(NOTEBOOK) as notebook:
            number = next(i for i, cell in enumerate(notebook.cells(), 1) if "notebook.Train(" in cell.source)
            notebook.page.evaluate(RECORD)
            notebook.start("notebook:run-all-cells")
            notebook.wait(LIMIT, lambda: self.stored() and max(self.fractions(notebook), default=0) > 0)
            self.assertFalse(notebook.finished(), f"over before it could be interrupted; it showed {self.states(notebook)}")
            before = self.states(notebook)
            notebook.page.locator('[data-command="notebook:interrupt-kernel"]:visible, '
                                  'jp-button[data-jp-item-name="interrupt"]:visible').first.click()
            notebook.wait(60)
            with self.subTest("the bar is drawn before it is known how far the training is"):
                self.assertNotRegex(before[0], r"\d%")
            self.stopped(notebook, number)
            self.goes_on(notebook, number)

    def stopped(self, notebook, number: int):
        cells = notebook.cells()
        text = str(cells[number - 1].outputs)
        self.assertIn("Stopped. Run this cell again to go on.", text)
        self.assertNotRegex(text, "goroutine|panic")
        self.assertTrue(notebook.failures()[0].startswith(f"cell {number}:"), "an interrupted cell is an error")
        for later, cell in enumerate(cells[number:], number + 1):
            with self.subTest("later cells are not run", cell=later):
                self.assertEqual(cell.outputs, [])

    def goes_on(self, notebook, number: int):
        stored = self.stored()
        notebook.page.evaluate("states.length = 0")
        notebook.select(number)
        notebook.start("notebook:run-cell")
        notebook.wait(LIMIT)
        text = str(notebook.cells()[number - 1].outputs)
        self.assertNotIn("Stopped", text)
        told = re.search(r"trained now: (\d+); runs stored: (\d+) of (\d+)", text)
        self.assertIsNotNone(told, text)
        now, in_all, planned = map(int, told.groups())
        self.assertEqual((now, in_all), (planned - stored, planned), f"{stored} were stored before")
        seen = self.fractions(notebook)
        self.assertGreaterEqual(len(set(seen)), 3, f"the bar did not move; it showed {self.states(notebook)}")
        self.assertEqual(seen, sorted(seen), "the bar went back")

    def stored(self) -> int:
        """How many runs are done."""
        return len(list(self.results.glob("*/*.json")))

    @staticmethod
    def states(notebook) -> list[str]:
        return notebook.page.evaluate("states")

    def fractions(self, notebook) -> list[float]:
        """The fractions that the bar has shown, without the states that have none."""
        states = [float(re.match(r"\S+", state).group()) for state in self.states(notebook) if "%" in state]
        return [fraction for fraction in states if fraction >= 0]


if __name__ == "__main__":
    unittest.main()
