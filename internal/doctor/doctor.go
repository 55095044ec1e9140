// Package doctor examines an installation: the versions that compute, the parts of the set-up that exist, the missing
// parts, and how to get them.
//
// Start with [Examine], which looks at the machine, the backend, XLA's plugins, CUDA, the folder for results and the
// tools for building, and [Write], which prints a line or two for each check. [Versions] returns the versions that
// determine results, to show and to store with a result.
//
// Nothing is installed, downloaded or left behind. Limit: a plugin that crashes inside its C code ends the process.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// State is the outcome of a [Check].
type State string

// The states, best first: in order, works with less than there could be, and does not work.
const (
	OK      State = "ok"
	Warning State = "warning"
	Missing State = "missing"
)

// Check is the result of one check.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`        // what was found
	Fix    string `json:"fix,omitempty"` // what to try; empty where the state is OK
}

func ok(format string, args ...any) Check {
	return Check{State: OK, Detail: fmt.Sprintf(format, args...)}
}

// Options selects the backend and the folder to check; the zero value means a program without settings.
type Options struct {
	// Backend is a setting as in [xla.Config]. Default: the environment's, else the best available backend.
	Backend string
	// Results is the folder for results; it is not made if it does not exist. Default: no folder is checked.
	Results string
}

// Examine runs all checks, one after the other. A check that panics or that ctx cuts off says so in its result; checks
// without time left appear as warnings. A check that was cut off ends in the background.
func Examine(ctx context.Context, options Options) []Check {
	var checks []Check
	look := func(name string, check func() Check) { checks = append(checks, run(ctx, name, check)) }
	look("system", checkSystem)
	if runtime.GOOS == "linux" {
		look("memory", func() Check { return checkMemory("/proc/meminfo") })
	}
	look("backend", func() Check { return checkBackend(options.Backend) })
	look("plugins", checkPlugins)
	look("CUDA", func() Check { return findCUDA(options.Backend).check() })
	if options.Results != "" {
		look("results", func() Check { return checkResults(options.Results) })
	}
	look("tools", func() Check { return checkTools("gcc", "make", "python3", "go") })
	return checks
}

// run gives a check its name, catches its panic and does not wait for it longer than ctx allows.
func run(ctx context.Context, name string, check func() Check) Check {
	result := make(chan Check, 1)
	if ctx.Err() == nil {
		go func() {
			defer func() {
				if caught := recover(); caught != nil {
					result <- Check{name, Missing, fmt.Sprintf("the check itself failed: %v", caught),
						"report this with the versions and the line above"}
				}
			}()
			c := check()
			c.Name = name
			result <- c
		}()
	}
	select {
	case c := <-result:
		return c
	case <-ctx.Done():
		return Check{name, Warning, fmt.Sprintf("not examined to its end: %v", context.Cause(ctx)),
			"run it again and give it more time"}
	}
}

// Write writes the state, name and findings of each check, and below it a remedy if there is one, in lines that fit
// into a terminal.
func Write(w io.Writer, checks []Check) error {
	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	var text strings.Builder
	for _, c := range checks {
		head, indent := fmt.Sprintf("%-*s %-*s  ", len("[warning]"), "["+c.State+"]", width, c.Name), ""
		for _, line := range lines(c, columns-len(head)) {
			text.WriteString(cmp.Or(indent, head) + line + "\n")
			indent = strings.Repeat(" ", len(head))
		}
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("doctor: write the checks: %w", err)
	}
	return nil
}

// columns of a terminal that the lines of [Write] fit into.
const columns = 80

// lines are what a check found, and what to try.
func lines(c Check, width int) []string {
	all := plain.Wrap(c.Detail, width)
	if c.Fix != "" {
		all = append(all, plain.Wrap("try: "+c.Fix, width)...)
	}
	return all
}
