package bench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// slopesFrom is the smallest number of nodes in the fit of a slope: below it, constant costs dominate the time.
const slopesFrom = 512

// DrawSeconds draws seconds per training epoch against nodes, with slopes in the key: d log(seconds) / d log(nodes)
// by least squares from 512 nodes on. Lines of one machine can be compared. It leaves out races with a peer
// on its own steps.
func (f File) DrawSeconds() (*figures.Figure, error) {
	return f.draw("Training epoch", "seconds", func(r Row) (ours, peer float64) { return r.Ours, r.Peer })
}

// DrawMemory draws the largest resident memory against nodes, with slopes as in [File.DrawSeconds].
func (f File) DrawMemory() (*figures.Figure, error) {
	bytes := func(r Row) (ours, peer float64) { return mebi(r.OursBytes), mebi(r.PeerBytes) }
	return f.draw("Peak memory", "MiB", bytes)
}

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// dashes distinguish the library, the dense and the implicit peer, on one machine and on another; dashNames name the
// peers' dashes in keys.
var (
	dashes = [2][3]figures.Dash{{figures.Solid, figures.Dashed, figures.Dotted},
		{figures.LongDashed, figures.DashDot, figures.DashDotDot}}
	dashNames = [2][2]string{{"dashed", "dotted"}, {"dash and dot", "dash and two dots"}}
)

// draw draws one line for each model, and for each of the peer's variants of it, on each machine, without values
// of 0.
func (f File) draw(title, y string, pair func(Row) (ours, peer float64)) (*figures.Figure, error) {
	if len(f.Rows) == 0 {
		return nil, errs.New(figures.ErrInput, "bench: no races to draw, try: make bench")
	}
	f.Rows = slices.DeleteFunc(slices.Clone(f.Rows), func(r Row) bool { return r.Steps == own })
	machines := f.machines()
	axes := figures.Axes{Title: title, X: fmt.Sprintf("nodes (slopes from %d on)", slopesFrom), Y: y, LogX: true,
		LogY: true, Marks: f.outOfMemory(), Height: 340}
	if len(machines) == 1 {
		axes.Title += ": " + machines[0]
	}
	byNodes := func(a, b Row) int { return cmp.Compare(a.nodes(), b.nodes()) }
	rows := slices.SortedStableFunc(slices.Values(f.Rows), byNodes)
	var libraries, peers []figures.Series
	// add adds a line with one value for each number of nodes, if there are values.
	add := func(lines *[]figures.Series, line figures.Series, value func(Row) float64) bool {
		for _, r := range rows {
			x, last := float64(r.nodes()), len(line.X)-1
			if v := value(r); v > 0 && (last < 0 || line.X[last] < x) {
				line.X, line.Y = append(line.X, x), append(line.Y, v)
			}
		}
		if len(line.X) > 0 {
			slope := slope(line.X, line.Y)
			line.Name, line.Points = line.Name+slope, true
			if line.Key != figures.NoKey {
				line.Key += slope
			}
			*lines = append(*lines, line)
		}
		return len(line.X) > 0
	}
	models, keyed := f.models(), make(map[string]bool)
	colours := coloursOf(models)
	for i, machine := range machines {
		suffix := ""
		if len(machines) > 1 {
			suffix = ", " + machine
		}
		for j, model := range models {
			of := func(k int) figures.Style { return figures.Style{Colour: colours[j], Dash: dashes[i%2][k]} }
			value := func(r Row) (ours, peer float64) {
				if r.Model != model || r.machine() != machine {
					return 0, 0
				}
				return pair(r)
			}
			library := figures.Series{Name: modelName(model) + ", library" + suffix, Key: modelName(model) + suffix,
				Style: of(0)}
			add(&libraries, library, func(r Row) float64 { ours, _ := value(r); return ours })
			for k, v := range []string{dense, implicit} {
				name := fmt.Sprintf("%s, %s peer%s", modelName(model), v, suffix)
				peer := figures.Series{Name: name, Key: fmt.Sprintf("%s peer%s (%s)", v, suffix, dashNames[i%2][k]),
					Style: of(1 + k)}
				key := peer.Key
				if keyed[key] { // one entry for all models
					peer.Key = figures.NoKey
				}
				drawn := add(&peers, peer, func(r Row) float64 {
					if _, peer := value(r); r.Variant == v && !r.OutOfMemory {
						return peer
					}
					return 0
				})
				keyed[key] = keyed[key] || drawn
			}
		}
	}
	return figures.Lines(axes, append(libraries, peers...)...)
}

// coloursOf returns a colour for each model: the paper's, or for further models of one colour a free one. Dashes, which
// tell such models apart elsewhere, show here who computes, and where.
func coloursOf(models []string) []figures.Colour {
	colours := make([]figures.Colour, len(models))
	for j, model := range models {
		if style, ok := paper.StyleOf(model); ok && !slices.Contains(colours, style.Colour) {
			colours[j] = style.Colour
		}
	}
	free := figures.Blue
	for j := range colours {
		for free < figures.Grey && slices.Contains(colours, free) {
			free++
		}
		if colours[j] == figures.ByIndex {
			colours[j] = free
		}
	}
	return colours
}

// slope returns the end of a line's name, with the slope if at least two points are in its fit.
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

// outOfMemory marks, for each model, the smallest size at which the peer ran out of memory.
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
	for _, n := range slices.Sorted(maps.Keys(names)) {
		name := fmt.Sprintf("peer out of memory at %d: %s", n, strings.Join(names[n], ", "))
		marks = append(marks, figures.Mark{Name: name, X: float64(n)})
	}
	return marks
}

// nodes returns the number of nodes of the grid, the next square number.
func (r Row) nodes() int { return graphs.Side(r.N) * graphs.Side(r.N) }

func (f File) machines() []string { return distinct(f.Rows, Row.machine) }

func (f File) models() []string { return distinct(f.Rows, func(r Row) string { return r.Model }) }

// distinct returns the distinct values of rows in order of appearance.
func distinct[R any, V comparable](rows []R, of func(R) V) (values []V) {
	for _, r := range rows {
		if v := of(r); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// modelName returns the paper's name of a vector field.
func modelName(field string) string {
	names := map[string]string{"peng": "PENG-CDE", "affine": "PENG-CDE affine", "original": "Original GN-CDE",
		"pre-mult": "Pre-Mult GN-CDE", "adjacency": "Adjacency GN-CDE", "gn-ode": "GN-ODE", "constant": "Constant"}
	return cmp.Or(names[field], field)
}
