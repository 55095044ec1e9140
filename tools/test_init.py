"""A folder that pengcde init makes, outside of the checkout: the first notebook runs there, for fewer epochs, and what
the kernel says where it cannot run; needs the kernel and Go, so make test-tools runs it."""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import check_notebooks
import run_notebooks

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "notebooks" / "kernel" / "kernel.json"


class Init(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        cls.pengcde = cls.place / "pengcde"  # a copy far from its checkout
        subprocess.run(["go", "build", "-buildvcs=false", "-o", cls.pengcde, "./cmd/pengcde"], cwd=ROOT, check=True)

    def init(self, *arguments):
        return subprocess.run([self.pengcde, "init", *arguments], cwd=self.place, capture_output=True, text=True)

    def test_without_a_checkout(self):
        said = self.init("nowhere")
        self.assertEqual(said.returncode, 1)
        self.assertIn("--module", said.stderr)
        self.assertFalse((self.place / "nowhere").exists())

    def test_first_notebook(self):
        folder = self.place / "a study"
        said = self.init(folder.name, "--module", ROOT)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(f"DIR='{folder}'", said.stdout)
        notebook = folder / "first_forecast.ipynb"
        self.assertEqual(check_notebooks.faults(str(notebook)), [])
        short = notebook.read_text().replace("forecast.Config{", "forecast.Config{Epochs: 2, ")
        self.assertIn("Epochs: 2", short)
        notebook.write_text(short)
        with contextlib.redirect_stdout(io.StringIO()) as told:
            outcome = run_notebooks.run(notebook, self.place / "build", timeout=300)
        self.assertIsNone(outcome.failure, told.getvalue())
        page = outcome.page.read_text()
        for part in ("mean squared error", "PENG-CDE", "<svg", "cases in region"):
            self.assertIn(part, page)
        self.assertGreater((folder / "first-forecast" / "model.pengcde").stat().st_size, 1000)
        again = self.init(folder.name, "--module", ROOT)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("there already, not touched: README.md, ", again.stdout)
        self.assertNotIn("new:", again.stdout)


class Kernel(unittest.TestCase):
    """What stands in the log of Jupyter where the kernel cannot start."""

    def test_errors(self):
        start = json.loads(KERNEL.read_text())["argv"]
        module = "github.com/peng-cde/pengcde-go"
        with tempfile.TemporaryDirectory() as place:
            checkout = Path(place) / "checkout never set up"
            checkout.mkdir()
            (checkout / "go.mod").write_text(f"module {module}\ngo 1.26\n")
            for name, mod, says in [
                ("none", None, "pengcde init"),
                ("other", "module other\ngo 1.26\n", "names no checkout"),
                ("not set up", f'module x\ngo 1.26\nrequire {module} v0.0.0\nreplace {module} => "{checkout}"\n',
                 f"run make setup in {checkout}"),
            ]:
                with self.subTest(name):
                    folder = Path(place) / name
                    folder.mkdir()
                    if mod:
                        (folder / "go.mod").write_text(mod)
                    go = Path(subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True).stdout.strip())
                    environment = os.environ | {"PATH": f"{go / 'bin'}:/usr/bin:/bin", "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
                    said = subprocess.run(start[:-1] + ["/dev/null"], cwd=folder, env=environment, capture_output=True,
                                          text=True, timeout=60)
                    self.assertEqual(said.returncode, 1)
                    self.assertIn(says, said.stderr)


if __name__ == "__main__":
    unittest.main()
