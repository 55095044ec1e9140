"""Runs notebooks from the top, and writes each with its outputs and as an HTML page that opens without a network.

GoNB 0.11.5 calls a cell done whose shell command fails or whose %command does not exist, other versions even one
whose program panics; nbconvert and nbmake pass such a notebook. Here a cell fails by what its error stream says, too.
The bar of a cell that trains shows as one line that changes, or in a log as a line now and then.
"""

import argparse
import copy
import html
import os
import re
import shutil
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter

# Lines of the error stream that tell of a failure; GoNB's own, and the Go runtime's.
FAILED = re.compile(
    r"^\s*(exit status \d+|signal: .*|panic: .*|fatal error: .*|GoNB Error:.*|.*unknown or not implemented.*)", re.MULTILINE
)
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

# nbconvert's page without what it would fetch from the network: require.js, MathJax and Mermaid.
OFFLINE = """{% extends 'lab/index.html.j2' %}
{% block html_head_js_requirejs %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
"""


def cell_failure(cell) -> str | None:
    """Says in one line what went wrong in a code cell that was run, or None."""
    found = [match.group(1).strip() for match in FAILED.finditer(streamed(cell))]
    for output in cell.outputs:
        if output.output_type == "error":
            found += COLOUR.sub("", output.evalue).strip().splitlines()[:1] or [output.ename]
    if found:  # the cause rather than the exit status that follows it
        cause = next((line for line in found if not line.startswith("exit status")), None) or ended(cell, found[0])
        compiler = re.search(r"^Cell\[.*", told(cell), re.MULTILINE) if cause.startswith("failed to run") else None
        return compiler.group() if compiler else cause
    if cell.source.strip() and cell.execution_count is None:
        return "the kernel did not run this cell"
    return None


def ended(cell, status: str) -> str:
    """The line with which a program ended itself, such as notebook.Check does, and the status."""
    last = [line.strip() for line in streamed(cell).split(status)[0].splitlines() if line.strip() not in ("", "^C")]
    return f"{last[-1]} ({status})" if last else status


def streamed(cell) -> str:
    """A cell's error stream, without colours."""
    return COLOUR.sub("", "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr"))


def told(cell) -> str:
    """What a failed cell tells: its error stream, and what the compiler said, which GoNB shows as HTML."""
    text = streamed(cell)
    for output in cell.outputs:
        page = output.get("data", {}).get("text/html", "")
        if "gonb-err-" in page:
            page = re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", "", page, flags=re.DOTALL)
            text += "\n".join(line for line in html.unescape(page).splitlines() if line.strip()) + "\n"
    return "\n".join(text.splitlines()[-60:])


@dataclass
class Outcome:
    name: str
    cells: int = 0
    seconds: float = 0.0
    failure: str | None = None
    page: Path | None = None

    def __str__(self):
        state = "ok" if self.failure is None else f"FAILED {self.failure}"
        return f"{self.name:32} {self.cells:3} cells {self.seconds:7.1f} s  {state}"


class Line:
    """Tells of the cell that runs: where it is a terminal by one line that changes, else by a line now and then."""

    SELDOM = 15  # seconds between the lines of a log

    def __init__(self, head: str, what: str, out=None):
        self.head, self.out, self.start = head, out or sys.stdout, time.monotonic()
        self.live, self.shown, self.lines = self.out.isatty(), self.start, 0
        self.what = what[:60]
        self.write(f"{head}  {self.what:60}")

    def write(self, text: str):
        self.out.write(text)
        self.out.flush()

    def show(self, text: str):
        """Shows what the bar of the cell says."""
        now = time.monotonic()
        if self.live:
            self.write("\r\x1b[K" + f"{self.head}  {text}"[: shutil.get_terminal_size().columns - 1])
        elif now - self.shown >= self.SELDOM:
            self.shown, self.lines = now, self.lines + 1
            self.write(f"\n      {text}")

    def done(self):
        if self.live:
            self.write("\r\x1b[K")
        if self.live or self.lines:
            self.write(f"{'' if self.live else chr(10)}{self.head}  {self.what:60}")
        self.write(f"  {time.monotonic() - self.start:.1f} s\n")


def bar_text(page: str) -> str | None:
    """What a bar of package notebook says, or None for other HTML."""
    if 'class="pengcde-bar"' not in page:
        return None
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


class Client(NotebookClient):
    """A client that tells of bars as they change."""

    line: Line | None = None

    def process_message(self, msg, cell, cell_index):
        if self.line and msg["msg_type"] in ("display_data", "update_display_data"):
            if text := bar_text(msg["content"]["data"].get("text/html", "")):
                self.line.show(text)
        return super().process_message(msg, cell, cell_index)


def run(path: Path, build: Path, timeout: int, folder: Path | None = None) -> Outcome:
    """Runs a notebook in its folder (or another) up to the first cell that fails."""
    outcome, start = Outcome(path.stem), time.monotonic()
    build.mkdir(parents=True, exist_ok=True)
    for stale in (build / path.name, build / f"{path.stem}.html"):
        stale.unlink(missing_ok=True)
    print(path.name, flush=True)
    notebook, log = None, build / f"{path.stem}.kernel.log"
    try:
        notebook = nbformat.read(path, as_version=4)
        with log.open("w") as stderr:
            run_cells(notebook, folder or path.parent, timeout, outcome, stderr)
    except Exception as error:  # such as a kernel that does not start: the other notebooks run all the same
        outcome.failure = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
        traceback.print_exc()
        print(log.read_text() if log.exists() else "", flush=True)
    outcome.seconds = time.monotonic() - start
    if notebook is not None:
        nbformat.write(notebook, build / path.name)
        exporter = HTMLExporter(raw_template=OFFLINE)
        page, _ = exporter.from_notebook_node(linked(notebook, path, build), resources={"metadata": {"name": path.stem}})
        outcome.page = build / f"{path.stem}.html"
        outcome.page.write_text(page, encoding="utf-8")
    return outcome


def linked(notebook, path: Path, build: Path):
    """The notebook with relative links that lead from the folder of pages to the same files."""
    moved = copy.deepcopy(notebook)
    up = os.path.relpath(path.parent, build)
    for cell in moved.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\((?=\.\./)", f"]({up}/", cell.source)
    return moved


def code_of(source: str) -> str:
    """What a cell does, without its imports and declarations."""
    return source.split("%%\n", 1)[-1]


def run_cells(notebook, folder: Path, timeout: int, outcome: Outcome, stderr):
    client = Client(
        notebook,
        timeout=timeout,
        kernel_name="gonb",
        allow_errors=True,  # judged by cell_failure
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    code = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
    for i in code:
        notebook.cells[i].outputs, notebook.cells[i].execution_count = [], None
    with client.setup_kernel(stderr=stderr):
        info = client.wait_for_reply(client.kc.kernel_info())
        notebook.metadata["language_info"] = info["content"]["language_info"] | {"pygments_lexer": "go"}
        for number, i in enumerate(code, 1):
            cell, failure = notebook.cells[i], None
            client.line = Line(f"  cell {number}/{len(code)}", " ".join(code_of(cell.source).split()))
            try:
                client.execute_cell(cell, i)
            except CellTimeoutError:
                failure = f"cell took longer than {timeout} s"
            except DeadKernelError:
                failure = "the kernel died"
            failure = failure or cell_failure(cell)
            outcome.cells += 1
            client.line.done()
            if failure:
                outcome.failure = f"in cell {number}: {failure}"
                print(f"  {outcome.failure}\n{told(cell)}", flush=True)
                return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--build", type=Path, default=Path("build/notebooks"), help="folder for what is written")
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for one cell")
    options = parser.parse_args()
    os.environ.setdefault("PENGCDE_PROFILE", "quick")
    outcomes = [run(path, options.build, options.timeout) for path in options.notebooks]
    print()
    for outcome in outcomes:
        print(outcome)
    for outcome in outcomes:
        if outcome.page:
            print(f"open {outcome.page.resolve()}")
    if not outcomes:
        print("no notebooks")
    return any(outcome.failure for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
