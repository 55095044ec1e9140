package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// stumbling is a bowl whose gradients are faulty at some calls, counted from 1 without the refined calls.
type stumbling struct {
	bowl
	wrong       map[int]stumble
	refinements int
}

// stumble changes what a gradient call returns.
type stumble func(loss *float64, gradient []float64) error

func notANumber(_ *float64, gradient []float64) error {
	gradient[0] = math.NaN()
	return nil
}

func (s *stumbling) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	loss, gradients, err := s.bowl.Gradient(ctx, params, batch)
	if wrong := s.wrong[s.calls]; err == nil && wrong != nil {
		gradient := tensors.MustCopyFlatData[float64](gradients[0])
		err = wrong(&loss, gradient)
		gradients = []*tensors.Tensor{tensors.FromValue(gradient)}
	}
	return loss, gradients, err
}

// recovering is a stumbling bowl whose refined gradients are right, unless again injects faults.
type recovering struct {
	stumbling
	again stumble
	until int // times of refinement that are wrong; 0 for all
}

func (r *recovering) Refine(ctx context.Context, params []*tensors.Tensor, batch, times int) (float64,
	[]*tensors.Tensor, error) {
	if r.refinements++; times < 1 {
		panic("refined no times")
	}
	calls := r.calls
	loss, gradients, err := r.bowl.Gradient(ctx, params, batch)
	if r.calls = calls; err == nil && r.again != nil && (r.until == 0 || times <= r.until) {
		gradient := tensors.MustCopyFlatData[float64](gradients[0])
		err = r.again(&loss, gradient)
		gradients = []*tensors.Tensor{tensors.FromValue(gradient)}
	}
	return loss, gradients, err
}

var (
	_ Refiner = (*recovering)(nil)

	downhill = []float64{1, -0.5}
)

// stumbles are all ways in which a gradient cannot be used.
var stumbles = map[string]stumble{
	"NaN gradient": notANumber,
	"infinite gradient": func(_ *float64, gradient []float64) error {
		gradient[1] = math.Inf(-1)
		return nil
	},
	"NaN loss": func(loss *float64, _ []float64) error {
		*loss = math.NaN()
		return nil
	},
	"state not finite": func(*float64, []float64) error { return fmt.Errorf("solve: %w", ErrNotFinite) },
	"step limit":       func(*float64, []float64) error { return fmt.Errorf("solve: %w", ErrUnsolved) },
}

func guardedConfig(guard *Guard) Config {
	return Config{Epochs: 4, EvaluateEvery: 1, AdamW: AdamW{LearningRate: 0.1}, Guard: guard}
}

// byHand computes AdamW on the bowl for the given number of steps.
func byHand(t *testing.T, config Config, steps int) []float64 {
	t.Helper()
	b, params := &bowl{target: downhill}, start()
	o, err := NewOptimiser(xlatest.Go(t), config.AdamW, params)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for range steps {
		_, gradients, _ := b.Gradient(context.Background(), params, 0)
		if params, _, err = o.Step(params, gradients); err != nil {
			t.Fatal(err)
		}
	}
	return tensors.MustCopyFlatData[float64](params[0])
}

// One bad gradient ends a training as published. A guard skips it, and the optimiser, including its step count,
// continues as if the batch did not exist.
func TestGuardSkips(t *testing.T) {
	for name, wrong := range stumbles {
		p := &stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{4: wrong}}
		if _, _, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(nil)); err == nil {
			t.Errorf("%s: the published rule goes on", name)
		}
		config := guardedConfig(&Guard{})
		p = &stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{4: wrong}}
		params, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, want := tensors.MustCopyFlatData[float64](params[0]), byHand(t, config, 7)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: parameters %v, want those after 7 steps %v", name, got, want)
		}
		for i, e := range report.Epochs {
			skipped, largest := 0, e.GradientNorm
			if i == 1 { // calls 3 and 4
				skipped, largest = 1, math.MaxFloat64
			}
			if e.Skipped != skipped || e.Retried != 0 || e.LargestNorm != largest || !finite(e.TrainLoss) {
				t.Errorf("%s, epoch %d: %+v, want %d skipped", name, i, e, skipped)
			}
		}
		if loss := p.loss(byHand(t, config, 2)); report.Epochs[1].TrainLoss != loss {
			t.Errorf("%s: the epoch's loss is %g, want %g, of the batch that was used", name, report.Epochs[1].TrainLoss, loss)
		}
	}
}

// A gradient that is right the second time is used, so no batch is lost; a gradient that is wrong again is skipped.
func TestGuardSolvesAgain(t *testing.T) {
	config := guardedConfig(&Guard{})
	want, whole, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: downhill}, start(), config)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range stumbles {
		p := &recovering{stumbling: stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{2: wrong, 5: wrong}}}
		got, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
		if err != nil || !got[0].Equal(want[0]) || p.refinements != 2 {
			t.Errorf("%s: %v after %d refinements, %v, want %v after 2", name, got, p.refinements, err, want[0])
		}
		for i, e := range report.Epochs {
			retried := map[int]int{0: 1, 2: 1}[i]
			if e.Retried != retried || e.Skipped != 0 || e.TrainLoss != whole.Epochs[i].TrainLoss ||
				(e.LargestNorm == math.MaxFloat64) != (retried == 1) {
				t.Errorf("%s, epoch %d: %+v, want %d retried and the loss %g", name, i, e, retried, whole.Epochs[i].TrainLoss)
			}
		}
		for again, worse := range stumbles {
			p := &recovering{stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{8: wrong}}, worse, 0}
			got, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
			last, solves := report.Epochs[3], 3
			if again == "step limit" {
				solves = 1
			}
			if err != nil || last.Retried != 1 || last.Skipped != 1 || p.refinements != solves ||
				!reflect.DeepEqual(tensors.MustCopyFlatData[float64](got[0]), byHand(t, config, 7)) {
				t.Errorf("%s, then %s: %+v, %v, want the batch retried and skipped", name, again, last, err)
			}
		}
	}
}

// A batch is solved again as often as needed, at most Retries times.
func TestGuardRefinesFurther(t *testing.T) {
	for _, c := range []struct{ until, retries, solves, retried, skipped int }{
		{1, 0, 2, 1, 0}, {2, 0, 3, 1, 0}, {3, 0, 3, 1, 1}, {3, 4, 4, 1, 0}, {1, 1, 1, 1, 1}, {1, -1, 0, 0, 1},
	} {
		p := &recovering{stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{8: notANumber}}, notANumber, c.until}
		_, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(&Guard{Retries: c.retries}))
		if err != nil {
			t.Fatal(err)
		}
		if e := report.Epochs[3]; p.refinements != c.solves || e.Retried != c.retried || e.Skipped != c.skipped {
			t.Errorf("%+v: %d further solves, %+v", c, p.refinements, e)
		}
	}
}

// spike returns a stumble that makes a gradient larger.
func spike(by float64) stumble {
	return func(_ *float64, gradient []float64) error {
		for i := range gradient {
			gradient[i] *= by
		}
		return nil
	}
}

// A large gradient that the last two solves agree on is used, and enters the median; a single batch in an epoch would
// otherwise end training.
func TestGuardUsesConfirmedGradients(t *testing.T) {
	config := guardedConfig(&Guard{Window: 4, Retries: 2, Multiple: 10})
	config.AdamW.LearningRate = 1e-6 // the norm stays as it is
	infinite := stumbles["infinite gradient"]
	for name, c := range map[string]struct {
		first, again stumble
		skipped      int
		largest      float64
	}{
		"the same":                      {spike(20), spike(20), 0, 20},
		"confirmed by the refined ones": {notANumber, spike(1000), 0, math.MaxFloat64},
		"within a tenth":                {spike(20), growing(20, 1.1), 0, 22},
		"beyond a tenth":                {spike(20), growing(20, 1.2), 1, 24},
		"not finite":                    {infinite, infinite, 1, math.MaxFloat64},
		"finite, then infinite":         {spike(20), growing(20, 1e300), 1, math.MaxFloat64},
	} {
		p := &recovering{stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{8: c.first}}, c.again, 0}
		_, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		e, largest := report.Epochs[3], c.largest
		if largest != math.MaxFloat64 {
			largest *= math.Hypot(downhill[0], downhill[1])
		}
		if e.Skipped != c.skipped || e.Retried != 1 || p.refinements != 2 || !(math.Abs(e.LargestNorm/largest-1) <= 1e-4) ||
			(e.GradientNorm > 10) != (c.skipped == 0) {
			t.Errorf("%s: %+v, want %d skipped and the largest norm %g", name, e, c.skipped, largest)
		}
	}
}

// growing returns a spike that is larger at each further call.
func growing(by, times float64) stumble {
	return func(loss *float64, gradient []float64) error {
		defer func() { by *= times }()
		return spike(by)(loss, gradient)
	}
}

// A spike counts once the window is full, by the median of the norms that were used.
func TestGuardBoundsTheNorm(t *testing.T) {
	for _, c := range []struct {
		at       int
		by       float64
		multiple float64
		skipped  int
	}{{5, 3, 2, 1}, {4, 3, 2, 0}, {5, 1.9, 2, 0}, {5, 1e100, -1, 0}, {8, 150, 0, 1}, {8, 80, 0, 0}} {
		config := guardedConfig(&Guard{Multiple: c.multiple, Window: 4})
		config.AdamW.LearningRate = 1e-6 // the norm stays as it is
		p := &stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{c.at: spike(c.by)}}
		_, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		e, norm := report.Epochs[(c.at-1)/2], c.by*math.Hypot(downhill[0], downhill[1])
		if e.Skipped != c.skipped || !(math.Abs(e.LargestNorm/norm-1) <= 1e-4) ||
			(e.GradientNorm == e.LargestNorm) != (c.skipped == 0) {
			t.Errorf("%+v: %+v, want %d skipped and %g the largest norm", c, e, c.skipped, norm)
		}
	}
	norms := []float64{5, 1, 3, 9}
	if got := (Guard{Multiple: 10, Window: 4}).bound(norms); got != 40 || norms[0] != 5 {
		t.Errorf("bound of %v is %g, want ten times the median 4", norms, got)
	}
}

// Skips skipped batches in a row end training; a used batch in between restarts the count.
func TestGuardEndsAfterSkipsInARow(t *testing.T) {
	wrong := make(map[int]stumble)
	for _, at := range []int{3, 4, 6, 7, 8} {
		wrong[at] = notANumber
	}
	p := &stumbling{bowl: bowl{target: downhill}, wrong: wrong}
	config := guardedConfig(&Guard{Skips: 3})
	params, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
	if !errors.Is(err, ErrNotFinite) || report.Stop != StopNotFinite || p.calls != 8 ||
		!strings.Contains(err.Error(), "3 batches in a row without a gradient to use, the last in epoch 4, batch 1") {
		t.Errorf("%v, stop %q after %d calls, want the end at the eighth", err, report.Stop, p.calls)
	}
	if e := report.Epochs[1]; e.Skipped != 2 || !math.IsNaN(e.TrainLoss) {
		t.Errorf("epoch without a batch that was used: %+v, want the loss NaN", e)
	}
	if got := tensors.MustCopyFlatData[float64](params[0]); !reflect.DeepEqual(got, byHand(t, config, 3)) {
		t.Errorf("kept %v, want the parameters after three steps", got)
	}
	wrong[5] = func(*float64, []float64) error { return fmt.Errorf("solve: %w", ErrUnsolved) }
	p = &stumbling{bowl: bowl{target: downhill}, wrong: wrong}
	if _, _, err = Fit(context.Background(), xlatest.Go(t), p, start(), config); !errors.Is(err, ErrNotFinite) ||
		!errors.Is(err, ErrUnsolved) || p.calls != 5 {
		t.Errorf("%v after %d calls, want the end at the fifth, with its cause", err, p.calls)
	}
}

// Without faults a guard changes nothing, to the last bit.
func TestGuardWithoutFaults(t *testing.T) {
	want, report, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: downhill}, start(), guardedConfig(nil))
	if err != nil {
		t.Fatal(err)
	}
	got, guarded, err := Fit(context.Background(), xlatest.Go(t), &recovering{stumbling: stumbling{
		bowl: bowl{target: downhill}}}, start(), guardedConfig(&Guard{Window: 2}))
	if err != nil || !got[0].Equal(want[0]) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if diff := cmp.Diff(report, guarded, cmpopts.IgnoreFields(Epoch{}, "Seconds"), cmpopts.IgnoreFields(Report{},
		"Seconds")); diff != "" {
		t.Errorf("(-published +guarded):\n%s", diff)
	}
}

// A guard does not catch errors that are not faults of the batch, or the end of the context.
func TestGuardLetsErrorsThrough(t *testing.T) {
	broken := errors.New("out of memory")
	p := &recovering{stumbling: stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{
		3: func(*float64, []float64) error { return broken }}}}
	if _, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(&Guard{})); !errors.Is(err,
		broken) || p.refinements != 0 || !strings.HasPrefix(string(report.Stop), string(StopError)) {
		t.Errorf("%v, stop %q, want the error", err, report.Stop)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p = &recovering{stumbling: stumbling{bowl: bowl{target: downhill, cancel: cancel, cancelAt: 3},
		wrong: map[int]stumble{3: func(*float64, []float64) error { return fmt.Errorf("cut: %w", ErrUnsolved) }}}}
	if _, report, err := Fit(ctx, xlatest.Go(t), p, start(), guardedConfig(&Guard{})); !errors.Is(err,
		context.Canceled) || p.refinements != 0 || report.Stop != StopInterrupted {
		t.Errorf("%v, stop %q after %d refinements, want canceled", err, report.Stop, p.refinements)
	}
}

// unseen is a bowl whose first validations fail, the last of them with NaN in place of an error.
type unseen struct {
	bowl
	failures int
}

func (u *unseen) Validate(ctx context.Context, params []*tensors.Tensor) (float64, error) {
	switch u.failures--; {
	case u.failures == 0:
		return math.NaN(), nil
	case u.failures > 0:
		return 0, fmt.Errorf("solve: %w", ErrNotFinite)
	}
	return u.bowl.Validate(ctx, params)
}

// A validation that is not finite ends a training as published, and counts as not better with a guard.
func TestGuardOfValidation(t *testing.T) {
	p := &unseen{bowl{target: downhill}, 2}
	if _, _, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(nil)); !errors.Is(err,
		ErrNotFinite) {
		t.Errorf("as published: %v, want ErrNotFinite", err)
	}
	p = &unseen{bowl{target: downhill}, 2}
	_, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(&Guard{}))
	if err != nil || report.Best != 3 || !math.IsInf(report.Epochs[1].Validation, 1) {
		t.Errorf("best %d, validations %+v, %v, want the first two infinite", report.Best, report.Epochs, err)
	}
}

// counting is a bowl whose solver takes one try at the first call, two at the second and so on, one of them rejected.
type counting struct{ recovering }

func (c *counting) Steps() (tries, rejected int) { return c.calls, 1 }

var _ Stepper = (*counting)(nil)

func TestEpochsCountSteps(t *testing.T) {
	p := &counting{recovering{stumbling: stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{3: notANumber}}}}
	_, report, err := Fit(context.Background(), xlatest.Go(t), p, start(), guardedConfig(&Guard{}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ tries, rejected int }{{1 + 2, 2}, {3 + 3 + 4, 3}, {5 + 6, 2}, {7 + 8, 2}} {
		if e := report.Epochs[i]; e.Tries != want.tries || e.Rejected != want.rejected {
			t.Errorf("epoch %d: %d tries, %d rejected, want %+v", i, e.Tries, e.Rejected, want)
		}
	}
}

func TestProgressTellsOfRetriedAndSkipped(t *testing.T) {
	var lines []string
	config := guardedConfig(&Guard{})
	config.Progress = func(p Progress) { lines = append(lines, p.String()) }
	p := &recovering{stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{3: notANumber}}, notANumber, 0}
	if _, _, err := Fit(context.Background(), xlatest.Go(t), p, start(), config); err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		if strings.Contains(line, "  1 retried, 1 skipped") != (i >= 1) || i == 0 && strings.Contains(line, "skipped") {
			t.Errorf("line %d: %q, want both from the second epoch on", i, line)
		}
	}
}
