"""Runs notebooks from the top, and writes each with its outputs and as an HTML page that opens without a network.

GoNB 0.11.4 calls a cell done whose shell command fails or whose %command does not exist, other versions even one
whose program panics; nbconvert and nbmake pass such a notebook. Here a cell fails by what its error stream says, too.
"""

import argparse
import html
import os
import re
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
        cause = next((line for line in found if not line.startswith("exit status")), found[0])
        compiler = re.search(r"^Cell\[.*", told(cell), re.MULTILINE) if cause.startswith("failed to run") else None
        return compiler.group() if compiler else cause
    if cell.source.strip() and cell.execution_count is None:
        return "the kernel did not run this cell"
    return None


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
        page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": path.stem}})
        outcome.page = build / f"{path.stem}.html"
        outcome.page.write_text(page, encoding="utf-8")
    return outcome


def run_cells(notebook, folder: Path, timeout: int, outcome: Outcome, stderr):
    client = NotebookClient(
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
        notebook.metadata["language_info"] = info["content"]["language_info"]
        for number, i in enumerate(code, 1):
            cell, start = notebook.cells[i], time.monotonic()
            print(f"  cell {number}/{len(code)}  {' '.join(cell.source.split())[:60]:60}", end="", flush=True)
            failure = None
            try:
                client.execute_cell(cell, i)
            except CellTimeoutError:
                failure = f"cell took longer than {timeout} s"
            except DeadKernelError:
                failure = "the kernel died"
            failure = failure or cell_failure(cell)
            outcome.cells += 1
            print(f"  {time.monotonic() - start:.1f} s", flush=True)
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
