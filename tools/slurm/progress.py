"""Waiting for what a busy machine may take long over: as long as something moves, not for a fixed time."""

import time
from pathlib import Path

QUIET = 120  # seconds in which nothing moves, after which a wait fails
MOST = 1800  # seconds of any wait


def wait_for(what, done, moved=lambda: None, quiet=QUIET, most=MOST, clock=time.monotonic, sleep=time.sleep):
    """Calls done until it returns something true, which is returned. It fails when what moved() returns has been the
    same for quiet seconds, or after most seconds."""
    began = latest = clock()
    seen = moved()
    while not (outcome := done()):
        now = clock()
        if (state := moved()) != seen:
            seen, latest = state, now
        if now - latest > quiet:
            raise TimeoutError(f"not after {now - began:.0f} seconds, the last {quiet} without any progress: {what}")
        if now - began > most:
            raise TimeoutError(f"not within {most} seconds: {what}")
        sleep(0.2)
    return outcome


def processor_time(processes):
    """Ticks that each of these processes has computed, by number, without those that have ended."""
    ticks = {}
    for process in processes:
        try:
            stat = Path(f"/proc/{process}/stat").read_text()
        except OSError:  # it has ended
            continue
        user, system = stat.rsplit(")", 1)[1].split()[11:13]
        ticks[process] = int(user) + int(system)
    return ticks
