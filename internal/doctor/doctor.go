// Package doctor answers the first questions to a command line: which versions compute here, which parts of the set-up
// are there, which are missing, and how to get them.
//
// Start with [Examine], which looks at the machine, the backend, XLA's plugins, CUDA, the folder for results and the
// tools for building, and [Write], which says what was found in a line or two for each. [Versions] gives the
// versions that decide results, for people and to be stored beside a result.
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

// State says how a [Check] ended.
type State string

// The states, best first: in order, works with less than there could be, and does not work.
const (
	OK      State = "ok"
	Warning State = "warning"
	Missing State = "missing"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`        // what was found
	Fix    string `json:"fix,omitempty"` // what to try; empty where the state is OK
}

func ok(format string, args ...any) Check {
	return Check{State: OK, Detail: fmt.Sprintf(format, args...)}
}

// Options says what a user is going to use; the zero value is what a program without settings would get.
type Options struct {
	// Backend is a setting as [xla.Config] has it. Default: the environment's, else the best that is there.
	Backend string
	// Results is the folder for results; it is not made if it does not exist. Default: none is looked at.
	Results string
}

// Examine runs all checks, one after the other. A check that panics or that ctx cuts off says so in its own result,
// and those that ctx left no time for are there as warnings. What was cut off ends by itself in the background.
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

// Write writes for each check its state, its name and what was found, and below it what to try, if anything, in lines
// that fit into a terminal.
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
