package pengcde

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// A model with smoothing forecasts from noisy inputs as a model without it from inputs smoothed by hand. A head that
// compares earlier times is refused, since smoothed inputs depend on later ones.
func TestSmoothedInputs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noisy := ring(t)
	for _, row := range noisy.Features {
		for i := range row {
			row[i] = random.NormFloat64()
		}
	}
	w := dyngraph.Window{Series: noisy, Start: 2, Length: 9}
	byHand := *noisy
	smooth, err := path.LocalLines.Apply(w.InputTimes(), noisy.Features[2:2+w.Inputs()], ringNodes)
	if err != nil {
		t.Fatal(err)
	}
	byHand.Features = slices.Concat(noisy.Features[:2], smooth, noisy.Features[2+w.Inputs():])
	smoothing := func(c *Config) { c.Smoothing = path.LocalLines }
	want, err := ringModel(t, nil).Predict(context.Background(),
		dyngraph.Window{Series: &byHand, Start: 2, Length: 9}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ringModel(t, smoothing).Predict(context.Background(), w, nil)
	if err != nil || !slices.Equal(got.Values, want.Values) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	plain, err := ringModel(t, nil).Predict(context.Background(), w, nil)
	if err != nil || slices.Equal(plain.Values, want.Values) {
		t.Errorf("smoothing changes nothing: %v, %v", plain, err)
	}
	each := ringModel(t, func(c *Config) { smoothing(c); c.Head = head.Nodes{At: head.AtEach} })
	if _, err := each.Predict(context.Background(), noisy.Whole(), nil); !errors.Is(err, ErrInput) ||
		!strings.Contains(err.Error(), "want one time") {
		t.Errorf("forecasts at each snapshot: %v", err)
	}
}
