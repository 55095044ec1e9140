package train

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// Values of half a cosine, worked out by hand: cos 0, 45°, 90°, 135°, 180°.
func TestCosineShares(t *testing.T) {
	s := Schedule{Kind: Cosine, To: 0.2, Epochs: 5}
	root := math.Sqrt(2) / 2
	for epoch, want := range []float64{1, 0.6 + 0.4*root, 0.6, 0.6 - 0.4*root, 0.2, 0.2, 0.2} {
		if got := s.share(make([]Epoch, epoch), 0, 1); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("epoch %d: %.17g, want %.17g", epoch, got, want)
		}
	}
	for i, want := range []float64{1, 0.6 + 0.4*root, 0.6, 0.6 - 0.4*root} { // 9 batches of three epochs of three
		s := Schedule{Kind: Cosine, To: 0.2, Epochs: 3}
		if got := s.share(make([]Epoch, 2*i/3), 2*i%3, 3); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("batch %d: %.17g, want %.17g", 2*i, got, want)
		}
	}
	if got := (Schedule{Kind: Cosine, To: 0.2, Epochs: 1}).share(nil, 0, 1); got != 1 {
		t.Errorf("share of a single step is %g, want 1", got)
	}
}

func TestPlateauShares(t *testing.T) {
	var epochs []Epoch
	s := Schedule{Kind: Plateau, To: 0.2, After: 2}
	none := math.NaN()
	for i, c := range []struct{ validation, share float64 }{{5, 1}, {none, 1}, {5, 1}, {none, 1}, {6, 0.5}, {4, 0.5},
		{4.5, 0.5}, {4, 0.25}, {3, 0.25}, {math.Inf(1), 0.25}, {3, 0.2}, {9, 0.2}, {9, 0.2}} {
		epochs = append(epochs, Epoch{Validation: c.validation})
		if got := s.share(epochs, 3, 7); got != c.share {
			t.Errorf("after %d epochs: %g, want %g", i+1, got, c.share)
		}
	}
}

// A step at a given rate equals the step of an AdamW with that rate, and at the same rate the published step to the
// last bit.
func TestStepAtIsStepWithTheRate(t *testing.T) {
	backend := xlatest.Backend(t)
	rates := []float64{0.3, 0.1, 0.025}
	scheduled, err := NewOptimiser(backend, AdamW{LearningRate: 7}, start32())
	if err != nil {
		t.Fatal(err)
	}
	defer scheduled.Close()
	got, want := start32(), start32()
	for i, rate := range rates {
		alone, err := NewOptimiser(backend, AdamW{LearningRate: rate}, want)
		if err != nil {
			t.Fatal(err)
		}
		defer alone.Close()
		alone.steps, alone.moments = scheduled.steps, copies(t, scheduled.moments)
		gradient := []float32{1.5, -0.7 * float32(i+1), 0.1}
		if want, _, err = alone.Step(want, []*tensors.Tensor{tensors.FromValue(gradient)}); err != nil {
			t.Fatal(err)
		}
		if got, _, err = scheduled.StepAt(rate, got, []*tensors.Tensor{tensors.FromValue(gradient)}); err != nil {
			t.Fatal(err)
		}
		if !got[0].Equal(want[0]) {
			t.Errorf("step %d at %g: %v, want %v", i+1, rate, got[0], want[0])
		}
		want = copies(t, got)
	}
}

func start32() []*tensors.Tensor {
	return []*tensors.Tensor{tensors.FromValue([]float32{1, -2, 0.5})}
}

func copies(t *testing.T, of []*tensors.Tensor) (made []*tensors.Tensor) {
	t.Helper()
	for _, x := range of {
		one, err := x.LocalClone()
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, one)
	}
	return made
}

// Training takes its steps at the rates of the schedule, skipped batches counted.
func TestFitFollowsItsSchedule(t *testing.T) {
	config := Config{Epochs: 3, EvaluateEvery: 1, AdamW: AdamW{LearningRate: 0.2}, Guard: &Guard{},
		Schedule: Schedule{Kind: Cosine, To: 0.2}}
	p := &stumbling{bowl: bowl{target: downhill}, wrong: map[int]stumble{2: notANumber}}
	got, _, err := Fit(context.Background(), xlatest.Go(t), p, start(), config)
	if err != nil {
		t.Fatal(err)
	}
	b, want := &bowl{target: downhill}, start()
	o, err := NewOptimiser(xlatest.Go(t), AdamW{}, want)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for batch := range 6 {
		if batch == 1 {
			continue
		}
		_, gradients, _ := b.Gradient(context.Background(), want, 0)
		rate := 0.2 * (0.2 + 0.8*(1+math.Cos(math.Pi*float64(batch)/5))/2)
		if want, _, err = o.StepAt(rate, want, gradients); err != nil {
			t.Fatal(err)
		}
	}
	if !got[0].Equal(want[0]) {
		t.Errorf("%v, want %v", got[0], want[0])
	}
}

// On a plateau the steps of training become shorter: AdamW's are about as long as the rate.
func TestFitOnAPlateau(t *testing.T) {
	b := &bowl{target: []float64{1e3, 1e3}, validations: []float64{9, 9, 9, 9, 9, 8}}
	params, _, err := Fit(context.Background(), xlatest.Go(t), b, start(), Config{Epochs: 6, EvaluateEvery: 1,
		AdamW: AdamW{LearningRate: 0.5, WeightDecay: NoDecay}, Schedule: Schedule{Kind: Plateau, After: 2}, MinEpochs: 20})
	if err != nil {
		t.Fatal(err)
	}
	// Validations are the first, then two without a better one: half the rate from the fourth epoch on, a quarter from
	// the sixth.
	got, want := tensors.MustCopyFlatData[float64](params[0])[0], 2*(3*0.5+2*0.25+0.125)
	if !(math.Abs(got-want) <= 1e-2) {
		t.Errorf("went to %g, want %g", got, want)
	}
}
