package law

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// ErrInput is wrapped by errors about windows that cannot be used to fit or measure a law.
var ErrInput = errs.ErrInput

func invalid(format string, args ...any) error {
	return errs.New(ErrInput, "pengcde/law: %s", fmt.Sprintf(format, args...))
}

// Law is a linear equation of one number for each node of a graph, in the units of its series. See the package
// documentation. The zero value is dx = 0.
type Law struct {
	// Terms act on x - Offset, one for each map of A and of its changes.
	Terms  []Term
	Offset float64
	// State is the coefficient of x - Offset itself. StateSize is the root mean square of its contribution to dx/dt.
	State, StateSize float64
}

// Term is one map of a [Law].
type Term struct {
	Map equivariant.Map
	// Change means that the map is of the change of A at an event, else of A.
	Change bool
	// Coefficient multiplies the map of the adjacency in the units of the series. It has the unit 1/time for a map of
	// A, and no unit for a map of a change.
	Coefficient float64
	// Size is the root mean square, over nodes and observations, of the term's contribution to dx/dt or, for a change,
	// to x at an event.
	Size float64
}

// String names the map of the term and its matrix, A or the change of A.
func (t Term) String() string {
	if t.Change {
		return t.Map.String() + " of the change of A"
	}
	return t.Map.String() + " of A"
}

// Coefficient returns the coefficient of a map of A or, with change, of its changes. It returns 0 for a map that is not
// in the law.
func (l Law) Coefficient(m equivariant.Map, change bool) float64 {
	for _, t := range l.Terms {
		if t.Map == m && t.Change == change {
			return t.Coefficient
		}
	}
	return 0
}

// String prints the equation, one term per line, with the size of each.
func (l Law) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dx/dt, and at an event the change of x, of x - %.3g:\n", l.Offset)
	width := 1
	for _, t := range l.Terms {
		width = max(width, len(t.String()))
	}
	line := func(coefficient float64, name string, size float64) {
		fmt.Fprintf(&b, "  %+9.4f  %-*s  adds %.3g\n", coefficient, width, name, size)
	}
	line(l.State, "x", l.StateSize)
	for _, t := range l.Terms {
		line(t.Coefficient, t.String(), t.Size)
	}
	return b.String()
}

// Measured returns the law with the sizes of its terms on whole series of one target per node. Maps of A that multiply
// each node by one number, total and trace on the diagonal, move into State by the mean of this number over snapshots.
func (l Law) Measured(windows []dyngraph.Window) (Law, error) {
	if len(windows) == 0 {
		return Law{}, invalid("a law measured by no windows, want whole series, which give the units")
	}
	measured := Law{Terms: slices.Clone(l.Terms), Offset: l.Offset, State: l.State}
	terms, multiples, states := make([]meanSquare, len(l.Terms)), make([]float64, len(l.Terms)), meanSquare{}
	snapshots := 0
	for _, w := range windows {
		if err := check(w); err != nil {
			return Law{}, err
		}
		s := w.Series
		ones := make([]float64, s.Nodes())
		floats.AddConst(1, ones)
		for at, targets := range w.Targets() {
			k := w.Start + at
			snapshots++
			for i, t := range l.Terms {
				if t.multiple() {
					multiples[i] += t.Map.Act(s.Pattern, s.Weights[k], ones)[0]
				}
			}
			if floats.HasNaN(targets) {
				continue
			}
			x := l.centred(targets)
			states.add(x)
			var change []float64
			if at > 0 {
				change = changeAt(s, k)
			}
			for i, t := range l.Terms {
				switch {
				case !t.Change:
					terms[i].add(t.Map.Act(s.Pattern, s.Weights[k], x))
				case change != nil:
					terms[i].add(t.Map.Act(s.Pattern, change, x))
				}
			}
		}
	}
	if states.count == 0 {
		return Law{}, invalid("a law measured by windows without a snapshot at which all targets are observed, want " +
			"at least one")
	}
	for i := range measured.Terms {
		t := &measured.Terms[i]
		t.Size = math.Abs(t.Coefficient) * terms[i].root()
		if t.multiple() {
			measured.State += t.Coefficient * multiples[i] / float64(snapshots)
		}
	}
	measured.Terms = slices.DeleteFunc(measured.Terms, Term.multiple)
	measured.StateSize = math.Abs(measured.State) * states.root()
	return measured, nil
}

// multiple reports whether the term multiplies each node by one number.
func (t Term) multiple() bool { return !t.Change && t.Map.MultipliesStates() }

// centred returns x - Offset.
func (l Law) centred(x []float64) []float64 {
	x = slices.Clone(x)
	floats.AddConst(-l.Offset, x)
	return x
}

// check returns an error for invalid series, and for windows that are not whole series of one target per node.
func check(w dyngraph.Window) error {
	err := w.Validate()
	if err == nil {
		err = w.Series.Validate()
	}
	if err != nil {
		return errs.In("pengcde/law", err, ErrInput)
	}
	if !w.Whole || w.Series.TargetSize != 1 {
		return invalid("series %q has %d targets a node (whole: %v), want one, of a whole series", w.Series.Name,
			w.Series.TargetSize, w.Whole)
	}
	if !w.Series.AllPresent() {
		return invalid("series %q has nodes that appear or leave, and laws are of graphs whose nodes stay: take a part of "+
			"the series in which all are present", w.Series.Name)
	}
	return nil
}

// changeAt returns the change of the weights at snapshot k of a series, or nil if they do not change.
func changeAt(s *dyngraph.Series, k int) []float64 {
	if slices.Equal(s.Weights[k], s.Weights[k-1]) {
		return nil
	}
	return floats.SubTo(make([]float64, len(s.Weights[k])), s.Weights[k], s.Weights[k-1])
}

// meanSquare accumulates a mean of squares.
type meanSquare struct {
	sum   float64
	count int
}

func (s *meanSquare) add(x []float64) { s.sum, s.count = s.sum+floats.Dot(x, x), s.count+len(x) }

func (s meanSquare) root() float64 { return math.Sqrt(s.sum / math.Max(1, float64(s.count))) }
