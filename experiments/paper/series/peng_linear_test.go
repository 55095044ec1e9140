package series

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// The windows that other series add to the windows known at an origin end by its newest day, as late as possible; the
// windows that they add next to a left-out window touch none of its days.
func TestOthersShowNoDayThatIsLeftOut(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range series {
		windows, err := own.Windows(epidemicWindow, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		origin := windows[len(windows)*3/4]
		training := dyngraph.Known(windows, origin)
		last := days(training[len(training)-1])
		newest := last[len(last)-1]
		for _, other := range series {
			all, err := other.Windows(epidemicWindow, 1).List()
			if err != nil || other == own {
				continue
			}
			var latest time.Time
			for _, w := range known(training, all) {
				end := days(w)[len(days(w))-1]
				if end.After(newest) {
					t.Fatalf("%s beside %s, known on %s: a window to %s", other.Name, own.Name, newest, end)
				}
				latest = end
			}
			if !latest.Equal(newest) {
				t.Errorf("%s beside %s, known on %s: windows to %s", other.Name, own.Name, newest, latest)
			}
			for _, k := range []int{0, len(windows) / 2} { // also before the first training window
				left := windows[k]
				around := known(dyngraph.Purge(windows, []dyngraph.Window{left}), all)
				for _, w := range around {
					if slices.ContainsFunc(days(w), func(day time.Time) bool { return slices.Contains(days(left), day) }) {
						t.Fatalf("%s shows a day of window %d of %s, which is left out", other.Name, k, own.Name)
					}
				}
				if len(around) == 0 {
					t.Errorf("%s adds nothing beside window %d of %s, which is left out", other.Name, k, own.Name)
				}
			}
		}
	}
}

// Data of other countries change the forecast; a country without dates is forecast only from its own data.
func TestPriorOfSeveralCountries(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	forecast := func(own *dyngraph.Series) []float64 {
		windows, err := own.Windows(epidemicWindow, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		row := pengLinear(pengcde.Config{Nodes: own.Nodes(), Features: own.FeatureSize}, 11)
		learner, err := row.New(xlatest.Backend(t))
		if err != nil {
			t.Fatal(err)
		}
		defer learner.Close()
		row.Train.Epochs = 1
		if _, err := learner.Fit(context.Background(), windows[:12], nil, row.Train); err != nil {
			t.Fatal(err)
		}
		y, err := learner.Forecast(context.Background(), windows[14:15])
		if err != nil {
			t.Fatal(err)
		}
		return y[0]
	}
	dated, dateless := series[0], *series[0]
	dateless.Dates = nil
	if slices.Equal(forecast(dated), forecast(&dateless)) {
		t.Error("other countries change nothing")
	}
}

// A country uses the penalty chosen on the others, and a user's series the penalty chosen on all.
func TestStrengthOfSeries(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop() // before the first step: the prior is set by then
	for name, strength := range map[string]float64{"france_covid": 10, "italy_covid": 300, "spain_covid": 100} {
		own := *series[2]
		own.Name = name
		windows, err := own.Windows(epidemicWindow, 1).List()
		if err != nil {
			t.Fatal(err)
		}
		row := pengLinear(pengcde.Config{Nodes: own.Nodes(), Features: own.FeatureSize}, 11)
		learner, err := row.New(xlatest.Backend(t))
		if err != nil {
			t.Fatal(err)
		}
		defer learner.Close()
		if _, err := learner.Fit(stopped, windows[:12], nil, row.Train); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if got := learner.(*joint).Config().Head.(head.Corrected).Linear.Penalty; got != strength/12 {
			t.Errorf("%s: penalty %g of 12 windows, want %g", name, got, strength/12)
		}
	}
}

// The linear part alone forecasts as a network beside it that learns nothing.
func TestLinearPartAlone(t *testing.T) {
	series, err := otherCountries()
	if err != nil {
		t.Fatal(err)
	}
	windows, err := series[0].Windows(epidemicWindow, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	beside := pengLinear(pengcde.Config{Nodes: series[0].Nodes(), Features: series[0].FeatureSize}, 11)
	beside.Train.Epochs, beside.Train.AdamW = 1, train.AdamW{LearningRate: 1e-30}
	var forecasts [][]float64
	for _, s := range []setting{beside, linearAlone(11, ofCountries)} {
		learner, err := s.New(xlatest.Backend(t))
		if err != nil {
			t.Fatal(err)
		}
		defer learner.Close()
		if _, err := learner.Fit(t.Context(), windows[:20], nil, s.Train); err != nil {
			t.Fatal(err)
		}
		y, err := learner.Forecast(t.Context(), windows[25:26])
		if err != nil {
			t.Fatal(err)
		}
		forecasts = append(forecasts, y[0])
	}
	if !floats.EqualApprox(forecasts[0], forecasts[1], 1e-5) {
		t.Errorf("%v beside a network, alone %v", forecasts[0][:5], forecasts[1][:5])
	}
}
