"""The notebook runner must fail what GoNB lets pass; needs the kernel, so make test-tools runs it."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

import check_notebooks
import run_notebooks

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def stderr(text):
    return new_output("stream", name="stderr", text=text)


class CellFailure(unittest.TestCase):
    """A cell that the kernel calls done, by its outputs."""

    def test_failures(self):
        for name, outputs, want in [
            ("panic", [stderr("panic: no such file\n\ngoroutine 1 [running]:\nexit status 2\n")], "panic: no such file"),
            ("coloured panic", [stderr("\x1b[31mpanic: boom\x1b[0m\n")], "panic: boom"),
            ("exit status", [stderr("training\nexit status 3\n")], "exit status 3"),
            ("signal", [stderr("signal: killed\n")], "signal: killed"),
            ("unknown command", [stderr('"%nosuch" unknown or not implemented yet.')], '"%nosuch" unknown or not implemented'),
            ("split stream", [stderr("exit sta"), stderr("tus 1\n")], "exit status 1"),
            ("error", [new_output("error", ename="ERROR", evalue="undefined: x\nmore", traceback=[])], "undefined: x"),
        ]:
            with self.subTest(name):
                cell = new_code_cell("x", outputs=outputs, execution_count=1)
                self.assertIn(want, run_notebooks.cell_failure(cell))

    def test_good(self):
        for outputs in [
            [],
            [stderr("epoch 1, exit status of the worker: fine\n")],
            [new_output("stream", name="stdout", text="exit status 1\n")],
        ]:
            self.assertIsNone(run_notebooks.cell_failure(new_code_cell("x", outputs=outputs, execution_count=1)))

    def test_not_run(self):
        self.assertIn("did not run", run_notebooks.cell_failure(new_code_cell("x")))


class Run(unittest.TestCase):
    """Whole notebooks, by the real kernel."""

    def run_cells(self, *cells, timeout=300):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path, build = Path(folder) / "trial.ipynb", Path(folder) / "build"
            nbformat.write(new_notebook(cells=[new_code_cell(text) for text in ("%noautoget", *cells)]), path)
            outcome = run_notebooks.run(path, build, timeout, NOTEBOOKS)
            return outcome, outcome.page.read_text(), nbformat.read(build / path.name, as_version=4)

    def test_good(self):
        outcome, page, notebook = self.run_cells('%%\nfmt.Println("six times", 6*7)')
        self.assertIsNone(outcome.failure)
        self.assertIn("ok", str(outcome))
        self.assertIn("six times 42", page)
        self.assertNotRegex(page, r"<(script|link|img)[^>]+(src|href)=.?https?:")
        self.assertEqual(notebook.cells[1].outputs[0].text, "six times 42\n")

    def test_this_module_is_found(self):
        outcome, page, _ = self.run_cells(
            'import "github.com/peng-cde/pengcde-go/xla"\n%%\n'
            'backend, err := xla.Open(xla.Config{Backend: "go"})\nfmt.Println(backend, err)'
        )
        self.assertIsNone(outcome.failure)
        self.assertIn("pure Go (Config.Backend asks for it) &lt;nil&gt;", page)

    def test_failures(self):
        for name, text, want in [
            ("panic", '%%\nfmt.Println("before")\npanic("sunk")', "panic: sunk"),
            ("exit", "%%\nos.Exit(3)", "exit status 3"),
            ("compile error", "%%\nfmt.Println(notDefined)", "undefined: notDefined"),
            ("failed command", "!exit 4", "exit status 4"),
            ("unknown command", "%nosuchcommand", "unknown or not implemented"),
        ]:
            with self.subTest(name):
                outcome, _, notebook = self.run_cells(text, '%%\nfmt.Println("after")')
                self.assertIn("in cell 2: ", str(outcome.failure))
                self.assertIn(want, outcome.failure)
                self.assertEqual(notebook.cells[2].outputs, [], "cells after a failure were run")

    def test_too_long(self):
        outcome, _, _ = self.run_cells("!sleep 60", timeout=2)
        self.assertIn("took longer than 2 s", str(outcome.failure))


class Committed(unittest.TestCase):
    """What is said of notebooks that must not be committed."""

    def faults(self, **metadata):
        def of(cells):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "trial.ipynb"
                notebook = new_notebook(cells=cells, metadata=metadata)
                for number, cell in enumerate(notebook.cells):
                    cell.id = str(number)
                nbformat.write(notebook, path)
                return check_notebooks.faults(str(path))

        return of

    def test_faults(self):
        gonb = {"kernelspec": {"name": "gonb", "display_name": "Go (gonb)", "language": "go"}}
        first = new_code_cell("%noautoget")
        self.assertEqual(self.faults(**gonb)([first]), [])
        self.assertRegex(self.faults()([first])[0], "kernel")
        self.assertRegex(self.faults(**gonb)([new_code_cell("x")])[0], "noautoget")
        run = new_code_cell("%%\nx", execution_count=1, outputs=[stderr("x")])
        self.assertRegex(self.faults(**gonb)([first, run])[0], "make strip")
        with tempfile.NamedTemporaryFile("w", suffix=".ipynb") as file:
            file.write('{"cells": [')
            file.flush()
            self.assertRegex(check_notebooks.faults(file.name)[0], "not a valid notebook")


if __name__ == "__main__":
    unittest.main()
