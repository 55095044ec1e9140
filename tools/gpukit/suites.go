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
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
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

// suiteEnv names the suite that a process runs, with go test's flags. It is a variable, since tests start their own
// program again.
const suiteEnv = "PENGCDE_KIT_SUITE"

// runSuite runs tests as a test program of the package does, and ends the process.
func runSuite(name string) {
	testing.Main(func(pattern, name string) (bool, error) { return regexp.MatchString(pattern, name) },
		suites[name].tests, suites[name].benchmarks, nil)
}

// suite runs a suite in another process, in the package's folder, which has its testdata, and hands on its output.
func (c *child) suite(ctx context.Context, name string, line func(string), args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, self, args...)
	command.Env = append(os.Environ(), suiteEnv+"="+name)
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
		c.write(name + ": " + lines.Text())
		line(lines.Text())
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// test runs the tests of packages that match a pattern, and reports how many passed. On many cores packages run at the
// same time, since most of the time is compiling.
func (c *child) test(ctx context.Context, pattern string, packages ...string) error {
	if suites == nil {
		return errNoSuites
	}
	var group sync.WaitGroup
	running := make(chan struct{}, max(1, runtime.NumCPU()/4))
	errs := make([]error, len(packages))
	for i, name := range packages {
		running <- struct{}{}
		group.Go(func() {
			errs[i] = c.testPackage(ctx, pattern, name)
			<-running
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (c *child) testPackage(ctx context.Context, pattern, name string) error {
	counts, bad := map[string]int{}, []string(nil)
	start := time.Now()
	err := c.suite(ctx, name, func(line string) {
		for _, end := range []string{"PASS", "FAIL", "SKIP"} {
			if test, found := strings.CutPrefix(line, "--- "+end+": "); found {
				if counts[end]++; end == "FAIL" {
					bad = append(bad, strings.Fields(test)[0])
				}
			}
		}
	}, "-test.v", "-test.run", pattern)
	c.found(name+", tests passed", float64(counts["PASS"]), "", fmt.Sprintf("%d failed, %d skipped, %.0f s",
		counts["FAIL"], counts["SKIP"], time.Since(start).Seconds()))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s", err, strings.Join(bad, ", "))
	case counts["PASS"] == 0:
		return fmt.Errorf("%s: no test passed, %d were skipped", name, counts["SKIP"])
	}
	return nil
}

// runGolden makes the numbers that the studies' stored results rest on.
func runGolden(ctx context.Context, c *child) error {
	return c.test(ctx, "^TestGoldenHere$", "experiments/paper/worlds", "experiments/paper/series", "experiments/paper")
}

// runTests runs the tests of the solver, the fields, the layers and the products.
func runTests(ctx context.Context, c *child) error {
	return c.test(ctx, c.size.tests, "pengcde/equivariant", "pengcde/field", "pengcde/nn", "pengcde/ode")
}
