"""A study on a Slurm of two nodes: a node that dies, tasks near their time limit, jobs that are cancelled. Its results
are those of one process, bit for bit."""

import csv
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]

# A training takes some seconds after compiling, so that a task can be met at work.
RUNS = ("epidemics", "--profile", "medium", "--only", "country=england", "--only", "split=random", "--fresh")
STUDY = (*RUNS, "--models", "gn-ode,zero", "--seeds", "0-2")
ONE = (*RUNS, "--models", "gn-ode", "--seeds", "7")

# What differs in every run: facts of the machine and of the hour.
FACTS = ("seconds", "seconds_per_epoch", "peak_bytes", "ended", "cpus")


class Slurm(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.place = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="pengcde-slurm-")))
        cls.program = cls.place / "pengcde"
        subprocess.run(["go", "build", "-buildvcs=false", "-o", cls.program, "./cmd/pengcde"], cwd=ROOT, check=True)
        (cls.place / "slurm").mkdir()
        cls.cluster = cls.enterClassContext(Cluster(cls.place / "slurm"))
        cls.alone = cls.place / "alone"
        for study in (STUDY, ONE):
            cls.pengcde(cls.alone, "run", *study)

    @classmethod
    def pengcde(cls, results, *arguments, **env):
        return cls.cluster.call(cls.program, "--results", results, *arguments, cwd=cls.place, **env)

    def setUp(self):
        self.results = self.place / "on Slurm" / self.id().rsplit(".", 1)[1]  # with a space

    def run(self, result=None):
        bad = len(result.errors) + len(result.failures)
        super().run(result)
        if len(result.errors) + len(result.failures) > bad and hasattr(self, "results"):
            self.logs()

    def logs(self):
        """Prints what tasks and daemons wrote, after a failure."""
        print("--- tasks", self.written()[-5000:])
        for log in (self.place / "slurm").glob("*.out"):
            print(f"--- {log.name}", log.read_text()[-3000:])

    def written(self):
        """What the tasks of the jobs wrote."""
        return "".join(log.read_text() for log in self.results.glob("*/slurm/*.log"))

    def submit(self, study, tasks, *options, **env):
        said = self.pengcde(self.results, "submit", *study, "--array-size", str(tasks), "--checkpoint-every", "1ms",
                            "--time", "30", *options, **env)
        return said.split()[1]  # job N submitted

    def working(self, job, node=None):
        """Waits until a task trains, on the node where one is named, and returns the number of the task."""
        def task():
            for lock in self.results.glob("*/*.lock"):
                try:
                    claim = json.loads(lock.read_text())
                except (OSError, ValueError):  # it has just ended, or is being written
                    continue
                if claim["Job"] == job and node in (None, claim["Node"]) and claim["At"]["Epoch"] > 0:
                    return claim["Task"]
        return self.cluster.wait_for(f"a task of job {job} trains", task)

    def wait(self, job, state, tasks=1):
        def states():
            return [self.cluster.show(f"{job}_{i}").get("JobState") for i in range(tasks)]
        self.cluster.wait_for(f"job {job} is {state}", lambda: set(states()) == {state})

    def table(self, results, study):
        """The tables of stored runs, without facts of the machine."""
        out = self.place / "tables" / self.id() / results.name
        self.pengcde(results, "results", "export", *study, "--out", out)
        with open(out / "epidemics-runs.csv", newline="") as file:
            runs = list(csv.DictReader(file))
        for run in runs:
            for fact in FACTS:
                run.pop(fact)
        return runs, (out / "epidemics-arrays.csv").read_bytes()

    def assert_equal(self, study):
        (want, arrays), (got, got_arrays) = self.table(self.alone, study), self.table(self.results, study)
        self.assertGreater(len(want), 0)
        self.assertEqual(want, got)
        self.assertTrue(arrays == got_arrays, "numbers of forecasts and losses differ")
        left = [file.name for file in self.results.glob("epidemics/*") if file.suffix not in (".json", "")]
        self.assertEqual(left, [], "left beside the results")

    def test_node_dies(self):
        job = self.submit(STUDY, 2)
        task = self.working(job, "node1")
        self.cluster.kill_node("node1")
        at_work = rf"node2: task {job}_\d running, time limit in \S+\n  GN-ODE, england, random, seed \d: "
        self.cluster.wait_for("status shows the other node at work",
                              lambda: re.search(at_work, self.pengcde(self.results, "status", "epidemics")))
        self.cluster.wait_for("the task of the dead node waits again",
                              lambda: self.cluster.show(f"{job}_{task}").get("Restarts") == "1")
        self.wait(job, "COMPLETED", 2)
        self.assertIn("training goes on in epoch", self.written())
        self.assertIn("6 of 6 runs stored", self.pengcde(self.results, "status", "epidemics"))
        self.assert_equal(STUDY)
        self.cluster.start_node("node1")
        self.cluster.wait_for("the node is back", lambda: self.cluster.node_states() == ["idle", "idle"])

    def warn(self, *options, **env):
        """A task is warned of its time limit: it ends, is put into the queue again, and goes on from its checkpoint."""
        job = self.submit(ONE, 1, *options, **env)
        self.working(job)
        self.cluster.call("scancel", "--batch", "--signal=USR1", f"{job}_0")  # as Slurm does before the limit
        self.cluster.wait_for("the task waits again", lambda: self.cluster.show(f"{job}_0").get("Restarts") == "1")
        self.wait(job, "COMPLETED")
        self.assertIn("the time limit is near", self.written())
        self.assertIn("training goes on in epoch", self.written())
        self.assert_equal(ONE)
        return self.written()

    def test_time_limit(self):
        self.assertNotIn("no scontrol", self.warn("--jobs", "2"))

    def test_exit_code_75(self):
        """Where the task cannot ask for it, Slurm does it for the exit code."""
        conf = self.cluster.conf
        conf.write_text(conf.read_text() + "RequeueExit=75\n")
        self.cluster.call("scontrol", "reconfigure")
        folder = self.place / "no scontrol"
        folder.mkdir()
        for command in ("sbatch", "squeue"):
            (folder / command).symlink_to(next(path for path in (Path(f) / command for f in os.get_exec_path())
                                               if path.exists()))
        self.assertIn("no scontrol", self.warn(PATH=str(folder)))

    def test_cancel(self):
        job = self.submit(STUDY, 3)
        self.working(job)
        self.assertIn(f"cancelled: {job}", self.pengcde(self.results, "cancel", "epidemics"))
        self.wait(job, "CANCELLED", 3)
        self.assertIn("no task waits or runs", self.pengcde(self.results, "status", "epidemics"))
        self.assertIn("no job of epidemics waits or runs", self.pengcde(self.results, "cancel", "epidemics"))
        self.pengcde(self.results, "run", *STUDY)  # goes on with what the tasks left
        self.assert_equal(STUDY)

    def test_refused(self):
        with self.assertRaisesRegex(RuntimeError, "invalid partition specified: nowhere"):
            self.pengcde(self.results, "submit", *ONE, "--partition", "nowhere")
        self.assertEqual(list(self.results.glob("*/slurm/*")), [])


if __name__ == "__main__":
    unittest.main()
