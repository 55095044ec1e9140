"""Times epochs of the published code and of this library in turns, and prints a table.

Each turn trains a field for some epochs on heat and a grid: first the published code (run.py), then this library on the
data that it drew. The first two epochs of a training are left out, since they compile. The recommended field is
compared with the published code of PENG-CDE.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

# Optimiser steps of a training. The published code takes seconds for a step of the first two fields on 400 nodes.
EPOCHS = {"peng": 6, "recommended": 6, "original": 6, "adjacency": 12, "gn-ode": 12, "constant": 18}
SKIPPED = 2


def run(command: list[str | Path]) -> str:
    """What a command writes to its standard output."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout


def seconds(table: Path) -> float:
    """The median over epochs."""
    with table.open() as file:
        return statistics.median(float(row["seconds"]) for row in list(csv.DictReader(file))[SKIPPED:])


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
    cache.mkdir(parents=True, exist_ok=True)
    print(f"| {arguments.nodes} nodes | published | this | ratio | GiB, published | this |\n|---|---|---|---|---|---|")
    for field in arguments.fields:
        published, epochs = "peng" if field == "recommended" else field, str(EPOCHS[field])
        options = ["-recommended"] if field == "recommended" else ["-corrected", "-field", field]
        name = f"heat-grid-{arguments.nodes}-rate-0.01" + ("" if published == "peng" else f"-{published}")
        times: list[tuple[float, float]] = []
        peaks: list[tuple[int, int]] = []
        for turn in range(arguments.turns):
            folder = arguments.out / f"{published}-{arguments.nodes}-{turn}"
            about = folder / f"{name}.json"
            if not about.exists():
                folder.mkdir(parents=True)
                (folder / ".cache").symlink_to(cache)  # where the published code keeps the data that it has drawn
                run([arguments.python, Path(__file__).with_name("run.py"), arguments.checkout, folder, "--field", published,
                     "--nodes", str(arguments.nodes), "--epochs", epochs, "--rate", "0.01"])
                if not data.exists():
                    (folder / f"{name}-data.json").rename(data)
            said = run([arguments.ours, *options, "-data", data, "-rate", "0.01", "-epochs", epochs, "-out",
                        folder / "ours.csv"])
            times.append((seconds(folder / f"{name}.csv"), seconds(folder / "ours.csv")))
            peaks.append((json.loads(about.read_text())["peak_bytes"], int(said.split("peak bytes:")[1])))
        ratios = [theirs / ours for theirs, ours in times]
        theirs, ours = (statistics.median(side) for side in zip(*times))
        memory = [f"{max(side) / 2**30:.2g}" for side in zip(*peaks)]
        print(f"| {field} | {theirs:.2g} s | {ours:.2g} s | {statistics.median(ratios):.2g} "
              f"({min(ratios):.2g} to {max(ratios):.2g}) | {memory[0]} | {memory[1]} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
