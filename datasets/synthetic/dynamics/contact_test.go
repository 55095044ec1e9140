package dynamics_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// pair is two nodes whose undirected edge appears at time 1 and goes at time 2.
func pair(diffusion, kappa float64) dynamics.Problem {
	return dynamics.Problem{Dynamics: dynamics.Contact(diffusion, kappa), Start: []float64{7, 3},
		Times: []float64{0, 1, 1.75, 2, 3}, Index: []int{0, 1, 1, 2, 2},
		Pattern:   &dyngraph.Pattern{Nodes: 2, From: []int32{0, 1}, To: []int32{1, 0}},
		Snapshots: [][]float64{{0, 0}, {1, 1}, {0, 0}}}
}

// The sum of a pair stays; its difference falls by exp(-2κ) when the edge appears, as exp(-0.2 t) while it is there,
// and grows by exp(2κ) when it goes.
func TestContactPair(t *testing.T) {
	for _, kappa := range []float64{0, 0.2, 1, -0.3} {
		appears, there := math.Exp(-2*kappa), func(t float64) float64 { return math.Exp(-0.2 * t) }
		for frozen, want := range map[bool][]float64{
			false: {4, 4 * appears, 4 * appears * there(0.75), 4 * there(1), 4 * there(1)},
			true:  {4, 4 * appears, 4 * appears * there(0.75), 4 * there(0.75), 4 * there(0.75)},
		} {
			p := pair(0.1, kappa)
			p.Frozen = frozen
			for k, v := range simulate(t, p) {
				fixture.Close(t, "state", v, []float64{5 + want[k]/2, 5 - want[k]/2}, 1e-10)
			}
		}
	}
}

// exponential is exp(-rate L) x for the Laplacian L = D - A of dense weights.
func exponential(rate float64, weights *mat.Dense, x []float64) []float64 {
	n, _ := weights.Dims()
	generator := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			generator.Set(i, j, generator.At(i, j)+rate*weights.At(i, j))
			generator.Set(i, i, generator.At(i, i)-rate*weights.At(i, j))
		}
	}
	var flow mat.Dense
	flow.Exp(generator)
	y := mat.NewVecDense(n, nil)
	y.MulVec(&flow, mat.NewVecDense(n, x))
	return slices.Clone(y.RawVector().Data)
}

// dense is snapshot k of a problem.
func dense(p dynamics.Problem, k int) *mat.Dense {
	n := p.Pattern.Nodes
	a := mat.NewDense(n, n, nil)
	for e, from := range p.Pattern.From {
		a.Set(int(from), int(p.Pattern.To[e]), p.Snapshots[k][e])
	}
	return a
}

// On any weighted directed graph with self-loops, between events and at them, states agree with matrix exponentials.
func TestContactIsExponential(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const diffusion, kappa = 0.4, 0.7
		p := generated(t, dynamics.Contact(diffusion, kappa), 6, false) // graphs change at the third of five times
		p.Dynamics.Growth = 0
		var change mat.Dense
		change.Sub(dense(p, 1), dense(p, 0))
		at := func(from, to int) float64 { return diffusion * (p.Times[to] - p.Times[from]) }
		before := exponential(at(0, 2), dense(p, 0), p.Start)
		after := exponential(kappa, &change, before)
		got := simulate(t, p)
		for k, want := range [][]float64{p.Start, exponential(at(0, 1), dense(p, 0), p.Start), after,
			exponential(at(2, 3), dense(p, 1), after), exponential(at(2, 4), dense(p, 1), after)} {
			if !floats.EqualApprox(got[k], want, 1e-9) {
				t.Fatalf("state %d is %v, want %v", k, got[k], want)
			}
		}
	})
}

// The sum stays where graphs are symmetric, and a change lets no state grow beyond exp(2κℓ), ℓ the largest weight lost.
func TestContactConservesAndIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const kappa = 0.8
		p := generated(t, dynamics.Contact(0.1, kappa), 7, true)
		p.Dynamics.Growth = 0
		values, lost := simulate(t, p), make([]float64, 7)
		for k, value := range values {
			if !(math.Abs(floats.Sum(value)-floats.Sum(p.Start)) <= 1e-11) {
				t.Fatalf("sum %.17g at time %d, want %.17g", floats.Sum(value), k, floats.Sum(p.Start))
			}
		}
		for e, from := range p.Pattern.From {
			if p.Pattern.To[e] != from {
				lost[from] += max(0, p.Snapshots[0][e]-p.Snapshots[1][e])
			}
		}
		most := floats.Max(p.Start) * math.Exp(2*kappa*floats.Max(lost))
		if got := floats.Norm(values[2], math.Inf(1)); got > most+1e-11 {
			t.Fatalf("largest state %g after the change, want at most %g", got, most)
		}
	})
}

// Without exchange at contact it is heat at another clock, to the bit at equal steps.
func TestContactWithoutExchange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := generated(t, dynamics.Contact(1, 0), 7, false)
		got := simulate(t, p)
		p.Dynamics = dynamics.Heat
		for k, want := range simulate(t, p) {
			if !slices.Equal(got[k], want) {
				t.Fatalf("state %d is %v, want %v", k, got[k], want)
			}
		}
	})
}

// A smaller tolerance makes a smaller error, in proportion.
func TestContactTolerance(t *testing.T) {
	p := pair(0.1, 3)
	p.Times, p.Index = p.Times[:2], p.Index[:2]
	var tolerances, errors []float64
	for _, tolerance := range []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9} {
		p.Tolerance = tolerance
		v := simulate(t, p)[1]
		off := math.Abs(v[0] - v[1] - 4*math.Exp(-6))
		if off > 10*4*tolerance {
			t.Errorf("tolerance %g: error %g", tolerance, off)
		}
		tolerances, errors = append(tolerances, math.Log(tolerance)), append(errors, math.Log(off))
	}
	if _, slope := stat.LinearRegression(tolerances, errors, nil, false); slope < 0.8 {
		t.Errorf("errors fall as the power %.2f of the tolerance, want about 1", slope)
	}
}

// What a change lets grow beyond bounds is refused with where and why.
func TestContactGrowth(t *testing.T) {
	p := pair(0.1, 2) // 2 exp(2κ) of the mean's 5
	p.Times, p.Index = []float64{0, 1}, []int{1, 0}
	_, err := dynamics.Simulate(context.Background(), p)
	if !errors.Is(err, dynamics.ErrGrowth) {
		t.Fatalf("error %v, want ErrGrowth", err)
	}
	for _, want := range []string{"datasets/synthetic/dynamics: contact: node 0 has 94.", "at time 1",
		"loses edges of weight 1", "start is 7", "at most 10 times"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	p.Dynamics.Growth = 0
	if v := simulate(t, p)[1]; v[0] < 90 {
		t.Errorf("states %v without a bound", v)
	}
}

// Changes that no steps solve are errors.
func TestContactFails(t *testing.T) {
	with := func(kappa float64, change func(*dynamics.Problem)) dynamics.Problem {
		p := pair(0.1, kappa)
		change(&p)
		return p
	}
	as := func(change dynamics.Rate) func(*dynamics.Problem) {
		return func(p *dynamics.Problem) { p.Dynamics.Change = change }
	}
	for name, c := range map[string]struct {
		problem dynamics.Problem
		want    error
		says    string
	}{
		"negative tolerance": {with(1, func(p *dynamics.Problem) { p.Tolerance = -1 }), dynamics.ErrInput, "tolerance -1"},
		"NaN tolerance":      {with(1, func(p *dynamics.Problem) { p.Tolerance = math.NaN() }), dynamics.ErrInput, "NaN"},
		"below rounding":     {with(1, func(p *dynamics.Problem) { p.Tolerance = 1e-19 }), dynamics.ErrInput, "1e-19"},
		"NaN kappa":          {with(math.NaN(), func(*dynamics.Problem) {}), dynamics.ErrNotFinite, "node 0 is NaN"},
		"beyond a pole": {with(1, as(func(_ float64, x []float64, _ *dynamics.Graph, dx []float64) { // x = 1/(1/x0 - s)
			dx[0], dx[1] = x[0]*x[0], 0
		})), dynamics.ErrStep, "no step from 0.142"},
		"no value beyond 1/2": {with(1, as(func(s float64, _ []float64, _ *dynamics.Graph, dx []float64) {
			dx[0], dx[1] = math.Sqrt(0.5-s), 0
		})), dynamics.ErrNotFinite, "change of the graph at time 1"},
	} {
		values, err := dynamics.Simulate(context.Background(), c.problem)
		if !errors.Is(err, c.want) || values != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want %v with %q", name, values, err, c.want, c.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := with(1, as(func(float64, []float64, *dynamics.Graph, []float64) { cancel() }))
	if _, err := dynamics.Simulate(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
