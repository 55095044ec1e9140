package pengcde

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// On irregular knots with changes of the graph between some of them, steps that end beside the changes take fewer
// evaluations and are nearer to a tight solve than the plain control's.
func TestStepsEndBesideChanges(t *testing.T) {
	backend := xlatest.Go(t)
	file := fixture.Load(t, "model_peng")
	hidden := file.Get("hidden").Int()
	sample, x0 := observed.Synthetic(t, file)[0], file.Get("x0").Array().Row(0).Data
	rng := rand.New(rand.NewPCG(1, 1))
	sample.Knots = []float64{0}
	for range 99 {
		sample.Knots = append(sample.Knots, 5*rng.Float64())
	}
	slices.Sort(sample.Knots)
	sample.Index = make([]int, len(sample.Knots))
	for _, change := range []int{5, 13, 22, 31, 40, 52, 61, 70, 83, 91} {
		for k := change; k < len(sample.Knots); k++ {
			sample.Index[k] = (sample.Index[k] + 1) % len(sample.Snapshots)
		}
	}
	if got := len(sample.Changes()); got != 30 {
		t.Errorf("%d knots beside 10 changes, want 30", got)
	}
	solve := func(control ode.Control, stops []float64) ([]float64, ode.Stats) {
		w := wiring{encoder: nn.Linear{Name: "encoder", In: 1, Out: hidden}, readout: nn.Linear{Name: "readout", In: hidden, Out: 1},
			field: field.PENG{Hidden: hidden, Layers: 2}, control: control}
		n, err := newNetwork(backend, w)
		if err != nil {
			t.Fatal(err)
		}
		defer n.close()
		cfg := Config{Nodes: sample.Pattern.Nodes, Outputs: 1, Float64: true}
		b, err := newBatch(cfg, []example{{sample: sample, x0: x0, times: []float64{0, sample.Knots[99]}, stops: stops}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.free()
		values := file.Get("params").Params()
		params := nn.Draw(n.params, cfg.dtype(), 0)
		for i, p := range n.params {
			params[i] = nn.Tensor(cfg.dtype(), values[p.Name].Data, p.Dims...)
		}
		solution, err := n.solve(context.Background(), params, b, false)
		if err != nil {
			t.Fatal(err)
		}
		defer solution.Close()
		return nn.Floats(solution.Z), solution.Stats[0]
	}
	tight, _ := solve(ode.PID{RTol: 1e-6, ATol: 1e-8}, sample.Changes())
	distance := func(z []float64) (most float64) {
		for i := range z {
			most = max(most, math.Abs(z[i]-tight[i]))
		}
		return most
	}
	plain, free := solve(ode.PID{}, nil)
	stopped, stats := solve(ode.PID{}, sample.Changes())
	t.Logf("plain: %+v, error %.2g; stopped: %+v, error %.2g", free, distance(plain), stats, distance(stopped))
	if stats.Evaluations >= free.Evaluations || distance(stopped) >= distance(plain)/10 {
		t.Errorf("with stops %d evaluations and error %.2g, want fewer than %d and a tenth of %.2g", stats.Evaluations, distance(stopped), free.Evaluations, distance(plain))
	}
}
