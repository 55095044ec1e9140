package pengcde

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// The losses of the first 17 optimiser steps agree to 1e-13. Then a ReLU reaches its kink: a change of one parameter by
// 1e-15 at the start, like another order of summation, moves the later losses by 1e-8 and single parameters by 5e-7.
func TestFixtureModelAdjacency(t *testing.T) {
	file := fixture.Load(t, "model_adj")
	checkModel(t, file, field.Adjacency{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int()},
		"adaptive_grad", 1e-5)
}

func TestFixtureModelOriginal(t *testing.T) {
	file := fixture.Load(t, "model_orig")
	checkModel(t, file, field.Original{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int()},
		"adaptive_grad", 1e-8)
}

func TestFixtureModelPreMult(t *testing.T) {
	file := fixture.Load(t, "model_premult")
	checkModel(t, file, field.PreMult{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int(),
		Nodes: file.Get("n").Int()}, "adaptive_grad", 1e-8)
}

func TestFixtureModelGNODE(t *testing.T) {
	file := fixture.Load(t, "model_gnode")
	checkModel(t, file, field.GNODE{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int(), Lag: true},
		"adaptive_grad", 1e-8)
}

func TestFixturePGTOriginal(t *testing.T) {
	file := fixture.Load(t, "pgt_orig")
	checkPGT(t, file, field.Original{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int(),
		Features: file.Get("p").Int()}, 1e-9, 1e-6)
}

func TestFixturePGTPengDirected(t *testing.T) {
	file := fixture.Load(t, "pgt_peng_dir")
	maps, derivative := equivariant.Published11()
	checkPGT(t, file, field.PENG{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int(),
		Features: file.Get("p").Int(),
		Maps:     maps, DerivativeMaps: derivative, Parity: true}, 1e-9, 1e-6)
}

// The published forecast comes from an adaptive solve with unknown steps whose field jumps at knots, so it agrees only
// up to the solver's error.
func TestFixturePGTGNODE(t *testing.T) {
	file := fixture.Load(t, "pgt_gnode")
	w, e := observedPGT(t, file, field.GNODE{Hidden: file.Get("hidden").Int(), Layers: file.Get("layers").Int()},
		ode.PID{})
	t.Parallel()
	g := wire(t, file, w, []sample{e}, 1)
	const tolerance = 1e-3
	for _, c := range []struct {
		parity head.Parity
		loss   string
	}{{"", "plain_mse"}, {head.Pairwise, "ref_loss_broadcast_nxn"}} {
		g := g.comparedBy(c.parity)
		fixture.Close(t, "forecast by node", g.last(), file.Get("node_output").Array().Data, tolerance)
		loss, err := lossOf(context.Background(), g.network, g.params, g.batch)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Close(t, c.loss, []float64{loss}, []float64{file.Get(c.loss).Float()}, tolerance)
	}
}

// observedPGT wires a pgt_* file: perceptrons as encoder and readout, a forecast at the last knot.
func observedPGT(t *testing.T, file fixture.Node, f field.Field, control ode.StepSize) (wiring, sample) {
	hidden, p := file.Get("hidden").Int(), file.Get("p").Int()
	one := observed.Windowed(t, file)
	e := sample{paths: one, x0: one.Features[0], times: one.Knots}
	e.taken.Targets = make([]float64, (len(e.times)-1)*one.Pattern.Nodes)
	e.taken.Targets = append(e.taken.Targets, file.Get("y").Array().Data...)
	e.taken.Weights = make([]float64, len(e.times))
	e.taken.Weights[len(e.times)-1] = 1
	return wiring{
		encoder: encoders{nn.MLP{Name: "encoder", In: p, Out: hidden, Width: head.CoderWidth, Depth: head.CoderDepth}},
		head:    nodesHead(t, head.Nodes{}, head.Sizes{Nodes: one.Pattern.Nodes, Outputs: 1, Width: hidden}),
		field:   f, stepSize: control,
	}, e
}

// checkPGT compares states, forecasts, losses and gradients of a field with node-feature control.
func checkPGT(t *testing.T, file fixture.Node, f field.Field, tolerance, gradientTolerance float64) {
	w, e := observedPGT(t, file, f, ode.Constant{Step: file.Get("dt").Float()})
	t.Parallel()
	g := wire(t, file, w, []sample{e}, 1)
	solution, err := g.network.solve(context.Background(), g.params, g.batch, forLoss)
	if err != nil {
		t.Fatal(err)
	}
	defer solution.Close()
	fixture.Close(t, "z", host.Floats(solution.Z), file.Get("z_at_ts").Array().Data, tolerance)
	fixture.Close(t, "forecast by node", g.last(), file.Get("node_output").Array().Data, tolerance)
	g.checkGradient("by node", file.Get("node_loss").Float(), file.Get("node_grad").Params(), tolerance, gradientTolerance)

	g = g.comparedBy(head.OneForAll)
	fixture.Close(t, "forecast of the graph", g.last(), file.Get("global_output").Array().Data, tolerance)
	g.checkGradient("of the graph", file.Get("ref_loss_global").Float(), file.Get("ref_grad_global").Params(), tolerance,
		gradientTolerance)
}

// last is the forecast at the last time.
func (g *golden) last() []float64 {
	g.t.Helper()
	y, _, err := g.network.forecast(context.Background(), g.params, g.batch, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	return y[len(y)-len(y)/len(g.batch.times[0]):]
}
