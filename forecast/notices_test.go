package forecast

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// A training that the budget cuts is told of, on the page too. A model notices snapshots that are farther apart than
// its own, and times that cannot be told.
func TestNotices(t *testing.T) {
	data, folder := read(t, 40, 1), t.TempDir()
	c := small
	c.Budget = 1
	r := fit(t, data, c)
	const stopped = "The budget ended the training after 1 of at most 4 epochs."
	if got := r.Stopped(); got != stopped {
		t.Errorf("%q, want %q", got, stopped)
	}
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(filepath.Join(folder, PageFile)); err != nil || !strings.Contains(string(page), stopped) {
		t.Errorf("the page does not say that the budget ended the training: %v", err)
	}
	if got := fit(t, data, small).Stopped(); got != "" {
		t.Errorf("a training without a budget: %q", got)
	}
	spaced := func(days func(k int) int) *dyngraph.Series {
		other := *data.Series
		other.Times, other.Dates = nil, nil
		for k := range data.Series.Times {
			other.Times = append(other.Times, float64(days(k)))
			other.Dates = append(other.Dates, data.Series.Dates[0].AddDate(0, 0, days(k)))
		}
		return &other
	}
	for _, c := range []struct {
		name string
		days func(k int) int
		says string
	}{
		{"days", func(k int) int { return k }, ""},
		{"weeks", func(k int) int { return 7 * k }, "7 times as far apart as those that the model was made from, which are " +
			"1d apart"},
		{"a gap", func(k int) int { return k + k/10 }, "no time that could be told; a Step with WithoutEdges Hold (pengcde " +
			"fit --step 1d --without-edges hold)"},
	} {
		notices, err := r.Notices(spaced(c.days), nil)
		if text := strings.Join(notices, "\n"); err != nil || !strings.Contains(text, c.says) || c.says == "" && text != "" {
			t.Errorf("%s: %v, %q, want %q", c.name, err, text, c.says)
		}
	}
	below := []Forecast{{Values: []float64{-1, 2, math.NaN()}}, {Values: []float64{-3}, least: math.Inf(-1)}}
	notices, err := r.Notices(data.Series, below)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "1 of 3 forecasts are below 0") ||
		!strings.Contains(notices[0], "--scale log1p") {
		t.Errorf("%v: %q", err, notices)
	}
}

// Notices tell of a model that hears along one direction of directed edges, such as travels between towns, of weights
// that are small beside a self-loop of 1, and of a graph without edges.
func TestNoticesOfGraphs(t *testing.T) {
	data := read(t, 40, 1)
	travel := data.Series
	// with returns the series with the same weights of 0 -> 1, 1 -> 0, 3 -> 3 and 3 -> 4 at all times.
	with := func(weights ...float64) *dyngraph.Series {
		other := *travel
		other.Pattern = &dyngraph.Pattern{Nodes: 5, From: []int32{0, 1, 3, 3}, To: []int32{1, 0, 3, 4}}
		other.Weights = slices.Repeat([][]float64{weights}, len(other.Times))
		return &other
	}
	const direction, factor, none = "exchange From and To of the edges (--source and --destination",
		"multiply the weights by about 500,", "no snapshot has a weight between two nodes"
	for _, c := range []struct {
		model  string
		series *dyngraph.Series
		want   []string
	}{
		{"peng-cde", travel, nil},
		{"dcrnn", travel, nil},
		{"gn-ode", travel, []string{direction}},
		{"gn-ode", with(3, 3, 2, 0), nil},
		{"gn-ode", with(0.002, 0.001, 2, 0.004), []string{direction, factor}},
		{"peng-cde", with(0.002, 0.002, 2, 0.002), []string{factor}},
		{"peng-cde", with(0.2, 0.2, 2, 0.2), nil},
		{"dcrnn", with(0.002, 0.002, 2, 0.002), nil},
		{"dcrnn", with(0, 0, 2, 0), []string{none}},
		{"constant", with(0, 0, 2, 0), nil},
	} {
		other, config := *data, small
		var told []string
		other.Series, config.Model, config.Epochs = c.series, c.model, 1
		config.Notice = func(text string) { told = append(told, text) }
		fit(t, &other, config)
		if !slices.EqualFunc(told, c.want, strings.Contains) {
			t.Errorf("%s with weights %g: %q, want notices that say %q", c.model, c.series.Weights[0], told, c.want)
		}
	}
}

// Intervals contain their forecasts, also those below the least value.
func TestIntervalsContainForecasts(t *testing.T) {
	s := walked(t, 40, 2, func(k, u int) float64 { return float64((k + u) % 3) })
	for k := range s.Forecasts {
		s.Forecasts[k] = []float64{-5, 1}
	}
	coverage, _, err := calibrate(s, 0)
	if err != nil || coverage == nil {
		t.Fatal(coverage, err)
	}
	for k, interval := range coverage[0].Intervals {
		if interval != nil && (interval.Lower[0] != -5 || interval.Lower[1] < 0 || interval.Upper[0] < 0) {
			t.Errorf("window %d: %+v around -5 and 1", k, interval)
		}
	}
}

func TestMissingModelFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	_, err := Load(xlatest.Go(t), path)
	want := fmt.Sprintf("forecast: no file %s, want a model that pengcde fit wrote: its folder, or its %s", path,
		ModelFile)
	if !errors.Is(err, ErrInput) || !errors.Is(err, os.ErrNotExist) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The spacing of a model is in the unit of its times, whatever unit the series has.
func TestSpacing(t *testing.T) {
	m := Model{unit: 31}
	m.Recipe.Dated, m.Recipe.TimeUnit = true, 24*time.Hour
	if got := m.spacing().String(); got != "31d" {
		t.Errorf("dates: %s", got)
	}
	m.Recipe.Dated, m.unit = false, 0.25
	if got := m.spacing().String(); got != "0.25" {
		t.Errorf("numbers: %s", got)
	}
}
