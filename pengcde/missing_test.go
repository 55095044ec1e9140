package pengcde

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/rivals"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

var nan = math.NaN()

// gaps returns ring with one feature in three and one target in four missing, and the same series with filled features.
func gaps(t *testing.T) (missing, filled *dyngraph.Series) {
	t.Helper()
	missing, filled = ring(t), ring(t)
	for k := range missing.Times {
		for i := range missing.Features[k] {
			if (k+2*i)%3 == 0 {
				missing.Features[k][i] = nan
			}
		}
		for u := range missing.Targets[k] {
			if (k+u)%4 == 0 {
				missing.Targets[k][u] = nan
			}
		}
	}
	return missing, filled
}

// Forecasts from features with gaps equal forecasts from features filled by hand, bit for bit. With a mask they equal
// forecasts from features with the mask's channels appended.
func TestGapsAreFilled(t *testing.T) {
	backend := xlatest.Go(t)
	missing, filled := gaps(t)
	w := dyngraph.Window{Series: missing, Start: 3, Length: 5}
	for _, mask := range []path.Mask{path.NoMask, path.Observed, path.Counted} {
		byHand := *filled
		byHand.FeatureSize = mask.Width(ringFeatures)
		byHand.Features = nil
		for k := range filled.Times {
			var row []float64
			for u := range ringNodes {
				var channels []float64
				for p := range ringFeatures {
					i := u*ringFeatures + p
					seen, value := 0.0, nan
					for j := w.Start; j <= k; j++ {
						if x := missing.Features[j][i]; !math.IsNaN(x) {
							value = x
							seen++
						}
					}
					for j := k; math.IsNaN(value); j++ {
						value = missing.Features[j][i]
					}
					if mask == path.Observed {
						seen = 1
						if math.IsNaN(missing.Features[k][i]) {
							seen = 0
						}
					}
					row, channels = append(row, value), append(channels, seen)
				}
				if mask != path.NoMask {
					row = append(row, channels...)
				}
			}
			byHand.Features = append(byHand.Features, row)
		}
		for _, kind := range []field.Field{field.PENG{}, field.GNODE{}, rivals.STGNCDE{}} {
			m := ringModelOn(t, backend, func(c *Config) { c.Mask, c.Field = mask, kind })
			wide := ringModelOn(t, backend, func(c *Config) { c.Features, c.Field = mask.Width(ringFeatures), kind })
			got, want := forecast(t, m, w), forecast(t, wide, dyngraph.Window{Series: &byHand, Start: w.Start, Length: w.Length})
			if !slices.Equal(got, want) {
				t.Errorf("%v, %T: %v with gaps, %v filled by hand", mask, kind, got, want)
			}
		}
	}
}

// A forecast does not depend on an observation before the interval that ends at it, whatever is missing earlier.
func TestGapsDoNotLookAhead(t *testing.T) {
	m, series := ringModelOn(t, xlatest.Go(t), nil), ring(t)
	const start, feature = 2, 3
	series.Features[start+1][feature], series.Features[start+2][feature] = nan, nan
	w, times := dyngraph.Window{Series: series, Start: start, Length: 5}, []float64{1.5, 2, 3}
	ctx := context.Background()
	before, err := m.Predict(ctx, w, times)
	if err != nil {
		t.Fatal(err)
	}
	series.Features[start+3][feature] += 1
	after, err := m.Predict(ctx, w, times)
	if err != nil {
		t.Fatal(err)
	}
	for i, ahead := range []bool{false, false, true} {
		if changed := before.At(i, 1, 0) != after.At(i, 1, 0); changed != ahead {
			t.Errorf("time %g depends on the observation at 3: %t, want %t", times[i], changed, ahead)
		}
	}
}

// The loss is the mean over windows of the error over observed targets, in every measure, and its gradient agrees with
// finite differences. Complete targets have the same weight as in a batch without missing targets.
func TestLossOfObservedTargets(t *testing.T) {
	backend := xlatest.Go(t)
	missing, whole := gaps(t)
	missing.Features = whole.Features
	ctx := context.Background()
	for name, c := range map[string]struct {
		kind    field.Field
		parity  bool
		measure func(forecast, target []float64) (float64, error)
	}{
		"by node": {field.PENG{}, false, train.MSE}, "global": {field.PENG{}, true,
			train.MSE}, "pairwise": {field.Constant{}, true, train.BroadcastMSE},
		"pairwise, two states": {rivals.STGNCDE{}, true, train.BroadcastMSE},
	} {
		m := ringModelOn(t, backend, func(cfg *Config) { cfg.Field, cfg.Parity, cfg.Float64 = c.kind, c.parity, true })
		windows := []dyngraph.Window{{Series: missing, Start: 1, Length: 4}, {Series: missing, Start: 6, Length: 4},
			{Series: whole, Start: 3, Length: 4}}
		want := 0.0
		for _, w := range windows {
			e, err := c.measure(forecast(t, m, w), w.Target())
			if err != nil {
				t.Fatal(err)
			}
			want += e / float64(len(windows))
		}
		batches, err := batches(m.backend, len(windows), source{m, windows, nil})
		if err != nil {
			t.Fatal(err)
		}
		if len(batches[0].targets) != 3 {
			t.Fatalf("%s: targets are missing, and the batch does not know", name)
		}
		loss, gradients, err := gradientOf(ctx, m.network, m.params, batches[0])
		if err != nil || !(math.Abs(loss-want) <= 1e-12) {
			t.Fatalf("%s: loss %.15g (%v), want %.15g", name, loss, err, want)
		}
		const h = 1e-6
		for i, p := range m.declared {
			values := host.Floats(m.params[i])
			at := func(x float64) float64 {
				moved, params := slices.Clone(values), slices.Clone(m.params)
				moved[0] += x
				params[i] = host.Tensor(m.config.dtype(), moved, p.Dims...)
				defer xla.Free(params[i])
				loss, err := lossOf(ctx, m.network, params, batches[0])
				if err != nil {
					t.Fatal(err)
				}
				return loss
			}
			got, want := host.Floats(gradients[i])[0], (at(h)-at(-h))/(2*h)
			if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("%s: gradient of %s is %g, by differences %g", name, p.Name, got, want)
			}
		}
		xla.Free(gradients...)
		batches[0].free()
	}
	m := ringModelOn(t, backend, func(cfg *Config) { cfg.Field, cfg.Float64 = field.Constant{}, true })
	batches, err := batches(m.backend, 1, source{m, []dyngraph.Window{{Series: whole, Start: 3, Length: 4}}, nil})
	if err != nil || len(batches[0].targets) != 2 {
		t.Errorf("%v, nothing is missing, and the loss is not the plain one", err)
	}
}

func TestMissingErrors(t *testing.T) {
	m := ringModelOn(t, xlatest.Go(t), nil)
	for name, c := range map[string]struct {
		damage func(s *dyngraph.Series)
		says   string
	}{
		"never observed": {func(s *dyngraph.Series) {
			for k := 4; k < 7; k++ {
				s.Features[k][2*ringFeatures+1] = nan
			}
		}, `window at snapshot 4 of series "ring": feature 1 of node 2: never observed at 3 knots`},
		"no target": {func(s *dyngraph.Series) {
			for u := range ringNodes {
				s.Targets[7][u] = nan
			}
		}, `window at snapshot 4 of series "ring" has no observed target, at snapshot 7 all are NaN`},
		"infinite": {func(s *dyngraph.Series) { s.Targets[1][2] = math.Inf(1) }, "snapshot 1, node 2: target 0 is +Inf"},
	} {
		series := ring(t)
		c.damage(series)
		w := []dyngraph.Window{{Series: series, Start: 4, Length: 4}}
		if _, err := m.Fit(context.Background(), w, w, train.Config{}); !errors.Is(err, ErrInput) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want ErrInput that says %q", name, err, c.says)
		}
	}
}
