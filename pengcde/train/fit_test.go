package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// bowl is the loss Σ (p - target)² / 2 on one parameter array, plus faults that a test injects.
type bowl struct {
	target      []float64
	validations []float64 // returned in turn, the last again and again; nil: the loss
	calls       int
	poison      int // batch call from which the gradient is NaN, 0 for never
	fail        error
	cancel      func()
	cancelAt    int
}

func (b *bowl) Batches() int { return 2 }

func (b *bowl) loss(p []float64) (loss float64) {
	for i, target := range b.target {
		loss += (p[i] - target) * (p[i] - target) / 2
	}
	return loss
}

func (b *bowl) Gradient(_ context.Context, params []*tensors.Tensor, _ int) (float64, []*tensors.Tensor, error) {
	if b.fail != nil {
		return 0, nil, b.fail
	}
	b.calls++
	if b.cancel != nil && b.calls == b.cancelAt {
		b.cancel()
	}
	p := tensors.MustCopyFlatData[float64](params[0])
	g := make([]float64, len(p))
	for i := range p {
		g[i] = p[i] - b.target[i]
	}
	if b.poison > 0 && b.calls >= b.poison {
		g[0] = math.NaN()
	}
	return b.loss(p), []*tensors.Tensor{tensors.FromValue(g)}, nil
}

func (b *bowl) Validate(_ context.Context, params []*tensors.Tensor) (float64, error) {
	if len(b.validations) == 0 {
		return b.loss(tensors.MustCopyFlatData[float64](params[0])), nil
	}
	v := b.validations[0]
	if len(b.validations) > 1 {
		b.validations = b.validations[1:]
	}
	return v, nil
}

func start() []*tensors.Tensor { return []*tensors.Tensor{tensors.FromValue([]float64{0, 0})} }

func TestFitReachesTheMinimum(t *testing.T) {
	b := &bowl{target: []float64{1, -0.5}}
	var last Progress
	params, report, err := Fit(context.Background(), xlatest.Backend(t), b, start(), Config{Epochs: 300, Patience: 300,
		AdamW: AdamW{WeightDecay: NoDecay}, Progress: func(p Progress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	got := tensors.MustCopyFlatData[float64](params[0])
	for i, want := range b.target {
		if !(math.Abs(got[i]-want) <= 1e-3) {
			t.Errorf("parameter %d: %g, want %g", i, got[i], want)
		}
	}
	if len(report.Epochs) != 300 || last.Epoch != 300 || report.Stop != StopEpochs || last.Left != 0 {
		t.Errorf("%d epochs, progress %+v, stop %q", len(report.Epochs), last, report.Stop)
	}
}

func TestEarlyStopKeepsTheBest(t *testing.T) {
	b := &bowl{target: []float64{1, -0.5}, validations: []float64{3, 1, 2}}
	params, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	// Validations after epochs 0, 5, 10, ...: the best at 5, and three without improvement by 20; epoch 20 does not
	// exceed the minimum, epoch 25 does.
	if report.Best != 5 || report.BestValidation != 1 || report.Stop != StopPatience || len(report.Epochs) != 26 {
		t.Errorf("best %d (%g), stop %q after %d epochs, want 5 (1), %q after 26", report.Best, report.BestValidation,
			report.Stop, len(report.Epochs), StopPatience)
	}
	again, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: b.target}, start(),
		Config{Epochs: 6, EvaluateEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !again[0].Equal(params[0]) {
		t.Errorf("kept %v, want the parameters after 6 epochs %v", params[0], again[0])
	}
}

// A validation that is good enough ends training at once, and its parameters are kept.
func TestTargetStops(t *testing.T) {
	for _, c := range []struct {
		target float64
		epochs int
		stop   Stop
	}{{0, 26, StopPatience}, {0.5, 26, StopPatience}, {1, 6, StopTarget}, {2, 6, StopTarget}, {3, 1, StopTarget}} {
		b := &bowl{target: []float64{1, -0.5}, validations: []float64{3, 1, 2}}
		_, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), Config{Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Epochs) != c.epochs || report.Stop != c.stop || report.Best != min(5, c.epochs-1) {
			t.Errorf("target %g: best %d, stop %q after %d epochs, want %q after %d", c.target, report.Best, report.Stop,
				len(report.Epochs), c.stop, c.epochs)
		}
	}
}

func TestInterruptKeepsTheBest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := &bowl{target: []float64{1, 1}, cancel: cancel, cancelAt: 7}
	params, report, err := Fit(ctx, xlatest.Go(t), b, start(), Config{EvaluateEvery: 1})
	if !errors.Is(err, context.Canceled) || report.Stop != StopInterrupted || report.Best != 2 {
		t.Errorf("error %v, stop %q, best %d, want canceled, interrupted, 2", err, report.Stop, report.Best)
	}
	if !params[0].Ok() {
		t.Error("no parameters were kept")
	}
}

func TestNotFiniteKeepsTheBest(t *testing.T) {
	b := &bowl{target: []float64{1, 1}, poison: 5}
	params, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), Config{EvaluateEvery: 1})
	if !errors.Is(err, ErrNotFinite) || report.Stop != StopNotFinite {
		t.Errorf("error %v, stop %q, want not finite", err, report.Stop)
	}
	for _, v := range tensors.MustCopyFlatData[float64](params[0]) {
		if math.IsNaN(v) {
			t.Error("the kept parameters are NaN")
		}
	}
}

// The report gives the reason why training stopped at an error other than divergence.
func TestErrorStops(t *testing.T) {
	b := &bowl{target: []float64{1, 1}, fail: errors.New("out of memory")}
	_, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), Config{EvaluateEvery: 1})
	if !errors.Is(err, b.fail) || !strings.HasPrefix(string(report.Stop), string(StopError)) ||
		!strings.Contains(string(report.Stop), "out of memory") {
		t.Errorf("error %v, stop %q, want both to tell of the error", err, report.Stop)
	}
}

// A zero field resolves to its default, and a negative constant to none.
func TestResolved(t *testing.T) {
	adamW := AdamW{LearningRate: 1e-2, WeightDecay: 1e-4, Clip: 1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	want := Config{AdamW: adamW, Epochs: 200, EvaluateEvery: 5, Patience: 15, MinEpochs: 20, BatchSize: 1}
	for name, c := range map[string]struct {
		config Config
		same   bool
	}{
		"defaults": {Config{}, true}, "written out": {want, true}, "no decay": {Config{AdamW: AdamW{WeightDecay: NoDecay}},
			false},
		"no clip":       {Config{AdamW: AdamW{Clip: NoClip}}, false},
		"no validation": {Config{EvaluateEvery: NoValidation}, false},
		"stops at once": {Config{MinEpochs: AtOnce}, false}, "target": {Config{Target: 0.1}, false},
		"epochs": {Config{Epochs: 201}, false},
	} {
		got, err := c.config.Resolved()
		if err != nil || reflect.DeepEqual(got, want) != c.same {
			t.Errorf("%s: %+v, %v; want it the same as the defaults: %t", name, got, err, c.same)
		}
	}
}

// Trainings that share a compiled update end with the same parameters as separate ones. An update made for other
// settings is refused.
func TestFitsShareAnUpdate(t *testing.T) {
	config := Config{Epochs: 30, EvaluateEvery: NoValidation, AdamW: AdamW{LearningRate: 0.1}}
	update, err := NewUpdate(xlatest.Go(t), config.AdamW)
	if err != nil {
		t.Fatal(err)
	}
	defer update.Close()
	for _, target := range [][]float64{{1, -2}, {3, 0.5}} {
		want, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: target}, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		shared := config
		shared.Update = update
		got, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: target}, start(), shared)
		if err != nil {
			t.Fatal(err)
		}
		x, y := tensors.MustCopyFlatData[float64](got[0]), tensors.MustCopyFlatData[float64](want[0])
		if !slices.Equal(x, y) {
			t.Errorf("%v with the shared update, alone %v", x, y)
		}
	}
	config.Update, config.AdamW.LearningRate = update, 0.2
	if _, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: []float64{1, 1}}, start(),
		config); !errors.Is(err, ErrInput) {
		t.Errorf("an update of other settings: %v, want an input error", err)
	}
}

func TestInputErrors(t *testing.T) {
	for name, config := range map[string]Config{
		"negative target":        {Target: -1},
		"infinite target":        {Target: math.Inf(1)},
		"NaN target":             {Target: math.NaN()},
		"target, no validation":  {Target: 1, EvaluateEvery: NoValidation},
		"infinite learning rate": {AdamW: AdamW{LearningRate: math.Inf(1)}},
		"NaN rate":               {AdamW: AdamW{LearningRate: math.NaN()}},
		"NaN decay":              {AdamW: AdamW{WeightDecay: math.NaN()}},
		"infinite decay":         {AdamW: AdamW{WeightDecay: math.Inf(1)}},
		"NaN clip":               {AdamW: AdamW{Clip: math.NaN()}}, "infinite epsilon": {AdamW: AdamW{Epsilon: math.Inf(1)}},
		"negative epochs": {Epochs: -1}, "beta": {AdamW: AdamW{Beta1: 1}}, "learning rate": {AdamW: AdamW{LearningRate: -1}},
	} {
		if _, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{}, start(), config); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

// Without an open backend there is no update, and the parameters come back.
func TestFitWithoutABackend(t *testing.T) {
	for _, backend := range []*xla.Backend{nil, {}} {
		params := start()
		got, _, err := Fit(context.Background(), backend, &bowl{}, params, Config{})
		if !errors.Is(err, ErrInput) || !errors.Is(err, xla.ErrNotOpen) || len(got) != len(params) {
			t.Errorf("%v with %d parameters, want ErrInput and the %d given", err, len(got), len(params))
		}
	}
}

// AdamW against the formula of its doc, entry by entry in plain Go, over steps with and without clipping.
func TestAdamWAgainstFormula(t *testing.T) {
	const lr, decay, b1, b2, eps = 0.03, 0.1, 0.8, 0.95, 1e-6
	p, m, v := []float64{1, -2, 0.5}, make([]float64, 3), make([]float64, 3)
	params := []*tensors.Tensor{tensors.FromValue([]float64{1, -2}), tensors.FromValue([]float64{0.5})}
	o, err := NewOptimiser(xlatest.Backend(t), AdamW{LearningRate: lr, WeightDecay: decay, Clip: 2, Beta1: b1,
		Beta2: b2, Epsilon: eps}, params)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for step := 1; step <= 5; step++ {
		if step == 2 { // changes nothing, and does not count
			nan := tensors.FromValue([]float64{1, math.NaN()})
			if params, _, err = o.Step(params, []*tensors.Tensor{nan, tensors.FromValue([]float64{1})}); err != nil {
				t.Fatal(err)
			}
		}
		g := []float64{0.3 * float64(step), -0.7 * float64(step), 0.1}
		norm := math.Sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
		var got float64
		params, got, err = o.Step(params, []*tensors.Tensor{tensors.FromValue([]float64{g[0], g[1]}),
			tensors.FromValue([]float64{g[2]})})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(got-norm) <= 1e-12) {
			t.Errorf("norm %g, want %g", got, norm)
		}
		for i := range p {
			clipped := g[i] * math.Min(1, 2/norm)
			m[i] = b1*m[i] + (1-b1)*clipped
			v[i] = b2*v[i] + (1-b2)*clipped*clipped
			mHat, vHat := m[i]/(1-math.Pow(b1, float64(step))), v[i]/(1-math.Pow(b2, float64(step)))
			p[i] -= lr * (mHat/(math.Sqrt(vHat)+eps) + decay*p[i])
		}
		now := append(tensors.MustCopyFlatData[float64](params[0]), tensors.MustCopyFlatData[float64](params[1])...)
		for i := range p {
			if !(math.Abs(now[i]-p[i]) <= 1e-13) {
				t.Errorf("step %d, entry %d: %.15g, want %.15g", step, i, now[i], p[i])
			}
		}
	}
}

// A training whose time is over ends within an epoch, with validated parameters, and a later call finds it ended.
func TestMaxTime(t *testing.T) {
	b := &bowl{target: []float64{1, -0.5}}
	config := Config{MaxTime: 1, EvaluateEvery: 3, Checkpoint: &Checkpoint{Path: filepath.Join(t.TempDir(), "c")}}
	for range 2 {
		_, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		if b.calls != 1 || len(report.Epochs) != 1 || report.Best != 0 || report.Stop != StopTime {
			t.Errorf("%d batches in %d epochs, best %d, stop %q, want one batch of an epoch and %q", b.calls,
				len(report.Epochs), report.Best, report.Stop, StopTime)
		}
		if loss := report.Epochs[0].TrainLoss; loss != 0.625 { // of the first of two batches
			t.Errorf("loss %g, want the mean over the batches that were used", loss)
		}
	}
	config.MaxTime = time.Hour // a later call with more time goes on
	if _, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), config); err != nil ||
		len(report.Epochs) < 2 || report.Stop == StopTime {
		t.Errorf("%v, %d epochs, stop %q with more time", err, len(report.Epochs), report.Stop)
	}
	last := Config{Epochs: 1, EvaluateEvery: 1, Checkpoint: &Checkpoint{Path: filepath.Join(t.TempDir(), "c")}}
	for _, last.MaxTime = range []time.Duration{1, time.Hour} { // with more time there is still no second epoch
		_, report, err := Fit(context.Background(), xlatest.Go(t), b, start(), last)
		if err != nil || len(report.Epochs) != 1 || report.Stop != StopTime {
			t.Errorf("%v, %d epochs of 1, stop %q after %v", err, len(report.Epochs), report.Stop, last.MaxTime)
		}
	}
}
