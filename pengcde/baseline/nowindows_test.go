package baseline_test

import (
	"errors"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// Windows without a series, anywhere in a list, and empty lists give an error that wraps ErrInput.
func TestNoWindows(t *testing.T) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	windows, err := series.Windows(5, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	ok, forecast := windows[0], make([]float64, len(windows[0].Target()))
	lists := [][]dyngraph.Window{nil}
	for _, none := range []dyngraph.Window{{}, {Start: 3, Length: 5}, {Start: 3, Length: 9, Whole: true},
		{Series: &dyngraph.Series{}, Start: 3, Length: 5}} {
		lists = append(lists, []dyngraph.Window{none}, []dyngraph.Window{ok, none}, []dyngraph.Window{none, ok})
	}
	want := func(what string, i int, err error) {
		t.Helper()
		if !errors.Is(err, baseline.ErrInput) {
			t.Errorf("%s of list %d: %v, want ErrInput", what, i, err)
		}
	}
	for i, list := range lists {
		forecasts := [][]float64{forecast, forecast}[:len(list)]
		_, err := baseline.NewScore("a", list, forecasts)
		want("NewScore", i, err)
		if got := baseline.Lag(list); got < 0 {
			t.Errorf("Lag of list %d: %d", i, got)
		}
		for _, f := range []baseline.Forecaster{&baseline.TrainingMean{}, &baseline.Ridge{}, &baseline.Ridge{Choose: true}} {
			want(f.Name(), i, f.Fit(list, nil))
			if err := f.Fit(windows[:20], nil); err != nil {
				t.Fatal(err)
			}
			for _, w := range list {
				if w.Series != series {
					_, err := f.Forecast(w)
					want("forecast of "+f.Name(), i, err)
				}
			}
		}
	}
	want("penalty chosen", 0, (&baseline.Ridge{Choose: true}).Fit(windows[:20], lists[1]))
}
