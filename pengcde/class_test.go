package pengcde

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// growing returns a series of a class: from a random start, features of class 0 shrink, of class 1 stay, of class 2
// grow. Each series has its own times and its own graph, a ring with a chord that appears later.
func growing(t *testing.T, class, observations int, draw uint64) *dyngraph.Series {
	t.Helper()
	random := rand.New(rand.NewPCG(draw, uint64(class)))
	from, to := []int{0}, []int{2 + random.IntN(ringNodes-3)} // the chord
	for u := range ringNodes {
		from, to = append(from, u), append(to, (u+1)%ringNodes)
	}
	s := &dyngraph.Series{Name: "growing", FeatureSize: ringFeatures, TargetSize: 1}
	var index []int
	var err error
	if s.Pattern, index, err = dyngraph.NewPattern(ringNodes, from, to); err != nil {
		t.Fatal(err)
	}
	start := make([]float64, ringNodes*ringFeatures)
	for i := range start {
		start[i] = 0.5 + 0.5*random.Float64()
	}
	span, comes := 0.0, 1+random.IntN(observations-1)
	for k := range observations {
		s.Times = append(s.Times, span)
		span += (0.5 + random.Float64()) / float64(observations)
		weights := slices.Repeat([]float64{1}, len(from))
		if k < comes {
			weights[index[0]] = 0
		}
		features := slices.Clone(start)
		floats.Scale(math.Exp(float64(class-1)*s.Times[k]), features)
		s.Weights, s.Features = append(s.Weights, weights), append(s.Features, features)
		s.GraphTargets = append(s.GraphTargets, []float64{nan})
	}
	s.GraphTargets[observations-1][0] = float64(class)
	return s
}

// trajectories returns count whole series of each class.
func trajectories(t *testing.T, classes, count, observations int, draw uint64) []dyngraph.Window {
	t.Helper()
	var windows []dyngraph.Window
	for i := range count {
		for class := range classes {
			windows = append(windows, growing(t, class, observations, draw+uint64(i)).Whole())
		}
	}
	return windows
}

// classes adapts a configuration to count classes, with a network if one is given.
func classes(count int, network sequence.Network, inputs int) func(*Config) {
	return func(c *Config) {
		c.Head, c.Outputs = head.Class{}, count
		if network != nil {
			c.Network, c.Inputs, c.Hidden, c.Layers, c.Step = network, inputs, 0, 0, 0
		}
	}
}

const classInputs = 8

// classifiers are the models whose losses and gradients are tested, with the name of their last bias.
var classifiers = map[string]struct {
	change func(*Config)
	bias   string
}{
	"peng":     {classes(3, nil, 0), "readout.layers.2.bias"},
	"stg-ncde": {func(c *Config) { classes(3, nil, 0)(c); c.Field = rivals.STGNCDE{} }, "readout.layers.2.bias"},
	"dcrnn":    {classes(3, rivals.DCRNN{Hidden: 3, Order: 2}, 0), "projection.bias"},
	"stidgcn":  {classes(3, rivals.STIDGCN{Channels: 2, Dropout: -1}, classInputs), "readout.bias"},
	"astgcn":   {classes(3, rivals.ASTGCN{Filters: 5}, classInputs), "readout.bias"},
}

// logitsOf returns the logits of windows, [windows][outputs].
func logitsOf(t *testing.T, m *Model, windows []dyngraph.Window) (logits [][]float64) {
	t.Helper()
	y, err := m.PredictAll(context.Background(), windows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range y {
		if shape(one) != [3]int{1, 1, m.config.Outputs} {
			t.Fatalf("a forecast %v, want of 1 time, 1 node and %d outputs", one, m.config.Outputs)
		}
		logits = append(logits, one.Values)
	}
	return logits
}

// labels returns the classes of whole series.
func labels(windows []dyngraph.Window) (classes []int) {
	for _, w := range windows {
		classes = append(classes, int(w.Series.GraphTargets[w.Last()][0]))
	}
	return classes
}

// sameParams copies the parameters of another model that declares the same.
func sameParams(t *testing.T, m, from *Model) {
	t.Helper()
	if len(m.params) != len(from.params) {
		t.Fatalf("%d parameters, and %d", len(m.params), len(from.params))
	}
	for i, p := range from.params {
		xla.Free(m.params[i])
		m.params[i] = host.Tensor(p.DType(), host.Floats(p), p.Shape().Dimensions...)
	}
}

// The logits are the sums over nodes of the model's forecasts, and the loss is their cross-entropy with the classes.
// Its gradient, to which every parameter contributes, agrees with differences. The windows of the batch differ in times
// and graphs.
func TestClass(t *testing.T) {
	windows := trajectories(t, 3, 1, classInputs, 1)
	for name, c := range classifiers {
		t.Run(name, func(t *testing.T) {
			m := ringModel(t, func(cfg *Config) { c.change(cfg); cfg.Float64 = true })
			nodes := ringModel(t, func(cfg *Config) {
				c.change(cfg)
				cfg.Float64, cfg.Head = true, head.Nodes{At: head.AtEnd}
				if _, ok := cfg.Network.(sequence.Recurrent); ok {
					cfg.Head = head.Nodes{At: head.AtEach} // the same parameters
				}
			})
			sameParams(t, nodes, m)
			logits := logitsOf(t, m, windows)
			loss, slope := 0.0, make([]float64, 3) // gradient of the last bias, to which every node contributes
			for i, class := range labels(windows) {
				y, err := nodes.Predict(context.Background(), windows[i], nil)
				if err != nil {
					t.Fatal(err)
				}
				sum := make([]float64, 3)
				for u := range y.Nodes {
					floats.Add(sum, y.Node(len(y.Times)-1, u))
				}
				fixture.Close(t, "logits", logits[i], sum, 1e-12)
				entropy, err := train.CrossEntropy(sum, class)
				if err != nil {
					t.Fatal(err)
				}
				loss += entropy / float64(len(windows))
				for k, x := range sum {
					share := math.Exp(x - floats.LogSumExp(sum))
					if k == class {
						share--
					}
					slope[k] += ringNodes * share / float64(len(windows))
				}
			}
			gradient, found := checkLoss(t, m, windows, loss)[c.bias]
			if !found {
				t.Fatalf("no parameter %s", c.bias)
			}
			fixture.Close(t, "gradient of "+c.bias, gradient, slope, 1e-11)
		})
	}
}

// A window has the class of its last snapshot, which for a window that is not a whole series follows the inputs.
func TestClassOfWindow(t *testing.T) {
	s := growing(t, 2, classInputs, 1)
	s.GraphTargets[classInputs-2][0] = 1
	m := ringModel(t, classes(3, nil, 0))
	for _, c := range []struct {
		window dyngraph.Window
		want   []float64
	}{
		{s.Whole(), []float64{0, 0, 1}}, {dyngraph.Window{Series: s, Length: classInputs}, []float64{0, 0, 1}},
		{dyngraph.Window{Series: s, Length: classInputs - 1}, []float64{0, 1, 0}},
	} {
		sample, err := m.training(c.window, validated{})
		if err != nil {
			t.Fatal(err)
		}
		end, times := sample.taken.Targets[len(sample.taken.Targets)-3:], c.window.InputTimes()
		if !slices.Equal(end, c.want) || !slices.Equal(sample.times, []float64{0, times[len(times)-1]}) ||
			!slices.Equal(sample.taken.Weights, []float64{0, 1}) {
			t.Errorf("%d snapshots: target %v at %v by weights %v, want %v", c.window.Length, end, sample.times,
				sample.taken.Weights, c.want)
		}
	}
}

// The loss and the gradient of logits far apart are exact, in float32 too.
func TestClassOfLargeLogits(t *testing.T) {
	program, err := xla.NewProgram(xlatest.Go(t), "cross-entropy", func(in []*Node) []*Node {
		h := head.Class{}
		_, targets := h.Inputs()
		loss, _ := h.Loss(nn.Values{}, in[0], head.Bind(targets, in[1:]))
		return []*Node{loss, Gradient(loss, in[0])[0]}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	out, err := program.Call([][][][]float32{{{{1e4, -1e4, 0}}}, {{{7, 7, -1e5}}}},
		[][][][]float32{{{{0, 1, 0}}}, {{{0, 1, 0}}}}, [][]float32{{1}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(out...)
	fixture.Close(t, "loss", host.Floats(out[0]), []float64{(2e4 + math.Ln2) / 2}, 1e-6)
	fixture.Close(t, "gradient", host.Floats(out[1]), []float64{0.5, -0.5, 0, 0.25, -0.25, 0}, 1e-6)
}

// Models learn to classify unseen trajectories. A saved model gives the same logits, and an interrupted training
// continues from its checkpoint to the same result.
func TestClassLearnsSavesAndLoads(t *testing.T) {
	ctx := context.Background()
	for name, network := range map[string]sequence.Network{"peng": nil, "dcrnn": rivals.DCRNN{Hidden: 4, Layers: 1,
		Order: 1}} {
		training, validation, tested := trajectories(t, 2, 4, classInputs, 1), trajectories(t, 2, 2, classInputs, 100),
			trajectories(t, 2, 8, classInputs, 200)
		config := train.Config{Epochs: 20, BatchSize: 5, AdamW: train.AdamW{LearningRate: 0.02}}
		m := ringModel(t, classes(2, network, 0))
		report, err := m.Fit(ctx, training, validation, config)
		if err != nil {
			t.Fatal(err)
		}
		logits := logitsOf(t, m, tested)
		if accuracy, err := train.Accuracy(logits, labels(tested)); err != nil || accuracy != 1 {
			t.Errorf("%s: accuracy %g (%v), want 1", name, accuracy, err)
		}
		entropy := 0.0
		for i, one := range logitsOf(t, m, validation) {
			each, err := train.CrossEntropy(one, labels(validation)[i])
			if err != nil {
				t.Fatal(err)
			}
			entropy += each / float64(len(validation))
		}
		if !(math.Abs(report.BestValidation-entropy) <= 1e-6) {
			t.Errorf("%s: validation %g, of the logits %g", name, report.BestValidation, entropy)
		}

		file := filepath.Join(t.TempDir(), "model")
		if err := m.Save(file); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(m.backend, file)
		if err != nil {
			t.Fatal(err)
		}
		defer loaded.Close()
		if got := slices.Concat(logitsOf(t, loaded, tested)...); !slices.Equal(got, slices.Concat(logits...)) {
			t.Errorf("%s: the loaded model gives %v, the saved one %v", name, got, logits)
		}

		config.Checkpoint = &train.Checkpoint{Path: filepath.Join(t.TempDir(), "run"), Every: 1}
		stopped, stop := context.WithCancel(ctx)
		defer stop()
		config.Progress = func(p train.Progress) {
			if p.Epoch == 11 {
				stop()
			}
		}
		m.Reset(m.config.Seed)
		if _, err := m.Fit(stopped, training, validation, config); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v, want it cut off", name, err)
		}
		config.Progress = nil
		m.Reset(m.config.Seed)
		if _, err := m.Fit(ctx, training, validation, config); err != nil {
			t.Fatal(err)
		}
		if got := slices.Concat(logitsOf(t, m, tested)...); !slices.Equal(got, slices.Concat(logits...)) {
			t.Errorf("%s: logits after a training that was cut off are %v, else %v", name, got, logits)
		}
	}
}

// Seeds trained together learn the same as each seed separately.
func TestClassOfSeeds(t *testing.T) {
	var both [2][]SeedRun
	for i := range both {
		for seed := range uint64(3) {
			m := ringModel(t, func(c *Config) { classes(3, nil, 0)(c); c.Seed, c.Float64 = seed, true })
			both[i] = append(both[i], SeedRun{Model: m, Training: trajectories(t, 3, 1+int(seed), classInputs, 10*seed)[:3],
				Validation: trajectories(t, 3, 1, classInputs, 100),
				Config:     train.Config{Epochs: 5, BatchSize: 2, AdamW: train.AdamW{LearningRate: 0.01, Epsilon: 1e-3}}})
		}
	}
	want := alone(t, both[0])
	got, err := FitSeeds(context.Background(), both[1])
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		sameRun(t, "class", got[i].Report, want[i].Report, both[1][i].Model, both[0][i].Model)
	}
}

// atLast hides that a network is recurrent: one program has all of its steps, and the last one forecasts.
type atLast struct{ sequence.Network }

func (a atLast) Params(s sequence.Sizes) []nn.Param {
	s.PerTime = true
	return a.Network.Params(s)
}

func (a atLast) Forecast(v nn.Values, s sequence.Sizes, in sequence.Inputs) *Node {
	s.PerTime = true
	return SliceAxis(a.Network.Forecast(v, s, in), 1, AxisElem(-1))
}

// Blocks give the same class, loss and gradient as one program for all steps: for one block, several blocks, and
// blocks of one step, for a prime number above the largest block.
func TestClassInBlocks(t *testing.T) {
	ctx, network := context.Background(), rivals.DCRNN{Hidden: 3, Order: 1}
	for _, observations := range []int{10, 12, 7, 13, 20, 60} {
		windows := trajectories(t, 2, 1, observations, 3)
		var losses, logits [2][]float64
		var slopes [2][][]float64
		var models [2]*Model
		for i, network := range []sequence.Network{network, atLast{network}} {
			m := ringModel(t, func(c *Config) { classes(2, network, 0)(c); c.Float64, c.Normalise = true, dyngraph.Raw })
			if _, ok := m.network.(*recurrent); ok != (i == 0) {
				t.Fatalf("%T is a %T", network, m.network)
			}
			models[i] = m
			made, err := batches(m.backend, len(windows), source{m, windows, nil})
			if err != nil {
				t.Fatal(err)
			}
			loss, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
			if err != nil {
				t.Fatal(err)
			}
			again, err := lossOf(ctx, m.network, m.params, made[0])
			if err != nil {
				t.Fatal(err)
			}
			losses[i], logits[i] = []float64{loss, again}, slices.Concat(logitsOf(t, m, windows)...)
			for _, g := range gradients {
				slopes[i] = append(slopes[i], host.Floats(g))
			}
			xla.Free(gradients...)
			freeAll(made)
		}
		fixture.Close(t, "losses", losses[0], losses[1], 1e-13)
		fixture.Close(t, "logits", logits[0], logits[1], 1e-13)
		for i, p := range models[0].declared {
			fixture.Close(t, "gradient of "+p.Name, slopes[0][i], slopes[1][i], 1e-11)
		}
	}
}

// counting counts the steps that are built.
type counting struct {
	rivals.DCRNN
	steps *int
}

func (c counting) Step(v nn.Values, s sequence.Sizes, graph *equivariant.Matrix, x, state *Node) (next, y *Node) {
	*c.steps++
	return c.DCRNN.Step(v, s, graph, x, state)
}

// Two hundred observations compile the same steps as ten, and the plan has a state for each block.
func TestClassOfManyObservations(t *testing.T) {
	built := make(map[int]int)
	for _, observations := range []int{10, 200} {
		steps, windows := 0, trajectories(t, 2, 1, observations, 3)
		m := ringModel(t, classes(2, counting{rivals.DCRNN{Hidden: 3, Layers: 1, Order: 1}, &steps}, 0))
		if _, err := m.Fit(context.Background(), windows, windows, train.Config{Epochs: 1, BatchSize: 2}); err != nil {
			t.Fatal(err)
		}
		logitsOf(t, m, windows)
		built[observations] = steps
		plan, err := m.Plan(windows, 2, 0)
		if err != nil || plan.Saves != int64(2*ringNodes*3*4*observations/10) || plan.Temporary <= 0 {
			t.Errorf("%d observations: plan %+v (%v), want the states before %d blocks", observations, plan, err,
				observations/10)
		}
	}
	if built[200] != built[10] || built[10] == 0 {
		t.Errorf("%d steps are built for 200 observations, %d for 10", built[200], built[10])
	}
}

// Training can be planned for every kind of classifier.
func TestPlanOfClass(t *testing.T) {
	windows := trajectories(t, 3, 1, classInputs, 1)
	for name, c := range classifiers {
		m := ringModel(t, func(cfg *Config) {
			c.change(cfg)
			if name == "stidgcn" {
				cfg.Network = rivals.STIDGCN{Channels: 2} // with dropout
			}
		})
		if plan, err := m.Plan(windows, 3, 0); err != nil || plan.Data <= 0 || plan.Temporary <= 0 ||
			plan.Parameters != int64(4*4*m.Parameters()) {
			t.Errorf("%s: %+v (%v)", name, plan, err)
		}
	}
}

// Configurations that make no sense, and windows without a class, are refused by an error that says why.
func TestClassRefused(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(*Config)
	}{
		{"a class of 1, want an output for each class, 2 or more", func(c *Config) { c.Outputs = 0 }},
		{"a class with Parity", func(c *Config) { c.Parity = true }},
		{"states of width 0", func(c *Config) { c.Network = stateless{} }},
	} {
		config := Config{Nodes: 3, Features: 1, Outputs: 2, Head: head.Class{}}
		c.change(&config)
		if _, err := New(xlatest.Go(t), config); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want ErrInput that says %q", err, c.says)
		}
	}
	for name, network := range map[string]sequence.Network{"peng": nil, "dcrnn": rivals.DCRNN{Hidden: 3}} {
		m := ringModel(t, classes(2, network, 0))
		for says, change := range map[string]func(s *dyngraph.Series){
			"no class, its target of the graph at snapshot 7 is NaN": func(s *dyngraph.Series) { s.GraphTargets[7][0] = nan },
			"class 2 at snapshot 7, want an integer 0 to 1":          func(s *dyngraph.Series) { s.GraphTargets[7][0] = 2 },
			"class -1 at": func(s *dyngraph.Series) { s.GraphTargets[7][0] = -1 },
			"class 0.5":   func(s *dyngraph.Series) { s.GraphTargets[7][0] = 0.5 },
			"1 targets of the graph at 0 times, want its class as the only one": func(s *dyngraph.Series) {
				s.GraphTargets = nil
			},
			"2 targets of the graph at 8 times, want its class as the only one": func(s *dyngraph.Series) {
				s.TargetSize, s.GraphTargets = 2, slices.Repeat([][]float64{{1, 0}}, classInputs)
			},
			"graph target 0 is +Inf": func(s *dyngraph.Series) { s.GraphTargets[7][0] = math.Inf(1) },
			"9 knots":                func(s *dyngraph.Series) { *s = *growing(t, 1, 9, 1) },
		} {
			s := growing(t, 1, classInputs, 1)
			change(s)
			windows := []dyngraph.Window{growing(t, 0, classInputs, 1).Whole(), s.Whole()}
			report, err := m.Fit(context.Background(), windows, nil, train.Config{Epochs: 1, BatchSize: 2, EvaluateEvery: -1})
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), says) || report != nil {
				t.Errorf("%s: %v, want ErrInput that says %q", name, err, says)
			}
		}
		alone := []dyngraph.Window{growing(t, 1, classInputs, 1).Whole(), growing(t, 1, classInputs, 2).Whole()}
		report, err := m.Fit(context.Background(), alone, trajectories(t, 2, 1, classInputs, 1), train.Config{Epochs: 1})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "no window of class 0 for training") || report != nil {
			t.Errorf("%s: %v, want ErrInput that names class 0", name, err)
		}
		unknown := growing(t, 0, classInputs, 1)
		unknown.GraphTargets = nil
		logitsOf(t, m, []dyngraph.Window{unknown.Whole()})
	}
}
