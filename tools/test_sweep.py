import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).with_name("sweep.sh")

# Stands in for the program: it notes what it was called with, then counts until it is told to end.
PROGRAM = """#!/bin/sh
echo "$@" >>calls
trap 'echo ended >>calls; exit 130' TERM
while :; do echo >>ticks; sleep 0.05; done
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(suffix=" with a space"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in {"tools/sweep.sh": SCRIPT.read_text(), "bin/pengcde": PROGRAM}.items():
            file = self.folder / name
            file.parent.mkdir()
            file.write_text(text)
            file.chmod(0o755)
        self.addCleanup(self.call, "stop")

    def call(self, *args):
        done = subprocess.run([self.folder / "tools/sweep.sh", *args], capture_output=True, text=True, timeout=30)
        return done.stdout + done.stderr

    def read(self, name):
        file = self.folder / name
        return file.read_text() if file.exists() else ""

    def until(self, what):
        deadline = time.monotonic() + 20
        while not what():
            self.assertLess(time.monotonic(), deadline, self.read("build/sweep/log"))
            time.sleep(0.05)

    def test_start_pause_stop(self):
        self.assertIn("there is none", self.call("pause"))
        self.assertIn("started", self.call("start", "table1 --only family='power law'", "never reached"))
        self.until(lambda: len(self.read("ticks")) > 2)
        self.assertIn("paused", self.call("pause"))
        time.sleep(0.2)
        before = self.read("ticks")
        time.sleep(0.3)
        self.assertEqual(before, self.read("ticks"))
        self.assertIn("another runs: table1 --only", self.call("start", "another"))
        self.assertEqual(before, self.read("ticks"))
        self.assertIn("goes on", self.call("start"))
        self.until(lambda: len(self.read("ticks")) > len(before))
        self.assertIn("goes on", self.call("start", "table1 --only family='power law'", "never reached"))
        self.call("pause")
        self.assertIn("stopped", self.call("stop"))
        self.assertEqual("run table1 --only family=power law\nended\n", self.read("calls"))
        self.assertIn("there is none", self.call("stop"))

    def test_studies_follow_each_other(self):
        (self.folder / "bin/pengcde").write_text('#!/bin/sh\necho "$@" >>calls\n')
        self.call("start", "sir", "table1 --jobs 1")
        self.until(lambda: self.read("calls").count("\n") == 2)
        self.assertEqual("run sir\nrun table1 --jobs 1\n", self.read("calls"))

    def test_group_of_another(self):
        """After a sweep that did not end by stop, its number may be that of somebody else's processes."""
        other = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        (self.folder / "build/sweep").mkdir(parents=True)
        (self.folder / "build/sweep/group").write_text(f"{other.pid}\n")
        for command in ("pause", "stop"):
            self.assertIn("there is none", self.call(command))
        self.assertIsNone(other.poll())
        self.assertIn("started", self.call("start", "sir"))
        self.until(lambda: len(self.read("ticks")) > 2)
        self.assertIn("stopped", self.call("stop"))
        self.assertIsNone(other.poll())

    def test_log_is_kept(self):
        (self.folder / "bin/pengcde").write_text('#!/bin/sh\necho made "$@"\n')
        for study in ("sir", "epidemics"):
            self.assertIn("started", self.call("start", study))
            self.until(lambda: f"made run {study}" in self.read("build/sweep/log"))
            self.call("stop")  # unless it has ended
        self.assertIn("made run sir", self.read("build/sweep/log"))

    def test_make_passes_quotes(self):
        makefile = SCRIPT.parents[1] / "Makefile"
        for text, want in (('table1 --only "family=power law"', "run table1 --only family=power law\n"),
                           ("", "run table1 --profile full --models constant,gn-ode,adjacency,original,peng\n")):
            (self.folder / "bin/pengcde").write_text('#!/bin/sh\necho "$@" >calls\n')
            subprocess.run(["make", "-f", makefile, "-o", "pengcde", "ENV=", f"SWEEP={text}", "sweep"], cwd=self.folder,
                           check=True, capture_output=True, timeout=30)
            self.until(lambda: self.read("calls") == want)
            self.call("stop")


if __name__ == "__main__":
    unittest.main()
