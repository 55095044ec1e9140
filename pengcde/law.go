package pengcde

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// LinearLaw is the configuration of a model that is a linear equation in the targets themselves,
//
//	dx = L(A) (x - x0) dt + L'(dA) (x - x0)
//
// with L and L' mixed from the published maps of the adjacency: 22 parameters, which [Model.Law] reads off. It fits
// whole series of one feature of each node whose targets are that feature.
func LinearLaw(nodes int) Config {
	return Config{Nodes: nodes, Features: 1, GraphOnly: true, LinearCoders: true, Hidden: 1, Layers: 1,
		Field: field.PENG{DerivativeIn: field.LastLayer, LocalScale: true,
			Style: field.Style{Norm: nn.Norm{Over: nn.NoNorm}}},
		Normalise: dyngraph.MeanDegree, Path: path.Ramp, Adaptive: &ode.PID{}}
}

// Law is the equation that a model of [LinearLaw] has learnt, in the units of the series.
type Law struct {
	// Terms act on x - Offset, one for each map of A and of A'. Maps that multiply each node by one number, total and
	// trace on the diagonal, are in State.
	Terms  []LawTerm
	Offset float64
	// State is the coefficient of x - Offset itself, with the mean over snapshots of the total and the trace of A, and
	// StateSize what it adds to dx/dt, root mean square.
	State, StateSize float64
}

// LawTerm is one map of a [Law].
type LawTerm struct {
	Map equivariant.Map
	// Change says that the map is of the change of A at an event, else of A.
	Change bool
	// Coefficient multiplies the map of the adjacency as the series has it.
	Coefficient float64
	// Size is the root mean square, over nodes and observations, of what the term adds to dx/dt or, of a change, to x at
	// an event.
	Size float64
}

// String names the term: the map, and what it is of.
func (t LawTerm) String() string {
	if t.Change {
		return t.Map.String() + " of the change of A"
	}
	return t.Map.String() + " of A"
}

// Coefficient is that of a map of A or, with change, of its changes; 0 for a map that the law lacks.
func (l Law) Coefficient(m equivariant.Map, change bool) float64 {
	for _, t := range l.Terms {
		if t.Map == m && t.Change == change {
			return t.Coefficient
		}
	}
	return 0
}

// String is the equation, a term a line, with what each adds.
func (l Law) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dx/dt, and at an event the change of x, of x - %.3g:\n", l.Offset)
	fmt.Fprintf(&b, "  %+9.4f  x                                 adds %.3g\n", l.State, l.StateSize)
	for _, t := range l.Terms {
		fmt.Fprintf(&b, "  %+9.4f  %-32s  adds %.3g\n", t.Coefficient, t, t.Size)
	}
	return b.String()
}

// Law reads the equation off a model of [LinearLaw] by the graphs and targets of whole series, which give the units.
// With other options of the field, or more than one state, hidden layer or target, the error wraps [ErrInput].
func (m *Model) Law(windows []dyngraph.Window) (Law, error) {
	f, ok := m.config.Field.(field.PENG)
	if c := m.config; !ok || c.Hidden != 1 || c.Layers != 1 || c.Outputs != 1 || !c.LinearCoders || !c.GraphOnly ||
		c.Normalise != dyngraph.MeanDegree || f.Style.Norm.Over != nn.NoNorm || f.Style.Linear || f.Style.Feedback ||
		f.DerivativeIn != field.LastLayer || f.DerivativeMaps != nil {
		return Law{}, invalid("the law of a model with another configuration: make it with LinearLaw")
	}
	if len(windows) == 0 {
		return Law{}, invalid("the law by no windows, want whole series, which give the units")
	}
	maps := f.Maps
	if maps == nil {
		maps = equivariant.Published8()
	}
	read := func(name string) float64 { return m.mustParameter(name)[0] }
	weight, bias := read("field.layers.0.linear.weight"), read("field.layers.0.linear.bias")
	out, shift := read("readout.weight"), read("readout.bias")
	law := Law{Offset: shift - out*bias/weight}
	mixing, sizes, degree := m.mustParameter("field.layers.0.maps"), newLawSizes(len(maps)), 0.0
	for _, w := range windows {
		if err := m.check(w); err != nil {
			return Law{}, err
		}
		if !w.Whole || w.Series.TargetSize != 1 {
			return Law{}, invalid("series %q has %d targets a node (whole: %v), want one, of a whole series", w.Series.Name,
				w.Series.TargetSize, w.Whole)
		}
		degree += w.Series.Pattern.MeanDegreeOf(w.Series.Weights) / float64(len(windows))
		sizes.add(w.Series, maps, law.Offset)
	}
	law.State = weight
	for side, change := range []bool{false, true} {
		for k, one := range maps {
			share := mixing[2*k+side]
			if one == equivariant.IdentityMap {
				share++
			}
			coefficient := weight * share * f.ScaleOf(one, m.config.Nodes) / degree
			if one.MultipliesStates() && !change {
				law.State += coefficient * sizes.multiple(k)
				continue
			}
			law.Terms = append(law.Terms, LawTerm{Map: one, Change: change, Coefficient: coefficient,
				Size: math.Abs(coefficient) * sizes.of(side, k)})
		}
	}
	law.StateSize = math.Abs(law.State) * sizes.states.root()
	return law, nil
}

// meanSquare sums squares.
type meanSquare struct {
	sum   float64
	count int
}

func (s *meanSquare) add(x []float64) { s.sum, s.count = s.sum+floats.Dot(x, x), s.count+len(x) }

func (s meanSquare) root() float64 { return math.Sqrt(s.sum / math.Max(1, float64(s.count))) }

// lawSizes are the sizes of maps of A and of its changes acting on observed states.
type lawSizes struct {
	maps      [2][]meanSquare
	multiples []meanSquare // sums, not squares, of what maps multiply every state by
	states    meanSquare
}

func newLawSizes(maps int) *lawSizes {
	return &lawSizes{maps: [2][]meanSquare{make([]meanSquare, maps), make([]meanSquare, maps)},
		multiples: make([]meanSquare, maps)}
}

func (s *lawSizes) of(side, k int) float64 { return s.maps[side][k].root() }

func (s *lawSizes) multiple(k int) float64 {
	return s.multiples[k].sum / math.Max(1, float64(s.multiples[k].count))
}

// add takes the observations of a series.
func (s *lawSizes) add(series *dyngraph.Series, maps []equivariant.Map, offset float64) {
	one := make([]float64, series.Nodes())
	floats.AddConst(1, one)
	for k, targets := range series.Targets {
		states := append([]float64{}, targets...)
		floats.AddConst(-offset, states)
		if floats.HasNaN(states) {
			continue
		}
		s.states.add(states)
		change := make([]float64, len(series.Weights[k]))
		changed := false
		if k > 0 {
			floats.SubTo(change, series.Weights[k], series.Weights[k-1])
			changed = floats.Norm(change, math.Inf(1)) > 0
		}
		for i, m := range maps {
			if m.MultipliesStates() {
				s.multiples[i].sum += m.Act(series.Pattern, series.Weights[k], one)[0]
				s.multiples[i].count++
			}
			s.maps[0][i].add(m.Act(series.Pattern, series.Weights[k], states))
			if changed {
				s.maps[1][i].add(m.Act(series.Pattern, change, states))
			}
		}
	}
}

// mustParameter is a parameter that the configuration declares.
func (m *Model) mustParameter(name string) []float64 {
	values, ok := m.Parameter(name)
	if !ok {
		panic(fmt.Sprintf("pengcde: no parameter %q", name))
	}
	return values
}
