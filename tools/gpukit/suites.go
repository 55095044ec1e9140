package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suite are the tests and benchmarks of a package.
type suite struct {
	tests      []testing.InternalTest
	benchmarks []testing.InternalBenchmark
}

// suites are filled by a file that tools/gpukit/pack writes: one program with the tests of several packages is a third
// of the size of a test program for each.
var suites map[string]suite

var errNoSuites = skip("this program was built without the tests of the packages; make gpu-kit builds it with them")

// suiteFlag is the first argument of a process that runs a suite; its name and flags of go test follow.
const suiteFlag = "-suite"

// runSuite runs tests as a test program of the package does, and ends the process.
func runSuite(name string, args []string) {
	os.Args = append(os.Args[:1], args...)
	testing.Main(func(pattern, name string) (bool, error) { return regexp.MatchString(pattern, name) },
		suites[name].tests, suites[name].benchmarks, nil)
}

// suite runs a suite in another process, in the package's folder, which has its testdata, and hands on its output.
func (c *child) suite(ctx context.Context, name string, line func(string), args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, self, append([]string{suiteFlag, name}, args...)...)
	command.Dir = filepath.Join(filepath.Dir(self), "module", name)
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Fprintln(c.out, lines.Text())
		line(lines.Text())
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// test runs the tests of packages that match a pattern, and reports how many passed.
func (c *child) test(ctx context.Context, pattern string, packages ...string) error {
	if suites == nil {
		return errNoSuites
	}
	var all error
	for _, name := range packages {
		counts, bad := map[string]int{}, []string(nil)
		err := c.suite(ctx, name, func(line string) {
			for _, end := range []string{"PASS", "FAIL", "SKIP"} {
				if test, found := strings.CutPrefix(line, "--- "+end+": "); found {
					if counts[end]++; end == "FAIL" {
						bad = append(bad, strings.Fields(test)[0])
					}
				}
			}
		}, "-test.v", "-test.run", pattern)
		c.found(name+", tests passed", float64(counts["PASS"]), "", fmt.Sprintf("%d failed, %d skipped", counts["FAIL"],
			counts["SKIP"]))
		switch {
		case err != nil:
			all = errors.Join(all, fmt.Errorf("%w: %s", err, strings.Join(bad, ", ")))
		case counts["PASS"] == 0:
			all = errors.Join(all, fmt.Errorf("%s: no test passed, %d were skipped", name, counts["SKIP"]))
		}
	}
	return all
}

// runGolden makes the numbers that the studies' stored results rest on.
func runGolden(ctx context.Context, c *child) error {
	return c.test(ctx, "^TestGoldenHere$", "experiments/paper", "experiments/paper/series", "experiments/paper/worlds")
}

// runTests runs the tests of the solver, the fields and the products.
func runTests(ctx context.Context, c *child) error {
	return c.test(ctx, c.size.tests, "pengcde/equivariant", "pengcde/field", "pengcde/ode")
}
