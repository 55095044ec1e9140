package pengcde

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
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

// mixing is a custom network: for each observation it computes tanh(W (x, A x)), and from these values, or from their
// mean, a forecast.
type mixing struct {
	Width int
	Drop  float64
}

func (m mixing) layers(s sequence.Sizes) (in, out nn.Linear) {
	return nn.Linear{Name: "in", In: 2 * s.Features, Out: m.Width}, nn.Linear{Name: "out", In: m.Width, Out: s.Outputs}
}

func (m mixing) Params(s sequence.Sizes) []nn.Param {
	in, out := m.layers(s)
	return append(in.Params(), out.Params()...)
}

func (m mixing) Forecast(v nn.Values, s sequence.Sizes, x sequence.Inputs) *Node {
	in, out := m.layers(s)
	var steps []*Node
	for k := range x.Times.Shape().Dim(1) {
		now := Squeeze(SliceAxis(x.Features, 1, AxisElem(k)), 1)
		both := Concatenate([]*Node{now, x.Graph(k).Apply(now)}, -1)
		steps = append(steps, x.Dropout(Tanh(in.Apply(v, both)), m.Drop))
	}
	h := Stack(steps, 1)
	if !s.PerTime {
		h = ReduceAndKeep(h, ReduceMean, 1)
	}
	return out.Apply(v, h)
}

func mixingModel(t *testing.T, change func(*Config)) *Model {
	t.Helper()
	return mixingModelOn(t, xlatest.Go(t), change)
}

func mixingModelOn(t *testing.T, backend *xla.Backend, change func(*Config)) *Model {
	t.Helper()
	return ringModelOn(t, backend, func(c *Config) {
		*c = Config{Nodes: ringNodes, Features: ringFeatures,
			Network: mixing{Width: 4}, Execution: Execution{Float64: true}, Seed: 1}
		if change != nil {
			change(c)
		}
	})
}

func dropping(c *Config) { c.Network = mixing{Width: 4, Drop: 0.5} }

func mixingTraining(epochs int) train.Config {
	return train.Config{Epochs: epochs, BatchSize: 4, AdamW: train.AdamW{LearningRate: 0.03}}
}

func fitted(t *testing.T, m *Model, config train.Config) *train.Report {
	t.Helper()
	split := ringSplit(t)
	report, err := m.Fit(context.Background(), split.Train, split.Validation, config)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A network in discrete steps learns with the correct gradients of its loss, and forecasts the same after loading.
func TestDiscreteNetwork(t *testing.T) {
	m, split := mixingModel(t, nil), ringSplit(t)
	checkGradient(t, m, split.Train[:3])
	report := fitted(t, m, mixingTraining(20))
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[19].TrainLoss; last > 0.5*first {
		t.Errorf("loss %g after 20 epochs, %g at first", last, first)
	}
	want := forecast(t, m, split.Test[0])
	if at := split.Test[0].InputTimes(); len(want) != ringNodes || at[len(at)-1] != 2 {
		t.Fatalf("forecast %v at inputs %v", want, at)
	}
	file := filepath.Join(t.TempDir(), "mixing")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(m.backend, file, field.GNODE{}, mixing{Width: 5}) // the file has the width
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	if got := forecast(t, loaded, split.Test[0]); !slices.Equal(got, want) {
		t.Errorf("the loaded model forecasts %v, the saved one %v", got, want)
	}
	if diff := cmp.Diff(m.Config(), loaded.Config()); diff != "" {
		t.Errorf("configuration (-saved +loaded):\n%s", diff)
	}
	if _, err := Load(m.backend, file); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), `"pengcde.mixing"`) {
		t.Errorf("without its value: %v, want ErrFile with the network's name", err)
	}
	if _, err := Load(m.backend, file, "mixing"); !errors.Is(err, ErrInput) || errors.Is(err, ErrFile) {
		t.Errorf("a value that is no network: %v, want ErrInput", err)
	}
	m.Reset(1)
	if got, fresh := forecast(t, m, split.Test[0]), mixingModel(t, nil); !slices.Equal(got, forecast(t, fresh,
		split.Test[0])) {
		t.Error("Reset does not draw the parameters of the seed")
	}
}

// Each observation has the graph of its window at that time, in dense and sparse products, also in a batch of windows
// with different graphs.
func TestDiscreteNetworkReadsEachGraph(t *testing.T) {
	first := ring(t)
	other := ring(t)
	other.Name, other.Weights = "reversed", slices.Clone(other.Weights)
	var err error
	from, to := []int{0, 2, 4, 5}, []int{3, 1, 0, 2}
	if other.Pattern, _, err = dyngraph.NewPattern(ringNodes, from, to); err != nil {
		t.Fatal(err)
	}
	for k := range other.Weights {
		other.Weights[k] = other.Weights[k][:4]
	}
	windows := []dyngraph.Window{{Series: first, Start: 2, Length: 4}, {Series: other, Start: 5, Length: 4}}
	all := make(map[equivariant.Product][]dyngraph.Forecasts)
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		m := mixingModel(t, func(c *Config) { c.Product, c.Normalise = product, dyngraph.Raw })
		if all[product], err = m.PredictAll(context.Background(), windows, nil); err != nil {
			t.Fatal(err)
		}
		for b, w := range windows {
			alone, want := forecast(t, m, w), mixed(t, m, w)
			for u := range ringNodes {
				got := all[product][b].At(0, u, 0)
				if !(math.Abs(got-want[u]) <= 1e-13) || !(math.Abs(alone[u]-want[u]) <= 1e-13) {
					t.Errorf("%v, window %d, node %d: %g in a batch, %g alone, want %g", product, b, u, got, alone[u], want[u])
				}
			}
		}
	}
}

// mixed returns the forecast of a mixing model with raw weights, computed without GoMLX.
func mixed(t *testing.T, m *Model, w dyngraph.Window) []float64 {
	t.Helper()
	get := func(name string) []float64 {
		values, ok := m.Parameter(name)
		if !ok {
			t.Fatalf("no parameter %q", name)
		}
		return values
	}
	weight, bias, out, shift := get("in.weight"), get("in.bias"), get("out.weight"), get("out.bias")
	p, s, count := ringFeatures, w.Series, w.Inputs()
	y := slices.Repeat(shift, ringNodes)
	for k := w.Start; k < w.Start+count; k++ {
		x := s.Features[k]
		ax := make([]float64, len(x))
		for e, u := range s.Pattern.From {
			for j := range p {
				ax[int(u)*p+j] += s.Weights[k][e] * x[int(s.Pattern.To[e])*p+j]
			}
		}
		for u := range y {
			both := slices.Concat(x[u*p:(u+1)*p], ax[u*p:(u+1)*p])
			for i := range bias {
				z := bias[i]
				for j, v := range both {
					z += weight[i*2*p+j] * v
				}
				y[u] += out[i] * math.Tanh(z) / float64(count)
			}
		}
	}
	return y
}

// Whole series have a forecast at each observation, from its features or, with GraphOnly, from the first features and
// the time. Missing targets do not count.
func TestDiscreteNetworkOnWholeSeries(t *testing.T) {
	s := ring(t)
	s.Weights = slices.Repeat(s.Weights[:1], len(s.Weights)) // one snapshot in force at all times
	for k := 12; k < 24; k++ {
		s.Weights[k] = slices.Clone(s.Weights[0])
		s.Weights[k][1]++
	}
	s.Targets = slices.Clone(s.Targets)
	s.Targets[3] = slices.Repeat([]float64{math.NaN()}, ringNodes)
	s.Targets[5] = slices.Clone(s.Targets[5])
	s.Targets[5][2] = math.NaN()
	for name, only := range map[string]bool{"driven": false, "graph only": true} {
		m := mixingModel(t, func(c *Config) {
			c.Head, c.GraphOnly, c.Normalise = head.Nodes{At: head.AtEach}, only, dyngraph.Raw
		})
		checkGradient(t, m, []dyngraph.Window{s.Whole()})
		y, err := m.Predict(context.Background(), s.Whole(), nil)
		if err != nil || shape(y) != [3]int{24, ringNodes, 1} {
			t.Fatalf("%s: %d forecasts (%v), want 24 of each node", name, shape(y), err)
		}
		for _, k := range []int{0, 11, 12, 20} {
			if only {
				break
			}
			want := mixed(t, m, dyngraph.Window{Series: s, Start: k, Length: 2})
			if got := y.Row(k); !(fixture.Distance(got, want) <= 1e-13) {
				t.Errorf("%s: forecast at %d is %v, want %v", name, k, got, want)
			}
		}
		some, err := m.Predict(context.Background(), s.Whole(), []float64{4, 4, 23})
		if err != nil || !slices.Equal(some.Values, slices.Concat(y.Row(4), y.Row(4), y.Row(23))) {
			t.Errorf("%s: forecasts of some times (%v) are not those among all", name, err)
		}
		made, err := batches(m.backend, 1, source{m, []dyngraph.Window{s.Whole()}, nil})
		if err != nil {
			t.Fatal(err)
		}
		want, times := 0.0, 0.0
		for k, row := range s.Targets {
			sum, count := 0.0, 0.0
			for u, target := range row {
				if !math.IsNaN(target) {
					sum, count = sum+(y.At(k, u, 0)-target)*(y.At(k, u, 0)-target), count+1
				}
			}
			if count > 0 {
				want, times = want+sum/count, times+1
			}
		}
		got, err := lossOf(context.Background(), m.network, m.params, made[0])
		if freeAll(made); err != nil || !(math.Abs(got-want/times) <= 1e-12) {
			t.Errorf("%s: loss %g (%v), want %g", name, got, err, want/times)
		}
		later := *s
		later.Features = slices.Clone(s.Features)
		later.Features[7] = slices.Repeat([]float64{9}, ringNodes*ringFeatures)
		seen, err := m.Predict(context.Background(), later.Whole(), nil)
		if err != nil || cmp.Equal(seen, y) != only {
			t.Errorf("%s: features after the first are read: %v (%v), want %v", name, !cmp.Equal(seen, y), err, !only)
		}
		if name == "graph only" && slices.Equal(y.Row(0), y.Row(1)) {
			t.Error("the time is no feature")
		}
	}
}

// Residual, several outputs and forecasts of the graph work for networks as for differential equations.
func TestOutputsOfDiscreteNetwork(t *testing.T) {
	s := ring(t)
	s.RecentMean, s.GraphTargets = s.Targets, make([][]float64, len(s.Targets))
	for k, row := range s.Targets {
		s.GraphTargets[k] = []float64{floats.Sum(row)}
	}
	w := dyngraph.Window{Series: s, Start: 3, Length: 4}
	plain := forecast(t, mixingModel(t, nil), w)
	residual := mixingModel(t, func(c *Config) { c.Head = head.Nodes{Residual: true} })
	checkGradient(t, residual, []dyngraph.Window{w})
	recent, err := w.RecentMean()
	if err != nil {
		t.Fatal(err)
	}
	for u, y := range forecast(t, residual, w) {
		if !(math.Abs(y-plain[u]-recent[u]) <= 1e-14) {
			t.Errorf("residual forecast of node %d is %g, want %g + %g", u, y, plain[u], recent[u])
		}
	}
	whole := mixingModel(t, func(c *Config) { c.Head = head.Summed{} })
	checkGradient(t, whole, []dyngraph.Window{w})
	if y := forecast(t, whole, w); len(y) != 1 || !(math.Abs(y[0]-floats.Sum(plain)) <= 1e-14) {
		t.Errorf("forecast %v of the graph, want %g", y, floats.Sum(plain))
	}
	s.TargetSize, s.RecentMean, s.GraphTargets = 2, nil, nil
	for k, row := range s.Targets {
		s.Targets[k] = slices.Concat(row, row)
	}
	two := mixingModel(t, func(c *Config) { c.Outputs = 2 })
	checkGradient(t, two, []dyngraph.Window{w})
	if y := forecast(t, two, w); len(y) != 2*ringNodes {
		t.Errorf("%d forecasts, want two of each node", len(y))
	}
}

// Dropout masks differ from step to step and from entry to entry and have the requested rate; forecasts have none. A
// training that is interrupted and resumed draws the same masks.
func TestDropout(t *testing.T) {
	split := ringSplit(t)
	plain, m := mixingModel(t, nil), mixingModel(t, dropping)
	if !slices.Equal(forecast(t, plain, split.Test[0]), forecast(t, m, split.Test[0])) {
		t.Error("a forecast has dropout")
	}
	made, err := batches(m.backend, 4, source{m, split.Train[:4], nil})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	ctx := context.Background()
	losses := make(map[float64]bool)
	for seed := range uint64(5) {
		for range 2 {
			m.Reset(seed)
			loss, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
			if err != nil {
				t.Fatal(err)
			}
			xla.Free(gradients...)
			losses[loss] = true
		}
	}
	if len(losses) != 5 {
		t.Errorf("%d losses of 5 sets of parameters, each twice: want one each", len(losses))
	}
	for _, float64s := range []bool{false, true} {
		bits := nn.Draw([]nn.Param{{Name: "a", Dims: []int{3, 5}, Init: nn.Normal(1)}, {Name: "b", Dims: []int{2},
			Init: nn.Fill(0)}}, Config{Execution: Execution{Float64: float64s}}.dtype(), 3)
		masks := func(change float64) []float64 {
			b := host.Tensor(bits[1].DType(), []float64{0, change}, 2)
			out, err := CallOnceN(m.backend.Compute, func(in []*Node) []*Node {
				drop := nn.Dropout(in)
				ones := OnesLike(BroadcastToDims(Reshape(in[0], 1, 15), 1000, 15))
				return []*Node{Stack([]*Node{drop(ones, 0.2), drop(ones, 0.2)}, 0)}
			}, bits[0], b)
			if err != nil {
				t.Fatal(err)
			}
			return host.Floats(out[0])
		}
		first := masks(0)
		one, two := first[:15000], first[15000:]
		for name, other := range map[string][]float64{"the second": two, "another step": masks(float64(math.Nextafter32(0,
			1)))[:15000]} {
			kept, both := 0, 0
			for i, x := range other {
				if x != 0 && !(math.Abs(x-1.25) <= 1e-6) {
					t.Fatalf("an entry became %g, want 0 or 1.25", x)
				}
				if x != 0 {
					kept++
					if one[i] != 0 {
						both++
					}
				}
			}
			// Four standard errors of 15000 draws.
			if !(math.Abs(float64(kept)/15000-0.8) <= 0.0131) || !(math.Abs(float64(both)/15000-0.64) <= 0.0157) {
				t.Errorf("mask of %s: %d of 15000 kept, %d with the first, want 0.8 and 0.64 of them", name, kept, both)
			}
		}
		if !slices.Equal(masks(0), first) {
			t.Error("the same parameters have other masks")
		}
	}
}

func TestDiscreteNetworkGoesOnBitForBit(t *testing.T) {
	goesOn(t, xlatest.Go(t))
	if !testing.Short() { // compiles for 10 s
		goesOn(t, xlatest.Backend(t))
	}
}

func goesOn(t *testing.T, backend *xla.Backend) {
	t.Helper()
	whole := mixingModelOn(t, backend, dropping)
	want := fitted(t, whole, mixingTraining(6))
	config := mixingTraining(6)
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Every: 1}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	config.Progress = func(p train.Progress) {
		if p.Epoch == 3 {
			cancel()
		}
	}
	cut, split := mixingModelOn(t, backend, dropping), ringSplit(t)
	if _, err := cut.Fit(ctx, split.Train, split.Validation, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want it cut off", err)
	}
	config.Progress = nil
	resumed := mixingModelOn(t, backend, dropping)
	got := fitted(t, resumed, config)
	for i, e := range want.Epochs {
		if e.TrainLoss != got.Epochs[i].TrainLoss || e.GradientNorm != got.Epochs[i].GradientNorm {
			t.Errorf("epoch %d: loss %g, %g in one go", i, got.Epochs[i].TrainLoss, e.TrainLoss)
		}
	}
	for i, p := range whole.declared {
		if !slices.Equal(host.Floats(whole.params[i]), host.Floats(resumed.params[i])) {
			t.Errorf("%s differs after a training that was cut off", p.Name)
		}
	}
	other := mixingModelOn(t, backend, nil)
	if _, err := other.Fit(context.Background(), split.Train, split.Validation, config); !errors.Is(err,
		train.ErrCheckpoint) {
		t.Errorf("the checkpoint of another network: %v, want ErrCheckpoint", err)
	}
}

// broken is a network with errors.
type broken struct{ mixing }

func (broken) Forecast(_ nn.Values, _ sequence.Sizes, x sequence.Inputs) *Node { return x.Features }

type unsized struct{ mixing }

func (unsized) Params(sequence.Sizes) []nn.Param { panic(errors.New("no sizes fit")) }

type empty struct{ mixing }

func (empty) Params(sequence.Sizes) []nn.Param { return nil }

// stateless is a recurrent network with an impossible state width.
type stateless struct {
	rivals.DCRNN
	width int
}

func (s stateless) State(sequence.Sizes) int { return s.width }

func TestDiscreteConfigsThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"Field": func(c *Config) { c.Field = field.GNODE{} }, "Hidden": func(c *Config) { c.Hidden = 4 },
		"Layers": func(c *Config) { c.Layers = 1 }, "Path": func(c *Config) { c.Path = path.Linear },
		"Step": func(c *Config) { c.Step = 1 }, "Adaptive": func(c *Config) { c.Adaptive = &ode.PID{} },
		"MaxSteps": func(c *Config) { c.MaxSteps = 5 }, "LinearCoders": func(c *Config) { c.LinearCoders = true },
		"Parity": func(c *Config) { c.Parity = true }, "Memory": func(c *Config) { c.Memory.Checkpoints = 2 },
		"Inputs": func(c *Config) { c.Inputs = 1 }, "no sizes fit": func(c *Config) { c.Network = unsized{} },
		"no parameters": func(c *Config) { c.Network = empty{} },
		"width 0":       func(c *Config) { c.Network, c.Head = stateless{width: 0}, head.Nodes{At: head.AtEach} },
		"width -2":      func(c *Config) { c.Network, c.Head = stateless{width: -2}, head.Nodes{At: head.AtEach} },
	} {
		config := Config{Nodes: 3, Features: 1, Network: mixing{Width: 2}}
		change(&config)
		if _, err := New(xlatest.Go(t), config); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want ErrInput that names it", name, err)
		}
	}
	if _, err := New(xlatest.Go(t), Config{Nodes: 3, Features: 1, Input: Input{Inputs: 4}}); !errors.Is(err, ErrInput) {
		t.Errorf("Inputs without a network: %v, want ErrInput", err)
	}
	split := ringSplit(t)
	for name, c := range map[string]struct {
		change func(*Config)
		what   string
	}{
		"shape": {func(c *Config) { c.Network = broken{mixing{4, 0}} }, "[1, 1, 6, 1]"},
		"rate":  {func(c *Config) { c.Network = mixing{4, 1} }, "rate 1"},
	} {
		var build *xla.BuildError
		_, err := mixingModel(t, c.change).Predict(context.Background(), split.Test[0], nil)
		if !errors.As(err, &build) || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: %v, want ErrInput with %q", name, err, c.what)
		}
	}
}

// Options that do not apply to a network in discrete steps are refused with an explanation.
func TestWhatDiscreteNetworksDoNot(t *testing.T) {
	ctx, split, m := context.Background(), ringSplit(t), mixingModel(t, func(c *Config) { c.Inputs = 3 })
	_, between := m.Predict(ctx, split.Test[0], []float64{1})
	_, held := m.Predict(ctx, split.Test[0], []float64{4}, HoldControl())
	_, steps := m.Steps(ctx, split.Test[:1])
	_, seeds := FitSeeds(ctx, []SeedRun{{Model: m, Training: split.Train, Validation: split.Validation}})
	_, inputs := m.Predict(ctx, dyngraph.Window{Series: ring(t), Length: 5}, nil)
	whole := mixingModel(t, func(c *Config) { c.Head = head.Summed{} })
	_, summed := whole.Predict(ctx, ring(t).Whole(), nil)
	for name, err := range map[string]error{"between inputs": between, "after them": held, "steps": steps, "seeds": seeds,
		"other inputs": inputs, "memory": m.SetMemory(ode.Memory{Bytes: 1 << 20}), "summed": summed} {
		if !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
	if err := m.SetProduct(equivariant.Dense); err != nil {
		t.Error(err)
	}
}

// A plan of a network has no solve, and its memory is the memory of data, parameters and the largest program.
func TestPlanOfDiscreteNetwork(t *testing.T) {
	split, m := ringSplit(t), mixingModel(t, nil)
	p, err := m.Plan(split.Train, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(4 * 8 * m.Parameters()); p.Solve != nil || p.Parameters != want || p.Data <= 0 || p.Temporary <= 0 ||
		p.DeviceBytes != p.Data+p.Parameters+p.Temporary {
		t.Errorf("%+v, want %d bytes for parameters and a sum", *p, want)
	}
	more, err := m.Plan(split.Train, 8, 0)
	if err != nil || more.Temporary <= p.Temporary {
		t.Errorf("programs for 8 windows take %d bytes (%v), for 4 %d", more.Temporary, err, p.Temporary)
	}
	if text := p.String(); !strings.Contains(text, "parameters") || strings.Contains(text, "steps") {
		t.Error(text)
	}
}
