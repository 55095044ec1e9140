package aot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/xla"
)

// Model of time: the sum of LaunchSeconds for each launch and the least time for bytes and multiply-adds by the card's
// specification. The host is not counted.
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

// steps and pullbacks are the programs of a step and of its pullback: one that the host calls, and one that the device
// repeats.
var (
	steps     = []string{"loop of ode steps", "ode step"}
	pullbacks = []string{"loop of ode pullbacks", "ode step pullback"}
)

// column is a column of a table on a page.
type column struct {
	title string
	cell  func(m Model, r Row) string
}

var modelAndHead = []column{
	{"model", func(_ Model, r Row) string { return r.Model }},
	{"head", func(_ Model, r Row) string { return r.Head }},
}

var counts = []column{
	{"programs that compile", func(_ Model, r Row) string {
		return fmt.Sprintf("%d of %d", r.compile(), len(r.Programs))
	}},
	{"kernels: step", kernelsOf(steps...)},
	{"pullback", kernelsOf(pullbacks...)},
	{"AdamW", kernelsOf("AdamW")},
	{"all", total(func(p Program) int { return p.Kernels })},
	{"calls of libraries", total(func(p Program) int { return p.Library })},
	{"scatters", total(func(p Program) int { return p.Scatters })},
	{"temporary, planned (MiB)", func(_ Model, r Row) string {
		return fmt.Sprintf("%.1f, %.1f", mebibytes(r.Temporary()), mebibytes(r.Planned))
	}},
	{"step (ms)", millisecondsOf(steps...)},
	{"pullback (ms)", millisecondsOf(pullbacks...)},
}

var epochs = []column{
	{"tries", func(_ Model, r Row) string {
		byDevice, _ := r.Largest(steps[0])
		byHost, _ := r.Largest(steps[1])
		return fmt.Sprint(byDevice.Calls + byHost.Calls)
	}},
	{"epoch (s)", func(m Model, r Row) string {
		if r.compile() < len(r.Programs) {
			return "-"
		}
		return fmt.Sprintf("%.3f", m.Epoch(r))
	}},
}

var sizes = []column{{"nodes", func(_ Model, r Row) string { return fmt.Sprint(r.Nodes) }}}

// Markdown returns the table for a page, a line for each case, with predicted epochs.
func (t *Table) Markdown(m Model) string { return t.markdown(m, modelAndHead, counts, epochs) }

// MarkdownOfSizes returns the table for a page, a line for each case, with the sizes of graphs.
func (t *Table) MarkdownOfSizes(m Model) string { return t.markdown(m, modelAndHead, sizes, counts) }

// markdown ends with what was refused, and with what does not compile.
func (t *Table) markdown(m Model, parts ...[]column) string {
	columns := slices.Concat(parts...)
	var b, rest strings.Builder
	line := func(cell func(column) string) {
		for _, c := range columns {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(func(c column) string { return c.title })
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	for _, row := range t.Rows {
		if row.Refused != "" {
			fmt.Fprintf(&rest, "- %s\n", row.Refused)
			continue
		}
		line(func(c column) string { return c.cell(m, row) })
	}
	for _, row := range t.Rows {
		for _, p := range row.Programs {
			if p.Error != "" {
				fmt.Fprintf(&rest, "- %s, head %s, %d nodes, %s does not compile: %s\n", row.Model, row.Head, row.Nodes,
					p.Name, p.Error)
			}
		}
	}
	if rest.Len() > 0 {
		b.WriteString("\n" + rest.String())
	}
	return b.String()
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// compile is the number of programs that compile.
func (r Row) compile() (n int) {
	for _, p := range r.Programs {
		if p.Error == "" {
			n++
		}
	}
	return n
}

func total(of func(Program) int) func(Model, Row) string {
	return func(_ Model, r Row) string {
		sum := 0
		for _, p := range r.Programs {
			sum += of(p)
		}
		return fmt.Sprint(sum)
	}
}

// kernelsOf and millisecondsOf give "-" for a program that does not exist or does not compile.
func kernelsOf(names ...string) func(Model, Row) string {
	return func(_ Model, r Row) string {
		p, _ := r.Largest(names...)
		if p.Kernels == 0 {
			return "-"
		}
		return fmt.Sprint(p.Kernels)
	}
}

func millisecondsOf(names ...string) func(Model, Row) string {
	return func(m Model, r Row) string {
		p, _ := r.Largest(names...)
		if p.Kernels == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", 1e3*m.Seconds(p))
	}
}

// begin and end hold the table on a page.
const begin, end = "<!-- make aot: the table begins -->\n", "<!-- make aot: the table ends -->\n"

// ReplaceTable puts text in the place of the table on a page.
func ReplaceTable(page, text string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("internal/aot: the page has no lines %q and %q", begin, end)
	}
	return before + begin + text + end + after, nil
}
