package aot

import (
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/xla"
)

// Model of time: the sum of LaunchSeconds for each launch and the least time for bytes and multiply-adds by the card's
// specification. The host, which waits for each try of a step, is not counted.
type Model struct {
	BytesASecond, MultiplyAddsASecond float64
}

// LaunchSeconds is the time of one kernel launch.
const LaunchSeconds = 3e-6

// ModelOf returns the model with a card's specification, with multiply-adds without tensor cores.
func ModelOf(target xla.Target) (m Model, err error) {
	figure := func(name string) (value float64) {
		if err == nil {
			value, err = target.Figure(name)
		}
		return value
	}
	m.BytesASecond = figure("memory_bandwidth")
	m.MultiplyAddsASecond = figure("core_count") * figure("fpus_per_core") * figure("clock_rate_ghz") * 1e9
	return m, err
}

// Seconds of a call of a program.
func (m Model) Seconds(p Program) float64 {
	return float64(p.Launches)*LaunchSeconds + float64(p.Bytes)/m.BytesASecond +
		float64(p.MultiplyAdds)/m.MultiplyAddsASecond
}

// Epoch is the seconds of an epoch of one batch. Of a program with several shapes it takes the slowest for all calls.
func (m Model) Epoch(row Row) (seconds float64) {
	for _, name := range row.Names() {
		slowest, calls := 0.0, 0
		for _, p := range row.Programs {
			if p.Name == name {
				slowest, calls = max(slowest, m.Seconds(p)), p.Calls
			}
		}
		seconds += slowest * float64(calls)
	}
	return seconds
}

const step, pullback = "ode step", "ode step pullback"

// Markdown returns the table for a page, a line for each case.
func (t *Table) Markdown(m Model) string {
	var b strings.Builder
	b.WriteString("| model | head | programs that compile | kernels: step | pullback | AdamW | all | " +
		"calls of libraries | scatters | temporary, planned (MiB) | step (ms) | pullback (ms) | tries | epoch (s) |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range t.Rows {
		compile, kernels, library, scatters := 0, 0, 0, 0
		for _, p := range row.Programs {
			if p.Error == "" {
				compile++
			}
			kernels, library, scatters = kernels+p.Kernels, library+p.Library, scatters+p.Scatters
		}
		one, _ := row.Largest(step)
		back, _ := row.Largest(pullback)
		update, _ := row.Largest("AdamW")
		epoch := "-"
		if compile == len(row.Programs) {
			epoch = fmt.Sprintf("%.3f", m.Epoch(row))
		}
		fmt.Fprintf(&b, "| %s | %s | %d of %d | %s | %s | %s | %d | %d | %d | %.1f, %.1f | %s | %s | %d | %s |\n",
			row.Model, row.Head, compile, len(row.Programs), kernelsOf(one), kernelsOf(back), kernelsOf(update),
			kernels, library, scatters, mebibytes(row.Temporary()), mebibytes(row.Planned), m.milliseconds(one),
			m.milliseconds(back), one.Calls, epoch)
	}
	for _, row := range t.Rows {
		for _, p := range row.Programs {
			if p.Error != "" {
				fmt.Fprintf(&b, "\n%s, head %s, %s does not compile: %s\n", row.Model, row.Head, p.Name, p.Error)
			}
		}
	}
	return b.String()
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// kernelsOf and milliseconds return "-" for a program that does not exist or does not compile.
func kernelsOf(p Program) string {
	if p.Kernels == 0 {
		return "-"
	}
	return fmt.Sprint(p.Kernels)
}

func (m Model) milliseconds(p Program) string {
	if p.Kernels == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 1e3*m.Seconds(p))
}

// begin and end hold the table on a page.
const begin, end = "<!-- make aot: the table begins -->\n", "<!-- make aot: the table ends -->\n"

// Place puts text in the place of the table on a page.
func Place(page, text string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("internal/aot: the page has no lines %q and %q", begin, end)
	}
	return before + begin + text + end + after, nil
}
