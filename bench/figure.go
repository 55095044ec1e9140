package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/figures"
)

// slopesFrom is the least number of nodes in the fit of a slope: below it, time goes to things that do not grow.
const slopesFrom = 512

// DrawSeconds draws seconds per training epoch against nodes, with slopes in the key: d log(seconds) / d log(nodes) by least
// squares from 512 nodes on. Lines of one machine compare; what others measured elsewhere is left out.
func (f File) DrawSeconds() (*figures.Figure, error) {
	return f.draw("Training epoch", "seconds", func(r Row) (ours, peer float64) { return r.Ours, r.Peer })
}

// DrawMemory draws the largest resident memory against nodes, with slopes as in [File.DrawSeconds].
func (f File) DrawMemory() (*figures.Figure, error) {
	return f.draw("Peak memory", "MiB", func(r Row) (ours, peer float64) { return mebi(r.OursBytes), mebi(r.PeerBytes) })
}

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// draw draws one line for each model of ours, and for each of the peer's variants of it, on each machine. What is 0 was not
// measured.
func (f File) draw(title, y string, of func(Row) (ours, peer float64)) (*figures.Figure, error) {
	if len(f.Rows) == 0 {
		return nil, fmt.Errorf("bench: no races to draw, try: make bench: %w", figures.ErrInput)
	}
	places := f.places()
	axes := figures.Axes{Title: title, X: fmt.Sprintf("nodes (slopes from %d on)", slopesFrom), Y: y, LogX: true, LogY: true,
		Marks: f.outOfMemory(), Height: 340}
	if len(places) == 1 {
		axes.Title += ": " + places[0]
	}
	var lines []figures.Series
	add := func(name string, colour int, line figures.Series) {
		if len(line.X) > 0 {
			line.Name, line.Colour, line.Points = name+slope(line.X, line.Y), colour, true
			lines = append(lines, line)
		}
	}
	colour := 0
	for _, place := range places {
		suffix := ""
		if len(places) > 1 {
			suffix = ", " + place
		}
		for _, model := range f.models() {
			rows := slices.DeleteFunc(slices.Clone(f.Rows), func(r Row) bool { return r.Model != model || r.place() != place })
			if len(rows) == 0 {
				continue
			}
			colour++
			add(modelName(model)+", library"+suffix, colour, through(rows, func(r Row) float64 { ours, _ := of(r); return ours }))
			for i, v := range []Variant{Dense, Implicit} {
				line := through(rows, func(r Row) float64 {
					if _, peer := of(r); r.Variant == v && !r.OutOfMemory {
						return peer
					}
					return 0
				})
				line.Dashed = true
				add(fmt.Sprintf("%s, %s peer%s", modelName(model), v, suffix), colour+i*len(places)*len(f.models()), line)
			}
		}
	}
	return figures.Lines(axes, lines...)
}

// through is the line through the values of rows that are not 0, one for each number of nodes.
func through(rows []Row, value func(Row) float64) (line figures.Series) {
	for _, r := range slices.SortedStableFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.N, b.N) }) {
		x, last := float64(r.nodes()), len(line.X)-1
		if v := value(r); v > 0 && (last < 0 || line.X[last] < x) {
			line.X, line.Y = append(line.X, x), append(line.Y, v)
		}
	}
	return line
}

// slope ends the name of a line, where two points or more are in its fit.
func slope(x, y []float64) string {
	var logX, logY []float64
	for i := range x {
		if x[i] >= slopesFrom {
			logX, logY = append(logX, math.Log(x[i])), append(logY, math.Log(y[i]))
		}
	}
	if len(logX) < 2 {
		return ""
	}
	_, s := stat.LinearRegression(logX, logY, nil, false)
	return fmt.Sprintf(": slope %.2f", s)
}

// outOfMemory marks the least size at which the peer ran out of memory, for each model.
func (f File) outOfMemory() []figures.Mark {
	names := map[int][]string{}
	for _, model := range f.models() {
		least := 0
		for _, r := range f.Rows {
			if n := r.nodes(); r.Model == model && r.OutOfMemory && (least == 0 || n < least) {
				least = n
			}
		}
		if least > 0 {
			names[least] = append(names[least], modelName(model))
		}
	}
	var marks []figures.Mark
	for n, models := range names {
		marks = append(marks, figures.Mark{Name: fmt.Sprintf("peer out of memory at %d: %s", n, strings.Join(models, ", ")), X: float64(n)})
	}
	slices.SortFunc(marks, func(a, b figures.Mark) int { return cmp.Compare(a.X, b.X) })
	return marks
}

// nodes are those of the grid, the next square number.
func (r Row) nodes() int { return graphs.Side(r.N) * graphs.Side(r.N) }

// place is the machine and what computed on it.
func (r Row) place() string { return place(r.Machine, r.Versions) }

func place(machine string, versions map[string]string) string {
	if backend := versions["backend"]; backend != "" {
		return machine + ", " + backend
	}
	return machine
}

func (f File) places() []string { return distinct(f.Rows, Row.place) }

func (f File) models() []string {
	return distinct(f.Rows, func(r Row) string { return r.Model })
}

// distinct are the values of rows in the order in which they come.
func distinct[R any, V comparable](rows []R, of func(R) V) (values []V) {
	for _, r := range rows {
		if v := of(r); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

func modelName(kind string) string {
	switch kind {
	case "peng":
		return "PENG-CDE"
	case "original":
		return "Original GN-CDE"
	case "pre-mult":
		return "Pre-Mult GN-CDE"
	}
	return kind
}
