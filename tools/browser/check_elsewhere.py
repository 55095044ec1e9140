"""A folder that pengcde init made outside of the checkout: its notebook has a kernel, and runs."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from case import PICTURES, ROOT, LabCase

LIMIT = 300


class Elsewhere(LabCase):
    @classmethod
    def setUpClass(cls):
        outside = tempfile.TemporaryDirectory(prefix="study-")
        cls.addClassCleanup(outside.cleanup)
        cls.root = Path(outside.name, "my study")
        subprocess.run(["go", "run", "-buildvcs=false", "./cmd/pengcde", "init", str(cls.root)], cwd=ROOT, check=True)
        super().setUpClass()

    def test_runs(self):
        for path in sorted(self.root.glob("*.ipynb")):
            with self.opened(path.name) as notebook:
                notebook.start("notebook:run-all-cells")
                notebook.wait(LIMIT)
                notebook.picture(PICTURES / f"{path.stem}.png")
                self.assertEqual(notebook.page.get_by_text("No Kernel").count(), 0)
                self.assertEqual(notebook.failures(), [])
                self.assertTrue(any(notebook.look("shown")), "no table, no figure")


if __name__ == "__main__":
    unittest.main()
