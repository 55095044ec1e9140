"""Tests are counted, what go test writes is kept, and a skip that is not listed is found."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import run_tests

SUITE = """package sums

import "testing"

func TestGood(t *testing.T) { t.Log("not shown") }

func TestAbsent(t *testing.T) { t.Skip("no abacus here") }

func TestParts(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { t.Skip("no second hand") })
}
"""

BAD = """package sums

import "testing"

func TestBad(t *testing.T) { t.Error("2 + 2 is 5") }
"""

PANIC = """package sums

import "testing"

func TestPanics(t *testing.T) { panic("out of beads") }
"""


class Lists(unittest.TestCase):
    def test_reads(self):
        text = "# why\n\nxla TestOpen no plugin on this machine\nxla TestCall no kernels\n"
        self.assertEqual(run_tests.read_list(text), {("xla", "TestOpen"): "no plugin on this machine",
                                                     ("xla", "TestCall"): "no kernels"})

    def test_refuses_what_has_no_reason_or_stands_twice(self):
        for text in ("xla TestOpen\n", "xla TestOpen no plugin\nxla TestOpen no kernels\n"):
            with self.assertRaises(ValueError):
                run_tests.read_list(text)

    def test_stands(self):
        self.assertTrue(run_tests.read_list(run_tests.LIST.read_text()))


class Faults(unittest.TestCase):
    def test_found(self):
        count = run_tests.Count()
        count.passed, count.skipped = {("xla", "TestA")}, {("xla", "TestB"): "no device", ("ode", "TestC"): "no time"}
        allowed = {("xla", "TestB"): "no device in CI", ("xla", "TestGone"): "it was renamed", ("field", "TestD"): "not run"}
        self.assertEqual(count.faults(allowed), [
            "ode TestC is skipped and not in the list of tests that may be: no time",
            "xla TestGone is in the list of tests that may be skipped, but no such test ran"])
        self.assertEqual(count.faults({("xla", "TestB"): "x", ("ode", "TestC"): "y"}), [])


class GoTests(unittest.TestCase):
    """The tool in a module of its own, with a list beside it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "tools").mkdir()
        shutil.copy(run_tests.__file__, self.folder / "tools")
        self.file("go.mod", f"module {run_tests.MODULE}\ngo 1.24\n")
        self.file("sums/sums_test.go", SUITE)
        self.file("empty/empty.go", "package empty\n")

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def call(self, listed, ci, *arguments):
        self.file("tools/skips.txt", listed)
        environment = {key: value for key, value in os.environ.items() if key != "CI"} | ({"CI": "true"} if ci else {})
        return subprocess.run([sys.executable, "tools/run_tests.py", "go", *(arguments or ["./..."])], cwd=self.folder,
                              env=environment, capture_output=True, text=True, timeout=120)

    def test_skips_that_are_not_listed_fail_in_ci_alone(self):
        for ci in (False, True):
            done = self.call("sums TestAbsent no abacus in CI\n", ci)
            self.assertEqual(done.returncode, 1 if ci else 0, done)
            self.assertRegex(done.stdout, rf"(?m)^ok  \t{run_tests.MODULE}/sums\t([0-9.]+s|\(cached\))$")
            self.assertRegex(done.stdout, rf"(?m)^\?   \t{run_tests.MODULE}/empty\t\[no test files\]$")
            self.assertIn("3 tests passed, 0 failed, 2 skipped\n", done.stdout)
            self.assertIn("  skipped: sums TestParts/two: sums_test.go:11: no second hand\n", done.stdout)
            self.assertNotIn("not shown", done.stdout)
            self.assertNotIn("PASS", done.stdout)
            self.assertEqual("sums TestParts/two is skipped and not in the list" in done.stderr, ci, done)
        listed = "sums TestAbsent no abacus in CI\nsums TestParts/two no hand\n"
        self.assertEqual(self.call(listed, True).returncode, 0)

    def test_failures_say_what_they_say(self):
        self.file("sums/bad_test.go", BAD)
        done = self.call("sums TestAbsent a\nsums TestParts/two b\n", True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--- FAIL: TestBad", done.stdout)
        self.assertIn("bad_test.go:5: 2 + 2 is 5", done.stdout)
        self.assertRegex(done.stdout, rf"(?m)^FAIL\t{run_tests.MODULE}/sums\t")
        self.assertIn("3 tests passed, 1 failed, 2 skipped", done.stdout)

    def test_panics_say_what_they_say(self):
        self.file("sums/panic_test.go", PANIC)
        done = self.call("", False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("out of beads", done.stdout)
        self.assertIn("panic_test.go:5", done.stdout)

    def test_what_does_not_compile_is_shown(self):
        self.file("sums/bad_test.go", "package sums\n\nvar x int = y\n")
        done = self.call("", False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("undefined: y", done.stdout + done.stderr)
        self.assertIn("[build failed]", done.stdout)


class PythonTests(unittest.TestCase):
    def test_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "test_sums.py").write_text(
                "import unittest\nclass Sums(unittest.TestCase):\n    def test_good(self): pass\n"
                "    @unittest.skip('no abacus')\n    def test_absent(self): pass\n    def test_bad(self): self.fail()\n")
            program = (f"import json, sys; sys.path.insert(0, {str(pathlib.Path(run_tests.__file__).parent)!r}); "
                       f"import run_tests; code, count = run_tests.run_python({folder!r}); "
                       "print(json.dumps([code, sorted(count.passed), sorted(count.failed), list(count.skipped.items())]))")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
            code, passed, failed, skipped = json.loads(done.stdout)
            at = f"{folder}/test_sums.py"
            self.assertEqual([code, passed, failed, skipped], [1, [[at, "Sums.test_good"]], [[at, "Sums.test_bad"]],
                                                              [[[at, "Sums.test_absent"], "no abacus"]]])


if __name__ == "__main__":
    unittest.main()
