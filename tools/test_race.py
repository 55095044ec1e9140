import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent.parent / "bench/published/race.py"

# Stands in for the interpreter of the published code: race.py gives it run.py, the checkout and the folder to write to.
# A turn takes a second longer than the turn before it, and the epochs that compile take 90.
PUBLISHED = """import csv, json, pathlib, sys
folder, options = pathlib.Path(sys.argv[3]), dict(zip(sys.argv[4::2], sys.argv[5::2]))
field, turn = options["--field"], int(folder.name.split("-")[-1])
name = "heat-grid-" + options["--nodes"] + "-rate-0.01" + ("" if field == "peng" else "-" + field)
with (folder / (name + ".csv")).open("w") as file:
    rows = csv.writer(file)
    rows.writerow(["epoch", "seconds"])
    for epoch in range(int(options["--epochs"])):
        rows.writerow([epoch, 90 if epoch < 2 else 8 + turn])
(folder / (name + ".json")).write_text(json.dumps({"peak_bytes": 2**30 * (turn + 1)}))
data = folder / ".cache" / "drawn"
if not data.exists():
    data.write_text("")
    (folder / (name + "-data.json")).write_text(name)
"""

# Stands in for this library's command. The recommended field takes half of the time of others.
OURS = """import csv, pathlib, sys
recommended = sys.argv[1] == "-recommended"
options = dict(zip(sys.argv[2 if recommended else 4::2], sys.argv[3 if recommended else 5::2]))
assert pathlib.Path(options["-data"]).read_text().startswith("heat-grid-9-rate-0.01")
with open(options["-out"], "w") as file:
    rows = csv.writer(file)
    rows.writerow(["epoch", "seconds"])
    for epoch in range(int(options["-epochs"]) - MISSING):
        rows.writerow([epoch, 90 if epoch < 2 else 1 if recommended else 2])
print("peak bytes:", 2**29)
"""


class Race(unittest.TestCase):
    def race(self, *options, missing=0):
        with tempfile.TemporaryDirectory(suffix=" with a space") as folder:
            folder = pathlib.Path(folder)
            for name, text in {"published": PUBLISHED, "ours": OURS}.items():
                program = folder / name
                script = folder / (name + ".py")
                script.write_text(f"MISSING = {missing}\n{text}")
                # A first line "#!" cannot name an interpreter whose path has a space.
                program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(script))} "$@"\n')
                program.chmod(0o755)
            command = [sys.executable, SCRIPT, folder / "published", folder, folder / "ours", folder / "out"]
            return subprocess.run([*command, "--nodes", "9", *options], capture_output=True, text=True, timeout=60)

    def test_table(self):
        done = self.race("--turns", "3", "--fields", "peng", "constant")
        self.assertEqual("", done.stderr)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
        self.assertEqual([
            ["9 nodes", "published", "this", "ratio", "GiB, published", "this"], ["---"] * 6,
            ["peng", "9 s", "2 s", "4.5 (4 to 5)", "3", "0.5"],
            ["recommended", "9 s", "1 s", "9 (8 to 10)", "3", "0.5"],
            ["constant", "9 s", "2 s", "4.5 (4 to 5)", "3", "0.5"]], rows)

    def test_missing_epoch(self):
        done = self.race("--turns", "1", "--fields", "constant", missing=1)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("has 17 epochs, want 18", done.stderr)
