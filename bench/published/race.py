"""Times epochs of the published code and of this library in turns, and prints a table.

Each turn trains a field for some epochs on heat and a grid: first the published code (run.py), then this library on the
data that it drew, without the defects of the published code and from a start of its own. After PENG-CDE this library
also trains the recommended field. The first two epochs of a training are left out, since they compile.
"""

import argparse
import csv
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

# Optimiser steps of a training. An epoch of the published code takes seconds for the first fields on 400 nodes.
EPOCHS = {"peng": 6, "original": 6, "adjacency": 12, "gn-ode": 12, "constant": 18}
SKIPPED = 2


def run(*command: object) -> str:
    """What a command writes to its standard output."""
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, text=True).stdout


def seconds(table: Path, epochs: int) -> float:
    """The median over epochs."""
    with table.open() as file:
        rows = list(csv.DictReader(file))
    if len(rows) != epochs:
        raise SystemExit(f"{table} has {len(rows)} epochs, want {epochs}")
    return statistics.median(float(row["seconds"]) for row in rows[SKIPPED:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="interpreter of the environment of the published code")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("ours", help="the built command bench/published")
    parser.add_argument("out", type=Path)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--fields", nargs="+", choices=EPOCHS, default=list(EPOCHS))
    arguments = parser.parse_args()
    data, cache = arguments.out / f"data-{arguments.nodes}.json", (arguments.out / ".cache").absolute()
    if not data.exists():
        shutil.rmtree(cache, ignore_errors=True)  # run.py exports the data where it draws them
    cache.mkdir(parents=True, exist_ok=True)
    print(f"| {arguments.nodes} nodes | published | this | ratio | GiB, published | this |\n|---|---|---|---|---|---|")
    for field in arguments.fields:
        epochs = EPOCHS[field]
        name = f"heat-grid-{arguments.nodes}-rate-0.01" + ("" if field == "peng" else f"-{field}")
        variants = {field: ["-corrected", "-field", field]}
        if field == "peng":
            variants["recommended"] = ["-recommended"]
        times: dict[str, list[tuple[float, float]]] = {variant: [] for variant in variants}
        peaks: dict[str, list[tuple[int, int]]] = {variant: [] for variant in variants}
        for turn in range(arguments.turns):
            folder = arguments.out / f"{field}-{arguments.nodes}-{turn}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            (folder / ".cache").symlink_to(cache)  # where the published code keeps the data that it has drawn
            run(arguments.python, Path(__file__).with_name("run.py"), arguments.checkout, folder, "--field", field, "--nodes",
                arguments.nodes, "--epochs", epochs, "--rate", 0.01)
            if not data.exists():
                (folder / f"{name}-data.json").rename(data)
            theirs = seconds(folder / f"{name}.csv", epochs)
            peak = json.loads((folder / f"{name}.json").read_text())["peak_bytes"]
            for variant, options in variants.items():
                table = folder / f"{variant}.csv"
                said = run(arguments.ours, *options, "-data", data, "-rate", 0.01, "-epochs", epochs, "-out", table)
                times[variant].append((theirs, seconds(table, epochs)))
                peaks[variant].append((peak, int(said.split("peak bytes:")[1])))
        for variant, pairs in times.items():
            ratios = [theirs / ours for theirs, ours in pairs]
            theirs, ours = (statistics.median(side) for side in zip(*pairs))
            memory = [f"{max(side) / 2**30:.2g}" for side in zip(*peaks[variant])]
            print(f"| {variant} | {theirs:.2g} s | {ours:.2g} s | {statistics.median(ratios):.2g} "
                  f"({min(ratios):.2g} to {max(ratios):.2g}) | {memory[0]} | {memory[1]} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
