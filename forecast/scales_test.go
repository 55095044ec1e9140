package forecast

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// No window is tested if the scales may depend on its target: data after the newest step that it sees change no
// scale.
func TestTestedWindowsSeeWhatScalesAreOf(t *testing.T) {
	edges, nodes := travel(t, 60)
	read := func(fraction float64, horizon int) *table.Data {
		t.Helper()
		data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, Lags: 3, Horizon: horizon,
			Nodes:         table.Nodes{Path: nodes, Targets: []string{"visitors"}},
			TrainFraction: fraction, Notices: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		fraction      float64
		horizon, last int // last of the 60 days that scales use, counted from 0
	}{{0.6, 1, 35}, {0.6, 25, 35}, {0.9, 1, 53}, {1, 1, 59}, {0.01, 30, 0}, {0.05, 1, 2}} {
		data := read(c.fraction, c.horizon)
		if got, ok := lastScaled(data); !ok || got+2 != c.last { // the first snapshot is of day 2
			t.Errorf("%+v: scales are of steps until %d, %v", c, got+2, ok)
		}
	}
	var said string
	config := small
	config.Epochs, config.Notice = 1, func(text string) { said += text }
	data := read(0.9, 1)
	r := fit(t, data, config)
	if first := newest(r.Split.Test[0]) + 2; first != 53 || len(r.Score.Windows) != len(r.Split.Test) {
		t.Errorf("tested from day %d on, %d of %d", first, len(r.Score.Windows), len(r.Split.Test))
	}
	if !strings.Contains(said, "windows are not tested") {
		t.Errorf("heard %q", said)
	}
	_, err := Fit(t.Context(), xlatest.Go(t), read(1, 1), config)
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "smaller TrainFraction, such as 0.5") {
		t.Errorf("scales of all times: %v", err)
	}
	unscaled := read(1, 1)
	unscaled.Recipe.Config.Unscaled = true
	if _, ok := lastScaled(unscaled); ok {
		t.Error("scales where there are none")
	}

	// The written forecasts use the penalty that was tested.
	ahead, err := r.ahead(t.Context(), r.Series)
	if err != nil {
		t.Fatal(err)
	}
	written, err := r.simpleAhead(ahead)
	if err != nil || len(written) != len(r.Simple) {
		t.Fatalf("%d simple forecasts of %d, %v", len(written), len(r.Simple), err)
	}
	tested := &baseline.Ridge{Choose: true}
	if err := tested.Fit(r.Split.Train, r.Split.Validation); err != nil {
		t.Fatal(err)
	}
	windows, err := r.Series.Windows(r.Inputs+1, 1).Observed().List()
	if err != nil {
		t.Fatal(err)
	}
	again := &baseline.Ridge{Penalty: tested.Chosen()}
	if err := again.Fit(windows, nil); err != nil {
		t.Fatal(err)
	}
	want, err := again.Forecast(ahead[0].window)
	if err == nil {
		want, err = r.Series.Scales[0].Restore(want)
	}
	i := slices.IndexFunc(written, func(s simpleForecast) bool { return s.name == tested.Name() })
	if err != nil || i < 0 || !(math.Abs(written[i].values[0][0]-want[0]) <= 1e-9) {
		t.Errorf("%v: %v, want %v of the tested penalty %g", err, written, want, tested.Chosen())
	}
	r.simples[0].Forecaster = broken{r.simples[0].Forecaster}
	told := ""
	r.notice = func(text string) { told += text }
	rest, err := r.simpleAhead(ahead)
	named := strings.Contains(told, strconv.Quote(r.simples[0].label)) &&
		strings.Contains(told, io.ErrUnexpectedEOF.Error())
	if err != nil || !named || len(rest) != len(written)-1 || rest[0].name != written[1].name {
		t.Errorf("a simple forecast that cannot be fitted again: %v, %q, %d others", err, told, len(rest))
	}
}

// Values after the newest one that the first tested window sees change none of its forecasts: of the model, of simple
// forecasts, and of their intervals, at no time ahead.
func TestForecastsDoNotLookAhead(t *testing.T) {
	edges, nodes := travel(t, 60)
	read := func() *table.Data {
		t.Helper()
		data, err := table.Read(t.Context(), table.Config{Edges: table.Edges{Path: edges}, Lags: 3, Horizon: 3,
			Scale: table.Log1p, Calendar: []table.CalendarPart{table.Weekday}, Notices: io.Discard,
			Nodes: table.Nodes{Path: nodes, Targets: []string{"visitors"}}})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	config := small
	config.Epochs = 2
	before := fit(t, read(), config)
	newest := before.Series.Dates[newest(before.Split.Test[0])].Format(time.DateOnly)
	for _, path := range []string{edges, nodes} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		header, rows, _ := strings.Cut(string(content), "\n")
		text := header + "\n"
		for line := range strings.Lines(rows) {
			if date, _, _ := strings.Cut(line, ","); date > newest {
				line = strings.TrimSuffix(line, "\n") + "9\n" // a last digit more
				line = strings.Replace(line, ".", "", 1)
			}
			text += line
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	after := fit(t, read(), config)
	same := func(name string, a, b []float64) {
		if !slices.Equal(a, b) {
			t.Errorf("%s: %v, was %v", name, b, a)
		}
	}
	same("the model", before.Score.Forecasts[0], after.Score.Forecasts[0])
	for i, s := range before.Simple {
		same(s.Name, s.Forecasts[0], after.Simple[i].Forecasts[0])
		if slices.Equal(s.Errors, after.Simple[i].Errors) {
			t.Errorf("%s: the errors do not see the changed values", s.Name)
		}
	}
	for i, c := range before.Coverage {
		a, b := c.Intervals[0], after.Coverage[i].Intervals[0]
		if a != nil {
			same(fmt.Sprintf("lower, %d ahead", c.Ahead), a.Lower, b.Lower)
			same(fmt.Sprintf("upper, %d ahead", c.Ahead), a.Upper, b.Upper)
		}
	}
	if len(before.Coverage) != 3*len(levels) || before.Coverage[0].Intervals[0] == nil {
		t.Errorf("no interval to compare: %+v", before.Coverage)
	}
}

// On the cases of England ridge has a lower absolute error with logarithms, as docs/own-data.md says.
func TestLog1pOfEngland(t *testing.T) {
	for scale, want := range map[table.Scaling]float64{"": 5.79, table.Log1p: 4.39} {
		folder := filepath.Join("..", "notebooks", "data")
		data, err := table.Read(t.Context(), table.Config{Scale: scale, Notices: io.Discard,
			Edges: table.Edges{Path: filepath.Join(folder, "england_flows.csv.gz"), Weight: "people"},
			Nodes: table.Nodes{Path: filepath.Join(folder, "england_cases.csv.gz"), Targets: []string{"cases"}}})
		if err != nil {
			t.Fatal(err)
		}
		split, err := data.Series.Windows(5, 1).Observed().Chronological(trainFraction, validationFraction)
		if err != nil {
			t.Fatal(err)
		}
		split.Test = afterScales(split.Test, data)
		scores, err := baseline.Compare(t.Context(), split, &baseline.Ridge{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := absoluteError(scores[0], 0); err != nil || !(math.Abs(got-want) <= 0.005) {
			t.Errorf("scale %q: absolute error %.3f, want %.2f; %v", scale, got, want, err)
		}
	}
}

type broken struct{ baseline.Forecaster }

func (broken) Fit(_, _ []dyngraph.Window) error { return io.ErrUnexpectedEOF }
