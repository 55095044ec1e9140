package dynamics_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

func simulate(t rapid.TB, p dynamics.Problem) [][]float64 {
	t.Helper()
	values, err := dynamics.Simulate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// own is dynamics whose nodes do not feel each other, on one edge with weights in two snapshots.
func own(rate func(t, x, weight float64) float64) dynamics.Problem {
	return dynamics.Problem{
		Dynamics: dynamics.Dynamics{Name: "own", Rate: func(t float64, x []float64, g *dynamics.Graph, dx []float64) {
			weight := 0.0
			if _, w := g.Row(0); len(w) > 0 {
				weight = w[0]
			}
			for i, v := range x {
				dx[i] = rate(t, v, weight)
			}
		}},
		Start: []float64{1}, Times: []float64{0, 0.313, 0.5, 1.1, 1.7, 2},
		Pattern: &dyngraph.Pattern{Nodes: 1, From: []int32{0}, To: []int32{0}}, Snapshots: [][]float64{{1}, {2}},
	}
}

func TestKnownSolutions(t *testing.T) {
	for _, c := range []struct {
		name  string
		rate  func(t, x, weight float64) float64
		exact func(t float64) float64
	}{
		{"decay", func(_, x, _ float64) float64 { return -x }, func(t float64) float64 { return math.Exp(-t) }},
		{"driven by time", func(t, _, _ float64) float64 { return math.Cos(5 * t) },
			func(t float64) float64 { return 1 + math.Sin(5*t)/5 }},
		{"logistic", func(_, x, _ float64) float64 { return x * (3 - x) },
			func(t float64) float64 { return 3 / (1 + 2*math.Exp(-3*t)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := own(c.rate)
			var steps, between, ends []float64
			for _, step := range []float64{0.2, 0.1, 0.05} {
				p.Step = step
				values := simulate(t, p)
				worst := 0.0
				for k, v := range values {
					worst = max(worst, math.Abs(v[0]-c.exact(p.Times[k])))
				}
				steps = append(steps, math.Log(step))
				between = append(between, math.Log(worst))
				ends = append(ends, math.Log(math.Abs(values[len(values)-1][0]-c.exact(2))))
			}
			_, orderBetween := stat.LinearRegression(steps, between, nil, false)
			_, orderEnds := stat.LinearRegression(steps, ends, nil, false)
			if orderBetween < 4.3 || orderEnds < 4.6 {
				t.Errorf("order %.2f between the ends of steps and %.2f at the end, want about 5", orderBetween,
					orderEnds)
			}
		})
	}
}

// Where the rate is the weight of the one edge, the states tell for how long each graph was in force.
func TestGraphInForce(t *testing.T) {
	p := own(func(_, _, weight float64) float64 { return weight })
	p.Index = []int{0, 0, 1, 1, 0, 0} // times 0, 0.313, 0.5, 1.1, 1.7, 2
	for _, c := range []struct {
		frozen bool
		want   []float64
	}{
		{false, []float64{1, 1.313, 1.5, 2.7, 3.9, 4.2}},
		{true, []float64{1, 1.313, 1.313, 2.513, 2.513, 2.813}},
	} {
		p.Frozen = c.frozen
		for k, v := range simulate(t, p) {
			if !(math.Abs(v[0]-c.want[k]) <= 1e-12) {
				t.Errorf("frozen %v: state %d is %.15g, want %g", c.frozen, k, v[0], c.want[k])
			}
		}
	}
	p.Times, p.Index, p.Frozen = p.Times[:3], []int{0, 1, 0}, true // each graph for a single time
	for k, v := range simulate(t, p) {
		if v[0] != 1 {
			t.Errorf("state %d is %g where nothing evolves, want 1", k, v[0])
		}
	}
}

// generated is a problem on a graph of n nodes drawn by rapid, with two snapshots.
func generated(t *rapid.T, d dynamics.Dynamics, n int, symmetric bool) dynamics.Problem {
	p := dynamics.Problem{Dynamics: d, Times: []float64{0, 0.1, 0.15, 0.4, 0.5}, Index: []int{0, 0, 1, 1, 1},
		Step: 0.02}
	var from, to []int
	var a, b []float64
	bit := rapid.Bool()
	for i := range n {
		for j := range n {
			if symmetric && j > i || !bit.Draw(t, "edge") {
				continue
			}
			in := []float64{rapid.Float64Range(0, 1).Draw(t, "weight"), rapid.Float64Range(0, 1).Draw(t, "weight")}
			from, to, a, b = append(from, i), append(to, j), append(a, in[0]), append(b, in[1])
			if symmetric && i != j {
				from, to, a, b = append(from, j), append(to, i), append(a, in[0]), append(b, in[1])
			}
		}
	}
	p.Start = rapid.SliceOfN(rapid.Float64Range(0, 1), n*d.States(), n*d.States()).Draw(t, "start")
	p.Start[0] = max(p.Start[0], 0.1) // with tiny states alone wealth, whose slope x^0.6 is steep at 0, wants tiny steps
	return onEdges(t, p, n, from, to, a, b)
}

// onEdges gives p two snapshots with weights a and b on listed edges.
func onEdges(t rapid.TB, p dynamics.Problem, n int, from, to []int, a, b []float64) dynamics.Problem {
	pattern, index, err := dyngraph.NewPattern(n, from, to)
	if err != nil {
		t.Fatal(err)
	}
	p.Pattern, p.Snapshots = pattern, [][]float64{make([]float64, len(from)), make([]float64, len(from))}
	for k, e := range index {
		p.Snapshots[0][e], p.Snapshots[1][e] = a[k], b[k]
	}
	return p
}

// smooth are the shipped dynamics but Opinion, whose sums may lie within rounding of the threshold.
var smooth = []dynamics.Dynamics{
	dynamics.Heat, dynamics.GeneCoded, dynamics.GenePrinted, dynamics.GeneMichaelisMenten, dynamics.Wealth(-0.1, 0.5),
	dynamics.Mutualistic, dynamics.SIR(0.25, 0.7), dynamics.Contact(0.1, 0.2),
}

func TestRelabelling(t *testing.T) {
	const n = 7
	for _, d := range smooth {
		t.Run(d.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := generated(t, d, n, false)
				label := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6}).Draw(t, "label")
				relabel := func(x []float64) []float64 {
					moved := make([]float64, len(x))
					for i := range x {
						moved[label[i/d.States()]*d.States()+i%d.States()] = x[i]
					}
					return moved
				}
				var from, to []int
				for e := range p.Pattern.From {
					from, to = append(from, label[p.Pattern.From[e]]), append(to, label[p.Pattern.To[e]])
				}
				q := onEdges(t, p, n, from, to, p.Snapshots[0], p.Snapshots[1])
				q.Start = relabel(p.Start)
				got := simulate(t, q)
				for k, value := range simulate(t, p) {
					if !floats.EqualApprox(got[k], relabel(value), 1e-11) {
						t.Fatalf("state %d is %v, want %v", k, got[k], relabel(value))
					}
				}
			})
		})
	}
}

func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := generated(t, dynamics.Heat, 7, true)
		for k, value := range simulate(t, p) {
			if !(math.Abs(floats.Sum(value)-floats.Sum(p.Start)) <= 1e-12) {
				t.Fatalf("heat %.17g at time %d, want %.17g", floats.Sum(value), k, floats.Sum(p.Start))
			}
		}
		p = generated(t, dynamics.SIR(0.3, 0.3), 5, false)
		for k, value := range simulate(t, p) {
			for u := range 5 {
				if !(math.Abs(floats.Sum(value[3*u:3*u+3])-floats.Sum(p.Start[3*u:3*u+3])) <= 1e-12) {
					t.Fatalf("S + I + R of node %d changed by time %d", u, k)
				}
			}
		}
	})
}

// A graph of one edge 0 -> 1, by hand.
func TestMutualistic(t *testing.T) {
	g, err := dynamics.NewGraph(&dyngraph.Pattern{Nodes: 2, From: []int32{0}, To: []int32{1}}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 2)
	dynamics.Mutualistic.Rate(0, []float64{2, 3}, g, got)
	fixture.Close(t, "rate", got, []float64{0.1 + 2*0.6*1 + 6/(5+2.7+0.2), 0.1 + 3*0.4*2}, 1e-15)
}

// Next to nothing with a steep rate beside it leads stages below 0, where no power is.
func TestWealthNearZero(t *testing.T) {
	chain := dynamics.Problem{Dynamics: dynamics.Wealth(0, 1), Start: []float64{33, 1e-20, 0, 0, 0, 0, 0, 0, 0},
		Times: []float64{0, 1}}
	var from, to []int
	for i := range 8 {
		from, to = append(from, i, i+1), append(to, i+1, i)
	}
	ones := slices.Repeat([]float64{1}, 16)
	for u, v := range simulate(t, onEdges(t, chain, 9, from, to, ones, ones))[1] {
		if !(v > 0) {
			t.Errorf("wealth of node %d is %g, want more than 0", u, v)
		}
	}
}

func TestAbsentEdges(t *testing.T) {
	g, err := dynamics.NewGraph(&dyngraph.Pattern{Nodes: 3, From: []int32{0, 0, 2}, To: []int32{1, 2, 0}},
		[]float64{0, 4, -1})
	if err != nil {
		t.Fatal(err)
	}
	to, weights := g.Row(0)
	if g.Nodes() != 3 || g.Edges() != 2 || !slices.Equal(to, []int32{2}) || !slices.Equal(weights, []float64{4}) {
		t.Errorf("%d nodes, %d edges, row 0 %v %v, want 3, 2, [2] [4]", g.Nodes(), g.Edges(), to, weights)
	}
}

func TestBadProblems(t *testing.T) {
	with := func(change func(*dynamics.Problem)) dynamics.Problem {
		p := own(func(_, x, _ float64) float64 { return -x })
		change(&p)
		return p
	}
	for name, p := range map[string]dynamics.Problem{
		"nothing":           {},
		"no rate":           with(func(p *dynamics.Problem) { p.Dynamics.Rate = nil }),
		"no pattern":        with(func(p *dynamics.Problem) { p.Pattern = nil }),
		"no nodes":          with(func(p *dynamics.Problem) { p.Pattern, p.Start = &dyngraph.Pattern{}, nil }),
		"no snapshots":      with(func(p *dynamics.Problem) { p.Snapshots = nil }),
		"short snapshot":    with(func(p *dynamics.Problem) { p.Snapshots = [][]float64{{}} }),
		"NaN weight":        with(func(p *dynamics.Problem) { p.Snapshots[0][0] = math.NaN() }),
		"edge outside":      with(func(p *dynamics.Problem) { p.Pattern.To[0] = 1 }),
		"too many states":   with(func(p *dynamics.Problem) { p.Start = []float64{1, 2} }),
		"infinite state":    with(func(p *dynamics.Problem) { p.Start[0] = math.Inf(1) }),
		"no times":          with(func(p *dynamics.Problem) { p.Times = nil }),
		"times in disorder": with(func(p *dynamics.Problem) { slices.Reverse(p.Times) }),
		"equal times":       with(func(p *dynamics.Problem) { p.Times[1] = 0 }),
		"NaN time":          with(func(p *dynamics.Problem) { p.Times[1] = math.NaN() }),
		"short index":       with(func(p *dynamics.Problem) { p.Index = []int{0} }),
		"index outside":     with(func(p *dynamics.Problem) { p.Index = []int{0, 0, 0, 0, 0, 2} }),
		"negative step":     with(func(p *dynamics.Problem) { p.Step = -0.01 }),
		"NaN step":          with(func(p *dynamics.Problem) { p.Step = math.NaN() }),
		"endless steps":     with(func(p *dynamics.Problem) { p.Step = 1e-300 }),
	} {
		if values, err := dynamics.Simulate(context.Background(), p); !errors.Is(err, dynamics.ErrInput) ||
			values != nil {
			t.Errorf("%s: %v, %v, want ErrInput", name, values, err)
		}
	}
}

func TestNotFinite(t *testing.T) {
	p := own(func(t, _, _ float64) float64 { return math.Sqrt(1 - t) })
	_, err := dynamics.Simulate(context.Background(), p)
	if !errors.Is(err, dynamics.ErrNotFinite) {
		t.Fatalf("error %v, want ErrNotFinite", err)
	}
	_, where, _ := strings.Cut(err.Error(), ": channel 0 of node 0 is NaN at time ")
	var time float64
	if _, err := fmt.Sscanf(where, "%g,", &time); err != nil || time < 0.99 || time > 1.02 {
		t.Errorf("%q says time %g, want channel 0 of node 0 at about 1", where, time)
	}
}

// The hub of a star with n rays has the eigenvalue n+1. Long steps must not end in large finite numbers.
func TestStepTooLong(t *testing.T) {
	for rays, good := range map[int]bool{20: true, 100: true, 200: true, 360: false, 400: false, 1000: false,
		20000: false} {
		p := dynamics.Problem{Dynamics: dynamics.Heat, Start: make([]float64, rays+1), Times: []float64{0, 5}}
		p.Start[0] = 1
		var from, to []int
		for i := range rays {
			from, to = append(from, 0, i+1), append(to, i+1, 0)
		}
		ones := slices.Repeat([]float64{1}, 2*rays)
		p = onEdges(t, p, rays+1, from, to, ones, ones)
		values, err := dynamics.Simulate(context.Background(), p)
		if good && (err != nil || floats.Max(values[1]) > 1) || !good && !errors.Is(err, dynamics.ErrStep) {
			t.Errorf("%d rays: error %v, want one: %v", rays, err, !good)
		}
	}
	p := own(func(_, x, _ float64) float64 { return x * x }) // x = 1/(1-t)
	if _, err := dynamics.Simulate(context.Background(), p); !errors.Is(err, dynamics.ErrStep) {
		t.Errorf("error %v beyond a pole, want ErrStep", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	p := own(func(_, x, _ float64) float64 {
		if calls++; calls == 50 {
			cancel()
		}
		return -x
	})
	if _, err := dynamics.Simulate(ctx, p); !errors.Is(err, context.Canceled) || calls > 60 {
		t.Errorf("error %v after %d evaluations, want context.Canceled soon after 50", err, calls)
	}
}
