"""The notebook runner must fail what GoNB lets pass; needs the kernel, so make test-tools runs it."""

import asyncio
import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

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
            ("one line", [stderr("not trained yet\nexit status 1\n")], "not trained yet (exit status 1)"),
            ("stopped", [stderr("Stopped.\n"), stderr("^C\nexit status 1\n")], "Stopped. (exit status 1)"),
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


class Linked(unittest.TestCase):
    """A page in another folder than its notebook."""

    def test_links(self):
        text = "[data](../docs/own-data.md), [site](https://go.dev), [here](#top)"
        notebook = new_notebook(cells=[new_markdown_cell(text), new_code_cell("a[0](../x)")])
        page = run_notebooks.linked(notebook, Path("notebooks/a.ipynb"), Path("build/notebooks"))
        want = "[data](../../notebooks/../docs/own-data.md), [site](https://go.dev), [here](#top)"
        self.assertEqual(page.cells[0].source, want)
        self.assertEqual(page.cells[1].source, "a[0](../x)")
        self.assertEqual(notebook.cells[0].source, text)


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


IMPORTS = """%noautoget
import (
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/notebook"
)

var few = experiments.Options{Profile: experiments.Medium, Fresh: true, Models: []string{"constant"},
	Only: map[string][]string{"dynamics": {"heat"}, "family": {"grid"}}}
"""
TRAIN = "%%\nnotebook.Must(notebook.Train(paper.Table1().Study, few))"
LATER = "%%\nreport := notebook.Must(notebook.Trained(paper.Table1().Study, few))\nfmt.Println(report.Count())"


class InterruptingClient(run_notebooks.Client):
    """Interrupts the cell when its bar tells of an epoch."""

    sent = None

    def process_message(self, msg, cell, cell_index):
        page = msg["content"].get("data", {}).get("text/html", "")
        if self.sent is None and "epoch" in (run_notebooks.bar_text(page) or ""):
            self.sent = asyncio.ensure_future(self.km.interrupt_kernel())
        return super().process_message(msg, cell, cell_index)


class Training(unittest.TestCase):
    """The cell that trains, and one that shows what it trained, by the real kernel."""

    def setUp(self):
        results = tempfile.TemporaryDirectory()
        self.addCleanup(results.cleanup)
        patch = mock.patch.dict(os.environ, {"PENGCDE_RESULTS": results.name})
        patch.start()
        self.addCleanup(patch.stop)

    def client(self, of, *cells):
        notebook = new_notebook(cells=[new_code_cell(text) for text in (IMPORTS, *cells)])
        return of(notebook, timeout=300, kernel_name="gonb", coalesce_streams=True,
                  resources={"metadata": {"path": str(NOTEBOOKS)}})

    def test_not_trained_yet(self):
        client = self.client(run_notebooks.Client, LATER)
        with self.assertRaises(CellExecutionError):
            client.execute(stderr=subprocess.DEVNULL)
        told = run_notebooks.streamed(client.nb.cells[1])
        self.assertRegex(told, r"\Anot trained yet: run the training cell \(.*\)\nexit status 1\n\Z")

    def test_interrupted(self):
        client = self.client(InterruptingClient, TRAIN, LATER)
        with self.assertRaises(CellExecutionError):
            client.execute(stderr=subprocess.DEVNULL)
        trained, later = client.nb.cells[1:]
        told = run_notebooks.streamed(trained)
        self.assertRegex(told, r"\AStopped. Run this cell again to go on.\n(\^C\n)?exit status 1\n\Z")
        pages = [output.get("data", {}).get("text/html", "") for output in trained.outputs]
        bars = [text for text in map(run_notebooks.bar_text, pages) if text]
        self.assertEqual(len(bars), 1, "a bar is one output")
        self.assertIn("stopped", bars[0])
        self.assertIsNone(later.execution_count, "cells after an interrupted one were run")
        self.assertEqual(later.outputs, [])

        shown = []
        again = self.client(run_notebooks.Client, TRAIN, LATER)
        again.line = mock.Mock(show=shown.append)
        again.execute(stderr=subprocess.DEVNULL)
        self.assertIn("runs stored: 6 of 6", again.nb.cells[1].outputs[-1].text)
        self.assertEqual(again.nb.cells[2].outputs[0].text, "6 6\n")
        self.assertIn("starting", shown[0])
        self.assertRegex(" ".join(shown), r"table1 \d+% · Constant, .*epoch \d+/2000.*about .* left")


class Line(unittest.TestCase):
    """What is told of a running cell."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def test_terminal(self):
        out = self.Terminal()
        line = run_notebooks.Line("cell 1/2", "train", out)
        line.show("table1 · 50% " + "x" * 200)
        line.done()
        begun, bar, end = out.getvalue().split("\r\x1b[K")
        self.assertIn("train", begun)
        self.assertTrue(bar.startswith("cell 1/2  table1 · 50%") and len(bar) < 200)
        self.assertRegex(end, r"^cell 1/2  train +\d+\.\d s\n$")

    def test_log(self):
        out = io.StringIO()
        line = run_notebooks.Line("cell 1/2", "train", out)
        for percent in range(100):
            line.show(f"{percent}%")
        self.assertNotIn("%", out.getvalue(), "lines within a moment")
        line.shown -= line.SELDOM
        line.show("99%")
        line.done()
        self.assertRegex(out.getvalue(), r"^cell 1/2  train *\n +99%\ncell 1/2  train +\d+\.\d s\n$")

    def test_bar_text(self):
        self.assertIsNone(run_notebooks.bar_text("<p>50%</p>"))
        page = '<div class="pengcde-bar" style="x"><b>a &lt;b&gt;</b> <progress value="0.5"></progress> 50% · on</div>'
        self.assertEqual(run_notebooks.bar_text(page), "a <b> 50% · on")


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
        text, first = new_markdown_cell("First."), new_code_cell("%noautoget")
        self.assertEqual(self.faults(**gonb)([text, first]), [])
        self.assertRegex(self.faults()([text, first])[0], "kernel")
        self.assertRegex(self.faults(**gonb)([text, new_code_cell("x")])[0], "noautoget")
        self.assertRegex(self.faults(**gonb)([first])[0], "without a sentence")
        self.assertRegex(self.faults(**gonb)([text, first, new_code_cell("x")])[0], "without a sentence")
        self.assertEqual(self.faults(**gonb)([text, new_code_cell("%noautoget" + 13 * "\nx")]), [])
        self.assertRegex(self.faults(**gonb)([text, new_code_cell("%noautoget" + 14 * "\nx")])[0], "15 lines or more")
        run = new_code_cell("%%\nx", execution_count=1, outputs=[stderr("x")])
        self.assertRegex(self.faults(**gonb)([text, first, new_markdown_cell("Second."), run])[0], "make strip")
        with tempfile.NamedTemporaryFile("w", suffix=".ipynb") as file:
            file.write('{"cells": [')
            file.flush()
            self.assertRegex(check_notebooks.faults(file.name)[0], "not a valid notebook")


if __name__ == "__main__":
    unittest.main()
