"""Waits of the checks on Slurm."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "slurm"))
from progress import processor_time, wait_for  # noqa: E402


class WaitFor(unittest.TestCase):
    def wait(self, done_at, moved):
        """Waits on a clock of its own for what is done at a time, and returns when the wait ended."""
        self.now = 0

        def sleep(_):
            self.now += 10

        try:
            wait_for("the end", lambda: self.now >= done_at, lambda: moved(self.now), clock=lambda: self.now,
                     sleep=sleep)
        except TimeoutError as error:
            return self.now, str(error)
        return self.now, ""

    def test_as_long_as_something_moves(self):
        self.assertEqual(self.wait(1000, lambda now: now // 100), (1000, ""))

    def test_nothing_moves(self):
        now, said = self.wait(1000, lambda now: min(now, 300))
        self.assertEqual(now, 430)
        self.assertRegex(said, "the last 120 without any progress: the end")

    def test_most(self):
        now, said = self.wait(5000, lambda now: now)
        self.assertEqual(now, 1810)
        self.assertIn("not within 1800 seconds: the end", said)

    def test_done_at_once(self):
        self.assertEqual(self.wait(0, lambda now: now), (0, ""))


class ProcessorTime(unittest.TestCase):
    def test_own(self):
        before = processor_time([os.getpid(), 2**22 + 1])
        self.assertEqual(list(before), [os.getpid()])
        while processor_time([os.getpid()]) == before:
            pass


if __name__ == "__main__":
    unittest.main()
