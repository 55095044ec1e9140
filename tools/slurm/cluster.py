"""Slurm with two nodes on this machine, for as long as a with block: all of one user, all in one folder."""

import contextlib
import ctypes
import getpass
import os
import secrets
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from progress import processor_time, wait_for

NODES = ("node1", "node2")

# Intervals are as short as Slurm has them: a node counts as dead after 10 seconds, and a task that was put into the
# queue again waits for its credential to expire first.
CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=0,sched_interval=1,bf_interval=1
SlurmdTimeout=10
KillWait=10
MinJobAge=3600
ReturnToService=2
JobRequeue=1
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def die_with_parent():
    parent_death_signal = 1  # see prctl(2), PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)


class Cluster:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.conf = self.folder / "slurm.conf"
        self.daemons = {}
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE", "SCANCEL"))}
        self.env["SLURM_CONF"] = str(self.conf)

    def __enter__(self):
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        port, *ports = free_ports(1 + len(NODES))
        host = socket.gethostname()
        self.conf.write_text(CONF.format(
            host=host, port=port, user=getpass.getuser(), folder=self.folder,
            nodes="\n".join(f"NodeName={n} NodeHostname={host} NodeAddr=127.0.0.1 Port={p} CPUs=1"
                            for n, p in zip(NODES, ports))))
        try:
            socket_file = self.folder / "munge.socket"
            self.start("munged", "--foreground", "--force", f"--socket={socket_file}", f"--key-file={key}",
                       f"--pid-file={self.folder / 'munge.pid'}", f"--log-file={self.folder / 'munge.log'}",
                       f"--seed-file={self.folder / 'munge.seed'}")
            self.wait_for("the socket of munged", socket_file.exists)
            self.start("slurmctld", "-D", "-c", "-f", self.conf)
            for node in NODES:
                (self.folder / f"spool.{node}").mkdir()
                self.start_node(node)
            self.wait_for("two idle nodes", lambda: self.node_states() == ["idle", "idle"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        for process in self.processes():  # of tasks
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def start(self, name, *command):
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(
                [name.split(".")[0], *command], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env,
                cwd=self.folder, preexec_fn=die_with_parent)

    def start_node(self, node):
        self.start(f"slurmd.{node}", "-D", "-f", self.conf, "-N", node)

    def wait_for(self, what, done):
        """Calls done until it returns something true, as long as this cluster's processes compute."""
        return wait_for(what, done, lambda: processor_time(self.processes()))

    def call(self, *command, cwd=None, **more):
        """Runs a command to its end, for as long as it or another process of this cluster computes."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = subprocess.Popen(command, env=self.env | more, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, text=True)
            try:
                self.wait_for(f"{command} ends", lambda: process.poll() is not None)
            finally:
                process.kill()
                process.wait()
            out.seek(0)
            err.seek(0)
            if process.returncode:
                raise RuntimeError(f"{command} ended with {process.returncode}: {err.read()}")
            return out.read()

    def node_states(self):
        try:
            return self.call("sinfo", "--noheader", "--Node", "--format=%T").split()
        except RuntimeError:  # slurmctld is not up yet
            return None

    def show(self, task):
        """What Slurm says of a task, by name."""
        words = self.call("scontrol", "--oneliner", "show", "job", task).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def processes(self):
        """The environments of this cluster's processes, without those of its daemons, by number."""
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
            except OSError:  # it has ended, or is another user's
                continue
            if f"SLURM_CONF={self.conf}".encode() in environment:
                found[int(entry.name)] = environment
        for daemon in self.daemons.values():
            found.pop(daemon.pid, None)
        return found

    def kill_node(self, node):
        """The node dies: its slurmd, then each slurmstepd, so that nobody tells of the tasks' end, then the tasks."""
        tasks = [process for process, environment in self.processes().items()
                 if f"SLURMD_NODENAME={node}".encode() in environment]
        steps = {int(Path(f"/proc/{task}/stat").read_text().rsplit(")", 1)[1].split()[1]) for task in tasks}
        steps = {step for step in steps if Path(f"/proc/{step}/cmdline").read_text().startswith("slurmstepd")}
        assert tasks and steps, f"no task of Slurm on {node}"
        daemon = self.daemons.pop(f"slurmd.{node}")
        daemon.kill()
        daemon.wait()
        for process in [*steps, *tasks]:
            os.kill(process, signal.SIGKILL)
