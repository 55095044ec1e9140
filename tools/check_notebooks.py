"""Checks notebooks as they are committed: valid, for the Go kernel, starting with %noautoget, without outputs, and with
short cells of short lines that are each introduced by a sentence."""

import subprocess
import sys

import nbformat


LONG = 15  # lines
WIDE = 92  # columns, what a window of 900 pixels shows


def faults(path: str) -> list[str]:
    try:
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
    except Exception as error:
        return [f"is not a valid notebook: {(str(error).splitlines() or [type(error).__name__])[0]}"]
    found = []
    if notebook.metadata.get("kernelspec", {}).get("name") != "gonb":
        found.append('does not name the kernel "gonb" in its metadata')
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code or not code[0].source.startswith("%noautoget"):
        found.append("does not start with a cell %noautoget, without which GoNB changes go.mod")
    for before, cell in zip([None, *notebook.cells], notebook.cells):
        if cell.cell_type == "code" and (before is None or before.cell_type != "markdown"):
            found.append(f"has a cell without a sentence of Markdown before it: {cell.source.splitlines()[:2]}")
        if cell.cell_type == "code" and len(cell.source.splitlines()) >= LONG:
            found.append(f"has a cell of {LONG} lines or more: {cell.source.splitlines()[:2]}")
        wide = [line for line in cell.source.expandtabs(4).splitlines() if len(line) > WIDE]
        if cell.cell_type == "code" and wide:
            found.append(f"has a line of code of more than {WIDE} columns: {wide[0].strip()}")
    if subprocess.run([sys.executable, "-m", "nbstripout", "--verify", path], capture_output=True).returncode:
        found.append("holds outputs or what a run leaves behind: make strip")
    return found


if __name__ == "__main__":
    failed = False
    for path in sys.argv[1:]:
        for fault in faults(path):
            print(f"{path} {fault}", file=sys.stderr)
            failed = True
    sys.exit(failed)
