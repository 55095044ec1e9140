package pengcde

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// visibleRing returns knownRing with newest values: windows of length 4 show three values of each node.
func visibleRing(t *testing.T) *dyngraph.Series {
	s := knownRing(t)
	for k := range s.Times {
		newest := make([]float64, ringNodes)
		for u := range newest {
			newest[u] = s.Features[k][2*u] + 0.1*math.Cos(float64(k*u))
		}
		s.LastObserved = append(s.LastObserved, newest)
	}
	return s
}

func withLinear(c *Config) { c.Float64, c.Head = true, head.Corrected{Linear: head.Linear{Values: 3}} }

// corrected is a configuration with a changed linear part.
func corrected(change func(*head.Corrected)) func(*Config) {
	return func(c *Config) {
		h := c.Head.(head.Corrected)
		change(&h)
		c.Head = h
	}
}

func linearOf(m *Model) head.Linear { return m.Config().Head.(head.Corrected).Linear }

func linearRing(t *testing.T, change func(*Config)) (*Model, []dyngraph.Window) {
	t.Helper()
	windows, err := visibleRing(t).Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	return ringModel(t, func(c *Config) {
		withLinear(c)
		if change != nil {
			change(c)
		}
	}), windows
}

// still is a training whose steps change nothing.
var still = train.Config{Epochs: 1, EvaluateEvery: -1, AdamW: train.AdamW{LearningRate: 1e-300}}

// Training starts from the coefficients of a QR least-squares fit to the regressors and targets, with an added row of
// the root of the penalty for each coefficient. With a prior the fit is to the residual of the prior.
func TestLinearStartsFromRidge(t *testing.T) {
	for name, residual := range map[string]bool{"target": false, "deviation": true} {
		m, windows := linearRing(t, corrected(func(h *head.Corrected) { h.Residual = residual }))
		known, tested := windows[:12], windows[15]
		for _, prior := range [][]float64{nil, {1, 0.5, -2, 0.3, 0.2, 0.1, 4}} {
			if err := m.SetPrior(prior, 0); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Fit(context.Background(), known, nil, still); err != nil {
				t.Fatal(err)
			}
			var x, y []float64
			row := func(w dyngraph.Window, u int) []float64 {
				var own, means []float64
				for _, v := range w.Visible() {
					mean := 0.0
					for _, one := range v {
						mean += one / ringNodes
					}
					own, means = append(own, v[u]-mean), append(means, mean)
				}
				return slices.Concat(own, means, []float64{1})
			}
			base := func(w dyngraph.Window, u int) (sum float64) {
				if residual {
					sum = w.Series.RecentMean[w.Last()-1][u]
				}
				for i, b := range prior {
					sum += b * row(w, u)[i]
				}
				return sum
			}
			for _, w := range known {
				for u := range ringNodes {
					x, y = append(x, row(w, u)...), append(y, w.Target()[u]-base(w, u))
				}
			}
			root := math.Sqrt(0.1 * float64(len(y)))
			for i := range 7 {
				shrink := make([]float64, 7)
				shrink[i] = root
				x, y = append(x, shrink...), append(y, 0)
			}
			var b mat.VecDense
			if err := b.SolveVec(mat.NewDense(len(y), 7, x), mat.NewVecDense(len(y), y)); err != nil {
				t.Fatal(err)
			}
			for u, got := range forecast(t, m, tested) {
				want := base(tested, u) + mat.Dot(&b, mat.NewVecDense(7, row(tested, u)))
				if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
					t.Errorf("%s, prior %v, node %d: %g, want %g", name, prior, u, got, want)
				}
			}
		}
	}
}

// If no value is missing, the linear part has the same span as the ridge of package baseline: with a negligible penalty
// both forecast the same.
func TestLinearSpansTheRidge(t *testing.T) {
	const penalty = 1e-10
	m, windows := linearRing(t, corrected(func(h *head.Corrected) { h.Linear.Penalty = penalty }))
	if _, err := m.Fit(context.Background(), windows[:12], nil, still); err != nil {
		t.Fatal(err)
	}
	ridge := &baseline.Ridge{Penalty: penalty}
	if err := ridge.Fit(windows[:12], nil); err != nil {
		t.Fatal(err)
	}
	want, err := ridge.Forecast(windows[15])
	if err != nil {
		t.Fatal(err)
	}
	for u, got := range forecast(t, m, windows[15]) {
		if !(math.Abs(got-want[u]) <= 1e-4) {
			t.Errorf("node %d: %g, the ridge forecasts %g", u, got, want[u])
		}
	}
}

// Gradients agree with differences of the loss and of the penalty, also where targets and visible values are missing.
func TestLinearGradient(t *testing.T) {
	m, windows := linearRing(t, corrected(func(h *head.Corrected) {
		h.Linear.Prior = []float64{1, 0.5, -2, 0.3, 0.2, 0.1, 4}
	}))
	if err := m.SetPrior(linearOf(m).Prior, 0.3); err != nil {
		t.Fatal(err)
	}
	series := windows[0].Series
	series.Targets[4][1], series.LastObserved[2][2] = math.NaN(), math.NaN()
	ctx := context.Background()
	for i, p := range m.declared { // away from zero, where a readout has no gradient before its last layer
		values := host.Floats(m.params[i])
		for k := range values {
			values[k] += 0.1 * math.Sin(float64(i+3*k+1))
		}
		m.params[i] = host.Tensor(m.config.dtype(), values, p.Dims...)
	}
	made, err := batches(m.backend, 3, source{m, windows[:3], nil})
	if err != nil {
		t.Fatal(err)
	}
	defer freeAll(made)
	_, gradients, err := gradientOf(ctx, m.network, m.params, made[0])
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(gradients...)
	for i, p := range m.declared {
		values := host.Floats(m.params[i])
		for entry := range values {
			objective := func(h float64) float64 {
				moved, params := slices.Clone(values), slices.Clone(m.params)
				moved[entry] += h
				params[i] = host.Tensor(m.config.dtype(), moved, p.Dims...)
				defer xla.Free(params[i])
				loss, err := lossOf(ctx, m.network, params, made[0])
				if err != nil {
					t.Fatal(err)
				}
				if p.Name == "linear" {
					for k, b := range moved {
						apart := b - linearOf(m).Prior[k]
						loss += linearOf(m).Penalty * apart * apart
					}
				}
				return loss
			}
			const h = 1e-5
			got, want := host.Floats(gradients[i])[entry], (objective(h)-objective(-h))/(2*h)
			if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("gradient of %s[%d] is %g, by differences %g", p.Name, entry, got, want)
			}
		}
	}
}

// Both parts learn. The model is unchanged after saving and loading, at all times of a forecast.
func TestLinearTrainsSavesAndLoads(t *testing.T) {
	m, windows := linearRing(t, corrected(func(h *head.Corrected) { h.Linear.Prior = []float64{0, 0, 0.5, 0, 0, 0.5, 0} }))
	ctx := context.Background()
	if _, err := m.Fit(ctx, windows[:12], nil, still); err != nil {
		t.Fatal(err)
	}
	before := make(map[string][]float64)
	for _, p := range m.declared {
		before[p.Name], _ = m.Parameter(p.Name)
	}
	report, err := m.Fit(ctx, windows[:12], nil, train.Config{Epochs: 30, EvaluateEvery: -1, BatchSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := report.Epochs[0].TrainLoss, report.Epochs[29].TrainLoss; last > 0.9*first {
		t.Errorf("loss %g after 30 epochs, %g with the linear part alone", last, first)
	}
	for name, old := range before {
		last := "readout.layers.2.bias" // has no part in differences between nodes
		if now, _ := m.Parameter(name); name != last && slices.Equal(now, old) {
			t.Errorf("%s did not learn", name)
		}
	}
	path := filepath.Join(t.TempDir(), "linear")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(m.backend, path)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	for _, times := range [][]float64{nil, {0, 1, 2}, {2, 3}} {
		want, err := m.Predict(ctx, windows[15], times, HoldControl())
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(ctx, windows[15], times, HoldControl())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Values, want.Values) {
			t.Errorf("times %v: the loaded model forecasts %g, the saved one %g", times, got.Values, want.Values)
		}
	}
	if !slices.Equal(linearOf(loaded).Prior, linearOf(m).Prior) {
		t.Errorf("the loaded prior is %v", linearOf(loaded).Prior)
	}
}

// An interrupted training continues from its checkpoint to the same file, unless the prior has changed.
func TestCutLinearTrainsOn(t *testing.T) {
	m, windows := linearRing(t, nil)
	ctx, folder := context.Background(), t.TempDir()
	saved := func() []byte {
		path := filepath.Join(folder, "model")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	config := train.Config{Epochs: 4, EvaluateEvery: -1, BatchSize: 5}
	if _, err := m.Fit(ctx, windows[:12], nil, config); err != nil {
		t.Fatal(err)
	}
	whole := saved()
	config.Checkpoint = &train.Checkpoint{Path: filepath.Join(folder, "cut"), Every: -1}
	cutting, cancel := context.WithCancel(ctx)
	cut := config
	cut.Progress = func(p train.Progress) {
		if p.Epoch == 2 {
			cancel()
		}
	}
	m.Reset(1)
	if _, err := m.Fit(cutting, windows[:12], nil, cut); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want canceled", err)
	}
	m.Reset(1)
	if _, err := m.Fit(ctx, windows[:12], nil, config); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved(), whole) {
		t.Error("the parameters differ")
	}
	m.Reset(1)
	if err := m.SetPrior(make([]float64, 7), 0.1); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(ctx, windows[:12], nil, config); !errors.Is(err, train.ErrCheckpoint) {
		t.Errorf("another prior: %v, want ErrCheckpoint", err)
	}
}

// Seeds trained together give the same results as each seed separately.
func TestLinearSeeds(t *testing.T) {
	backend, config := xlatest.Go(t), train.Config{Epochs: 3, EvaluateEvery: -1, BatchSize: 4}
	_, windows := linearRing(t, nil)
	models := func() (all []*Model) {
		for seed := range 2 {
			all = append(all, ringModelOn(t, backend, func(c *Config) {
				withLinear(c)
				c.Seed = uint64(seed + 5)
			}))
		}
		return all
	}
	together, alone := models(), models()
	var runs []SeedRun
	for i, m := range together {
		runs = append(runs, SeedRun{m, windows[i : i+10], nil, config})
		if _, err := alone[i].Fit(context.Background(), windows[i:i+10], nil, config); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := FitSeeds(context.Background(), runs); err != nil {
		t.Fatal(err)
	}
	for i := range together {
		got, want := forecast(t, together[i], windows[16]), forecast(t, alone[i], windows[16])
		for u := range want {
			if !(math.Abs(got[u]-want[u]) <= 1e-9) {
				t.Errorf("run %d, node %d: %g, alone %g", i, u, got[u], want[u])
			}
		}
	}
}

func TestLinearErrors(t *testing.T) {
	for name, c := range map[string]Config{
		"no values":        {Head: head.Corrected{Linear: head.Linear{}}},
		"negative values":  {Head: head.Corrected{Linear: head.Linear{Values: -1}}},
		"negative penalty": {Head: head.Corrected{Linear: head.Linear{Values: 3, Penalty: -1}}},
		"short prior":      {Head: head.Corrected{Linear: head.Linear{Values: 3, Prior: []float64{1}}}},
		"prior not finite": {Head: head.Corrected{Linear: head.Linear{Values: 1, Prior: []float64{1, math.NaN(), 0}}}},
		"parity": {Head: head.Corrected{Linear: head.Linear{Values: 3}},
			Equation: Equation{Parity: true}},
		"unknown times": {Head: head.Corrected{Nodes: head.Nodes{At: "noon"}, Linear: head.Linear{Values: 3}}},
		"per time":      {Head: head.Corrected{Nodes: head.Nodes{At: head.AtEach}, Linear: head.Linear{Values: 3}}},
	} {
		c.Nodes, c.Features = 4, 2
		if _, err := New(xlatest.Go(t), c); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
	m, windows := linearRing(t, nil)
	unknown, err := ring(t).Windows(4, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	longer := dyngraph.Window{Series: windows[0].Series, Length: 6}
	noTargets := *windows[0].Series
	noTargets.Targets = nil
	for name, c := range map[string]struct {
		window dyngraph.Window
		want   string
	}{
		"nothing known": {unknown[0], "LastObserved"}, "other length": {longer, "shows 5 values"},
		"a whole series": {windows[0].Series.Whole(), "LastObserved"},
	} {
		_, predict := m.Predict(context.Background(), c.window, nil)
		_, fit := m.Fit(context.Background(), []dyngraph.Window{c.window}, nil, still)
		_, solve := head.Linear{Values: 3}.Solve([]dyngraph.Window{c.window})
		for what, err := range map[string]error{"Predict": predict, "Fit": fit, "Solve": solve} {
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, want ErrInput with %q", name, what, err, c.want)
			}
		}
	}
	if _, err := m.Fit(context.Background(), []dyngraph.Window{{Series: &noTargets, Length: 4}}, nil,
		still); !errors.Is(err, ErrInput) {
		t.Errorf("no targets: %v, want ErrInput", err)
	}
	if _, err := (head.Linear{Values: 3}).Solve(nil); !errors.Is(err, ErrInput) {
		t.Errorf("Solve of no windows: %v, want ErrInput", err)
	}
	if err := m.SetPrior([]float64{1}, 0); !errors.Is(err, ErrInput) {
		t.Errorf("SetPrior of one coefficient: %v, want ErrInput", err)
	}
	if err := ringModel(t, nil).SetPrior(nil, 0); !errors.Is(err, ErrInput) {
		t.Errorf("SetPrior without a linear part: %v, want ErrInput", err)
	}
	m.Close()
	if err := m.SetPrior(nil, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("SetPrior of a closed model: %v, want ErrClosed", err)
	}
}

// A Fit that is refused leaves the model as it was, although the head could be fitted.
func TestRefusedFitKeepsTheModel(t *testing.T) {
	m, windows := linearRing(t, nil)
	if _, err := m.Fit(t.Context(), windows[:2], windows[2:], train.Config{Epochs: 1}); err != nil {
		t.Fatal(err)
	}
	before, err := m.PredictAll(t.Context(), windows, nil)
	if err != nil {
		t.Fatal(err)
	}
	short := windows[2]
	short.Length = 99
	for name, fit := range map[string]func() (*train.Report, error){
		"epochs":     func() (*train.Report, error) { return m.Fit(t.Context(), windows, windows, train.Config{Epochs: -1}) },
		"validation": func() (*train.Report, error) { return m.Fit(t.Context(), windows, []dyngraph.Window{short}, still) },
	} {
		if _, err := fit(); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want an error about the input", name, err)
		}
		after, err := m.PredictAll(t.Context(), windows, nil)
		if err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s: the refused fit changed the model's forecasts: %v", name, err)
		}
	}
}

// misled is a head whose Start returns what a model cannot take.
type misled struct {
	head.Corrected
	Values map[string][]float64
}

func (h misled) Sized(s head.Sizes) (head.Head, error) {
	sized, err := h.Corrected.Sized(s)
	if err == nil {
		h.Corrected = sized.(head.Corrected)
	}
	return h, err
}

func (h misled) Start([]dyngraph.Window, func(dyngraph.Window) error) (map[string][]float64, error) {
	return h.Values, nil
}

func TestStartThatDoesNotFit(t *testing.T) {
	for says, values := range map[string]map[string][]float64{`"linaer"`: {"linaer": {1}},
		"1 entries": {"linear": {1}}} {
		m, windows := linearRing(t, func(c *Config) { c.Head = misled{c.Head.(head.Corrected), values} })
		_, err := m.Fit(t.Context(), windows, nil, still)
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error that says %q", err, says)
		}
	}
}
