package pengcde

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// leaving is ring with newest values, in which node 1 appears at snapshot 4, node 3 is away at 3 and 4, and node 5
// leaves at 6. change changes it before absent nodes lose their values.
func leaving(t *testing.T, change func(s *dyngraph.Series)) *dyngraph.Series {
	t.Helper()
	s := ring(t)
	s.LastObserved, s.RecentMean = s.Targets, s.Targets
	if change != nil {
		change(s)
	}
	present := make([][]bool, len(s.Times))
	for k := range present {
		present[k] = []bool{true, k >= 4, true, k < 3 || k > 4, true, k < 6}
	}
	s, err := s.WithPresence(present)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sameForecasts compares forecasts of which some are NaN.
func sameForecasts(a, b []float64, tolerance float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Abs(x-y) <= tolerance || math.IsNaN(x) && math.IsNaN(y)
	})
}

// presenceModels are models of all kinds that take presence.
func presenceModels() map[string]func(*Config) {
	models := map[string]func(*Config){
		"network DCRNN":  inSteps(rivals.DCRNN{Hidden: 4}, 0),
		"network ASTGCN": inSteps(rivals.ASTGCN{Filters: 4}, 7),
		"linear part":    func(c *Config) { c.Head = head.Corrected{Linear: head.Linear{Values: 7}} },
		"residual":       func(c *Config) { c.Head = head.Nodes{Residual: true} },
		"sum":            func(c *Config) { c.Field, c.Normalise = field.GNODE{}, dyngraph.NormalisedAdjacency },
		"graph only":     func(c *Config) { c.GraphOnly, c.Field = true, field.Affine() },
		"dense":          func(c *Config) { c.Product = equivariant.Dense },
		"sparse":         func(c *Config) { c.Product = equivariant.Sparse },
		"mask":           func(c *Config) { c.Mask = path.Counted },
		"adaptive":       func(c *Config) { c.Step, c.Adaptive = 0, &ode.PID{RTol: 1e-4, ATol: 1e-6} },
		"own field":      func(c *Config) { c.Field = meanField{} },
	}
	for _, f := range []field.Field{field.PENG{}, field.Affine(), field.Original{}, field.Adjacency{}, field.PreMult{},
		field.GNODE{}, field.Constant{}, rivals.STGNCDE{}} {
		models[fmt.Sprintf("%T %v", f, f)] = func(c *Config) { c.Field, c.Layers = f, 2 }
	}
	for _, kind := range []path.Kind{path.Linear, path.Rectilinear, path.Natural, path.Ramp} {
		models["path "+string(kind)] = func(c *Config) { c.Path, c.Field = kind, field.Affine() }
	}
	return models
}

// inSteps makes the configuration of a network in discrete steps.
func inSteps(n sequence.Network, inputs int) func(*Config) {
	return func(c *Config) { c.Network, c.Inputs, c.Hidden, c.Layers, c.Equation = n, inputs, 0, 0, Equation{} }
}

// meanField is a field of a user, which moves every state to the mean over the nodes.
type meanField struct{}

func (meanField) Params() []nn.Param { return field.Constant{Hidden: 4}.Params() }

func (meanField) Derivative(v nn.Values, c *field.Control, t, z *Node) *Node {
	mean := ReduceAndKeep(z, ReduceMean, 1)
	a, _, _ := c.At(t)
	return Add(Add(Sub(mean, z), a.Apply(z)), v.Spread(v.Get("field.bias"), z))
}

func presenceModel(t *testing.T, backend *xla.Backend, change func(*Config)) *Model {
	return ringModelOn(t, backend, func(c *Config) {
		c.Float64 = true
		change(c)
	})
}

// A window of leaving: node 1 appears at time 3, node 3 is away from 2 to 4, node 5 leaves at 5.
const leavingStart, leavingLength = 1, 8

// Nothing knows of a node before it appears: neither of its features, for any path, nor of its edges, which as all
// observations shape a path from the interval that ends at them. Natural splines alone depend on all knots.
func TestNoKnowledgeOfANodeBeforeItAppears(t *testing.T) {
	backend, ctx := xlatest.Go(t), context.Background()
	later := func(edges bool) func(s *dyngraph.Series) {
		return func(s *dyngraph.Series) {
			for k := 4; k < len(s.Times); k++ {
				s.Features[k][2], s.Targets[k][1] = 5-3*s.Features[k][2], 1e9
				if k >= 6 {
					s.Features[k][10], s.Targets[k][5] = 1e9, 1e9
				}
				if edges {
					s.Weights[k][0], s.Weights[k][1] = 7, 1 // 0 -> 1 and 1 -> 2
				}
			}
		}
	}
	for name, change := range presenceModels() {
		if strings.HasPrefix(name, "network") || name == "linear part" { // forecasts at the end alone
			continue
		}
		m := presenceModel(t, backend, change)
		times := []float64{0, 1.5, 2, 3, 6}
		at := func(change func(s *dyngraph.Series)) dyngraph.Forecasts {
			y, err := m.Predict(ctx, dyngraph.Window{Series: leaving(t, change), Start: leavingStart, Length: leavingLength},
				times)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return y
		}
		before := at(nil)
		for u, absent := range []bool{false, true, false, true, false, false} {
			if math.IsNaN(before.At(2, u, 0)) != absent && name != "residual" { // which needs a recent mean at the end
				t.Errorf("%s: at time 2 the forecast of node %d is %g, absent: %t", name, u, before.At(2, u, 0), absent)
			}
		}
		if y := before.At(4, 5, 0); !math.IsNaN(y) || math.IsNaN(before.At(4, 1, 0)) {
			t.Errorf("%s: at the end node 5 has %g, and node 1 %g", name, y, before.At(4, 1, 0))
		}
		for edges, last := range map[bool]int{false: 3, true: 2} {
			if edges && name == "path natural" {
				continue
			}
			after := at(later(edges))
			for i := range times[:last+1] {
				own := slices.Clone(after.Row(i))
				if i == 3 {
					own[1] = before.At(3, 1, 0) // it is there, with the features of then
				}
				if !sameForecasts(before.Row(i), own, 1e-12) {
					t.Errorf("%s, edges %t: at time %g forecasts are %v, and %v after a change later", name, edges, times[i],
						before.Row(i), own)
				}
			}
		}
	}
}

// Presence commutes with a relabelling of nodes, and absent nodes have no influence.
func TestRelabellingWithPresence(t *testing.T) {
	backend := xlatest.Go(t)
	series, order := leaving(t, nil), []int{3, 0, 5, 1, 4, 2} // node u becomes order[u]
	relabelled := relabelledSeries(t, series, order)
	for name, change := range presenceModels() {
		if strings.Contains(name, "PreMult") || strings.Contains(name, "STGNCDE") || strings.Contains(name, "ASTGCN") {
			continue // tied to their nodes
		}
		m := presenceModel(t, backend, change)
		y := forecast(t, m, dyngraph.Window{Series: series, Start: leavingStart, Length: leavingLength})
		z := forecast(t, m, dyngraph.Window{Series: relabelled, Start: leavingStart, Length: leavingLength})
		moved := make([]float64, len(z))
		for u, v := range order {
			moved[u] = z[v]
		}
		if !sameForecasts(y, moved, 1e-9) || !math.IsNaN(y[5]) {
			t.Errorf("%s: forecasts %v, relabelled %v", name, y, moved)
		}
	}
}

func relabelledSeries(t *testing.T, s *dyngraph.Series, order []int) *dyngraph.Series {
	t.Helper()
	other := *s
	var from, to []int
	for e := range s.Pattern.From {
		from, to = append(from, order[s.Pattern.From[e]]), append(to, order[s.Pattern.To[e]])
	}
	pattern, index, err := dyngraph.NewPattern(s.Nodes(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	other.Pattern = pattern
	move := func(rows [][]float64, size int) (moved [][]float64) {
		for _, row := range rows {
			to := make([]float64, len(row))
			for u, v := range order {
				copy(to[v*size:(v+1)*size], row[u*size:])
			}
			moved = append(moved, to)
		}
		return moved
	}
	other.Features, other.Targets = move(s.Features, s.FeatureSize), move(s.Targets, 1)
	other.LastObserved, other.RecentMean = move(s.LastObserved, 1), move(s.RecentMean, 1)
	other.Weights, other.Present = nil, nil
	for k, row := range s.Weights {
		weights, present := make([]float64, len(row)), make([]bool, len(order))
		for e, w := range row {
			weights[index[e]] = w
		}
		for u, v := range order {
			present[v] = s.Present[k][u]
		}
		other.Weights, other.Present = append(other.Weights, weights), append(other.Present, present)
	}
	return &other
}

// A series in which all nodes are always present is as one without presence, bit for bit.
func TestAllPresent(t *testing.T) {
	plain, all := ring(t), ring(t)
	all.Present = slices.Repeat([][]bool{slices.Repeat([]bool{true}, ringNodes)}, len(all.Times))
	m := ringModelOn(t, xlatest.Backend(t), nil)
	a, b := forecast(t, m, dyngraph.Window{Series: plain, Length: 5}), forecast(t, m, dyngraph.Window{Series: all,
		Length: 5})
	if !slices.Equal(a, b) {
		t.Errorf("%v, with presence %v", a, b)
	}
}

// A graph with a node that is never present equals the graph without the node, for fields in which the number of nodes
// does not enter.
func TestAbsentThroughout(t *testing.T) {
	backend := xlatest.Go(t)
	whole := ring(t)
	whole.LastObserved, whole.GraphTargets = whole.Targets, make([][]float64, len(whole.Times))
	for k := range whole.GraphTargets {
		whole.GraphTargets[k] = []float64{1}
	}
	with, err := whole.WithPresence(slices.Repeat([][]bool{{true, false, true, true, true, true}}, len(whole.Times)))
	if err != nil {
		t.Fatal(err)
	}
	without := *whole
	without.Pattern = &dyngraph.Pattern{Nodes: 5, From: []int32{1, 2, 3, 4}, To: []int32{2, 3, 4, 0}}
	drop := func(rows [][]float64, from, to int) (kept [][]float64) {
		for _, row := range rows {
			kept = append(kept, slices.Delete(slices.Clone(row), from, to))
		}
		return kept
	}
	without.Weights = drop(whole.Weights, 0, 2)
	without.Features, without.Targets = drop(whole.Features, 2, 4), drop(whole.Targets, 1, 2)
	without.LastObserved = without.Targets
	for name, change := range map[string]func(*Config){
		"adjacency": func(c *Config) { c.Field, c.Layers = field.Adjacency{}, 3 },
		"loops": func(c *Config) {
			c.Field, c.Layers, c.Normalise = field.Original{}, 2, dyngraph.NormalisedAdjacency
		},
		"gn-ode": func(c *Config) { c.Field, c.Layers = field.GNODE{}, 2 },
		"linear part": func(c *Config) {
			c.Field, c.Head = field.Adjacency{}, head.Corrected{Linear: head.Linear{Values: 4}}
		},
		"sum":   func(c *Config) { c.Field, c.Head = field.Adjacency{}, head.Summed{} },
		"DCRNN": inSteps(rivals.DCRNN{Hidden: 4}, 0),
		"DCRNN, class": func(c *Config) {
			inSteps(rivals.DCRNN{Hidden: 4}, 0)(c)
			c.Head, c.Outputs = head.Class{}, 2
		},
	} {
		m := presenceModel(t, backend, change)
		small := presenceModel(t, backend, func(c *Config) {
			change(c)
			c.Nodes = 5
		})
		for i, p := range m.params {
			small.params[i] = host.Tensor(p.DType(), host.Floats(p), p.Shape().Dimensions...)
		}
		got := forecast(t, m, dyngraph.Window{Series: with, Start: 2, Length: 5})
		want := forecast(t, small, dyngraph.Window{Series: &without, Start: 2, Length: 5})
		if len(got) == 6 {
			got = slices.Delete(slices.Clone(got), 1, 2)
		}
		if !sameForecasts(got, want, 1e-12) {
			t.Errorf("%s: %v with the node absent, %v without it", name, got, want)
		}
	}
}

// A forecast of a graph of one node is the sum over its present nodes, 0 where its node is absent, as beside a node
// that is never present.
func TestGraphOfOneAbsentNode(t *testing.T) {
	backend := xlatest.Go(t)
	of := func(nodes int) *dyngraph.Series {
		pattern, _, err := dyngraph.NewPattern(nodes, []int{0}, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		s := &dyngraph.Series{Name: "one", Pattern: pattern, FeatureSize: 2}
		var present [][]bool
		for k := range 7 {
			s.Times, s.Weights = append(s.Times, float64(k)), append(s.Weights, []float64{1})
			s.Features = append(s.Features, append([]float64{math.Sin(float64(k)), 1}, make([]float64, 2*nodes-2)...))
			present = append(present, append([]bool{k != 3 && k < 5}, make([]bool, nodes-1)...))
		}
		s, err = s.WithPresence(present)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, c := range map[string]Config{"sum": {Head: head.Summed{}}, "class": {Head: head.Class{}, Outputs: 2}} {
		model := func(nodes int) *Model {
			return presenceModel(t, backend, func(cfg *Config) {
				cfg.Field, cfg.Layers, cfg.Head, cfg.Outputs, cfg.Nodes = field.Adjacency{}, 2, c.Head, c.Outputs, nodes
			})
		}
		one, two := model(1), model(2)
		alone, beside := of(1), of(2)
		for length := 3; length <= len(alone.Times); length++ {
			got := forecast(t, one, dyngraph.Window{Series: alone, Length: length})
			want := forecast(t, two, dyngraph.Window{Series: beside, Length: length})
			present := alone.Present[length-2][0] // at the last input
			if !sameForecasts(got, want, 1e-12) || present == (got[0] == 0) {
				t.Errorf("%s of %d snapshots, present %t: %v, want %v", name, length, present, got, want)
			}
		}
	}
}

// The states of absent nodes do not change at all, beyond the rounding of the one saved at the end of a step. A node
// starts from its features when it appears.
func TestStatesOfAbsentNodesAreFrozen(t *testing.T) {
	backend, ctx := xlatest.Go(t), context.Background()
	series := leaving(t, nil)
	for name, change := range presenceModels() {
		m := presenceModel(t, backend, change)
		if m.config.Network != nil {
			continue
		}
		states := func(start, length int) (z []float64, d int) {
			err := m.solved(ctx, m.params, []dyngraph.Window{{Series: series, Start: start, Length: length}}, forLoss,
				func(_ *batch, solution *ode.Solution) error {
					z, d = host.Floats(solution.Z), solution.Z.Shape().Dim(3)
					return nil
				})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return z, d
		}
		z, d := states(leavingStart, leavingLength)
		at := func(k, u int) []float64 { return z[(k*ringNodes+u)*d : (k*ringNodes+u+1)*d] }
		for _, span := range []struct{ node, from, to int }{{1, 0, 3}, {3, 2, 4}, {5, 5, 6}} {
			for k := span.from + 1; k <= span.to; k++ {
				frozen, now := at(min(span.from+1, span.to), span.node), at(k, span.node)
				if !slices.Equal(frozen, now) || !sameForecasts(at(span.from, span.node), now, 1e-13) {
					t.Errorf("%s: node %d changes from %v to %v at time %d, while absent", name, span.node, frozen, now, k)
				}
			}
			if after := span.to + 1; after < 7 && slices.Equal(at(after, span.node), at(span.to, span.node)) {
				t.Errorf("%s: the state of node %d is still frozen at time %d", name, span.node, after)
			}
		}
		if slices.Equal(at(2, 0), at(1, 0)) {
			t.Errorf("%s: node 0 does not change", name)
		}
		first, _ := states(4, leavingLength)
		if !sameForecasts(first[d:2*d], at(3, 1), 1e-14) {
			t.Errorf("%s: node 1 appears with %v, a window that begins then has %v", name, at(3, 1), first[d:2*d])
		}
	}
}

// Over a whole series, states that only their start's features determine do not start from later ones.
func TestStartWithPresenceDoesNotLookAhead(t *testing.T) {
	m := presenceModel(t, xlatest.Go(t), func(c *Config) { c.GraphOnly = true })
	changed := func(by float64) *dyngraph.Series {
		return leaving(t, func(s *dyngraph.Series) {
			for k := range s.Times {
				s.Features[k] = slices.Clone(s.Features[k])
			}
			s.Features[1][0] += by // of node 0, which starts at 0
			s.Features[5][2] += by // of node 1, which appears at 4
		})
	}
	if before, after := forecast(t, m, changed(0).Whole()), forecast(t, m, changed(5).Whole()); !sameForecasts(before,
		after, 0) {
		t.Errorf("forecasts %v, with other features after the start %v", before, after)
	}
	gap := leaving(t, func(s *dyngraph.Series) {
		s.Features[0] = slices.Clone(s.Features[0])
		s.Features[0][0] = math.NaN()
	})
	if _, err := m.Predict(t.Context(), gap.Whole(), nil); err == nil || !strings.Contains(err.Error(), "never observed") {
		t.Errorf("a start without a feature: %v", err)
	}
}

// The gradient of the loss agrees with finite differences, with windows in which nodes appear and leave beside one in
// which all are present.
func TestGradientWithPresence(t *testing.T) {
	backend, ctx := xlatest.Go(t), context.Background()
	series, whole := leaving(t, nil), ring(t)
	whole.LastObserved, whole.RecentMean = whole.Targets, whole.Targets
	for name, change := range presenceModels() {
		m := presenceModel(t, backend, change)
		if m.config.Adaptive != nil { // steps move with the parameters
			continue
		}
		windows := []dyngraph.Window{{Series: series, Start: leavingStart, Length: leavingLength}, {Series: whole, Start: 6,
			Length: leavingLength}}
		fitted, err := m.started(windows)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m.start(fitted)
		made, err := batches(m.backend, len(windows), source{m, windows, nil})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		const h = 1e-6
		for i, p := range m.declared {
			if p.Name == "linear" { // the loss lacks its penalty
				continue
			}
			values := host.Floats(m.params[i])
			at := func(x float64) float64 {
				moved, params := slices.Clone(values), slices.Clone(m.params)
				moved[len(moved)/2] += x
				params[i] = host.Tensor(m.config.dtype(), moved, p.Dims...)
				defer xla.Free(params[i])
				loss, err := lossOf(ctx, m.network, params, made[0])
				if err != nil {
					t.Fatal(err)
				}
				return loss
			}
			got, want := host.Floats(gradients[i])[len(values)/2], (at(h)-at(-h))/(2*h)
			if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s: gradient of %s is %g, by differences %g", name, p.Name, got, want)
			}
		}
		xla.Free(gradients...)
		freeAll(made)
	}
}

// Targets of absent nodes have no influence: planted ones, which WithPresence removes, change no parameter. Several
// seeds at once, and groups, train as alone.
func TestFitWithPresence(t *testing.T) {
	backend, ctx := xlatest.Backend(t), context.Background()
	planted := leaving(t, func(s *dyngraph.Series) {
		for k := range s.Times {
			if k < 4 {
				s.Features[k][2], s.Targets[k][1], s.Weights[k][0] = 1e9, 1e9, 1e9
			}
			if k >= 6 {
				s.Features[k][11], s.Targets[k][5], s.Weights[k][5] = -1e9, -1e9, 1e9
			}
		}
	})
	model := func(seed uint64, groups int) *Model {
		return presenceModel(t, backend, func(c *Config) { c.Field, c.Seed, c.Groups = field.Affine(), seed, groups })
	}
	config := train.Config{Epochs: 3, BatchSize: 4}
	after := func(m *Model) []float64 {
		return forecast(t, m, dyngraph.Window{Series: planted, Start: 12, Length: 5})
	}
	split := func(s *dyngraph.Series) dyngraph.Split {
		split, err := s.Windows(5, 1).Chronological(0.6, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		return split
	}
	want := make([][]float64, 2)
	for seed := range want {
		m, parts := model(uint64(seed), 1), split(leaving(t, nil))
		if _, err := m.Fit(ctx, parts.Train, parts.Validation, config); err != nil {
			t.Fatal(err)
		}
		want[seed] = after(m)
	}
	parts := split(planted)
	m := model(0, 2)
	if _, err := m.Fit(ctx, parts.Train, parts.Validation, config); err != nil {
		t.Fatal(err)
	}
	if got := after(m); !sameForecasts(got, want[0], 1e-9) {
		t.Errorf("in two groups, with planted values: %v, want %v", got, want[0])
	}
	runs := []SeedRun{{model(0, 1), parts.Train, parts.Validation, config}, {model(1, 1), parts.Train, parts.Validation,
		config}}
	if _, err := FitSeeds(ctx, runs); err != nil {
		t.Fatal(err)
	}
	for seed, run := range runs {
		if got := after(run.Model); !sameForecasts(got, want[seed], 1e-9) {
			t.Errorf("seed %d of two at once: %v, alone %v", seed, got, want[seed])
		}
	}
	if _, err := runs[0].Model.Plan(parts.Train, 4, 0); err != nil {
		t.Error(err)
	}
}

func TestPresenceRefused(t *testing.T) {
	w := dyngraph.Window{Series: leaving(t, nil), Start: leavingStart, Length: leavingLength}
	for name, change := range map[string]func(*Config){
		"rows":   func(c *Config) { c.RowFeatures = 2 },
		"parity": func(c *Config) { c.Parity = true },
	} {
		_, err := ringModel(t, change).Predict(context.Background(), w, nil)
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "appear or leave") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
