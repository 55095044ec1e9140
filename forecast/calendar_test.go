package forecast

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

func TestCalendar(t *testing.T) {
	date := func(texts ...string) (all []time.Time) {
		for _, text := range texts {
			at, err := time.Parse(time.DateOnly, text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, at)
		}
		return all
	}
	for _, c := range []struct {
		name  string
		times []float64
		dates []time.Time
		step  int
		want  string
	}{
		{"numbers", []float64{0, 0.5, 1}, nil, 4, "4"},
		{"a known one", []float64{0, 0.5, 1.75}, nil, 1, "1"},
		{"uneven numbers", []float64{0, 0.5, 1.75}, nil, 3, ""},
		{"days", []float64{0, 1, 2}, date("2023-12-29", "2023-12-30", "2023-12-31"), 3, "2024-01-01"},
		{"months", []float64{0, 1, 2}, date("2023-10-01", "2023-11-01", "2023-12-01"), 5, "2024-03-01"},
		{"even months", []float64{0, 1, 2}, date("2023-07-01", "2023-08-01", "2023-09-01"), 3, "2023-10-01"},
		{"quarters", []float64{0, 1, 2}, date("2023-01-01", "2023-04-01", "2023-07-01"), 3, "2023-10-01"},
		{"ends of months", []float64{0, 1, 2}, date("2010-01-31", "2010-02-28", "2010-03-31"), 4, "2010-05-31"},
		{"ends of months from February", []float64{0, 1, 2}, date("2012-02-29", "2012-03-31", "2012-04-30"), 12,
			"2013-02-28"},
		{"ends of even months", []float64{0, 1, 2}, date("2023-06-30", "2023-07-31", "2023-08-31"), 3, "2023-09-30"},
		{"ends of quarters", []float64{0, 1, 2}, date("2023-06-30", "2023-09-30", "2023-12-31"), 3, "2024-03-31"},
		{"every other end", []float64{0, 1, 2}, date("2023-03-31", "2023-05-31", "2023-07-31"), 3, "2023-09-30"},
		{"a day that ends February", []float64{0, 1, 2}, date("2023-02-28", "2023-03-28", "2023-04-28"), 3, "2023-05-28"},
		{"days after an end", []float64{0, 1, 2}, date("2023-01-31", "2023-02-01", "2023-02-02"), 3, "2023-02-03"},
		{"weeks", []float64{0, 1}, date("2023-12-24", "2023-12-31"), 2, "2024-01-07"},
		{"one number", []float64{7}, nil, 1, ""},
		{"one day", []float64{0}, date("2023-12-24"), 1, ""},
		{"uneven days", []float64{0, 1, 3}, date("2023-12-24", "2023-12-25", "2023-12-27"), 3, ""},
	} {
		got := calendar{&dyngraph.Series{Times: c.times, Dates: c.dates}, 2}.text(c.step)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	uneven := calendar{&dyngraph.Series{Times: []float64{0, 1, 3},
		Dates: date("2023-12-24", "2023-12-25", "2023-12-27")}, 1}
	if spans := uneven.spans(nil, []Forecast{{step: 3}}); len(spans) > 0 {
		t.Errorf("a time that is not known is shaded: %v", spans)
	}
	hours := calendar{&dyngraph.Series{Times: []float64{0, 1}, Dates: []time.Time{time.Unix(0, 0).UTC(),
		time.Unix(3600, 0).UTC()}}, 1}
	if got := hours.text(2); got != "1970-01-01T02:00:00Z" {
		t.Errorf("hours: %s", got)
	}
	if got := hours.text(0); got != "1970-01-01T00:00:00Z" {
		t.Errorf("an hour at midnight: %s", got)
	}
}

// Times are written as the data have them: numbers with all digits and without an exponent, dates with fractions of a
// second.
func TestTimesKeepTheirDigits(t *testing.T) {
	for _, c := range []struct {
		name  string
		times []float64
		want  string
	}{
		{"seconds since 1970", []float64{1584576001, 1584576061, 1584576121}, "1584576001 1584576061 1584576121 1584576181"},
		{"microseconds", []float64{1584576001123457, 1584576061123457, 1584576121123457},
			"1584576001123457 1584576061123457 1584576121123457 1584576181123457"},
		{"thirds", []float64{4.233333333333333, 4.566666666666666}, "4.233333333333333 4.566666666666666 4.9"},
		{"tenths of a step", []float64{1 * 0.1, 2 * 0.1, 3 * 0.1}, "0.1 0.2 0.3 0.4"},
		{"years", []float64{2020, 2021}, "2020 2021 2022"},
	} {
		s, unit, err := prepared(&dyngraph.Series{Pattern: &dyngraph.Pattern{Nodes: 1, From: []int32{0},
			To: []int32{0}}, Times: c.times, FeatureSize: 1, Features: ones(len(c.times)), Targets: ones(len(c.times)),
			TargetSize: 1, Weights: ones(len(c.times))}, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for step := range len(c.times) + 1 {
			got = append(got, calendar{s, unit}.text(step))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
	half := calendar{&dyngraph.Series{Times: []float64{0, 1}, Dates: []time.Time{time.Unix(0, 0).UTC(),
		time.Unix(0, 5e8).UTC()}}, 1}
	if got := half.text(1) + " " + half.text(2); got != "1970-01-01T00:00:00.5Z 1970-01-01T00:00:01Z" {
		t.Errorf("half seconds: %s", got)
	}
}

func ones(n int) (rows [][]float64) { return slices.Repeat([][]float64{{1}}, n) }

func TestVerdict(t *testing.T) {
	series := &dyngraph.Series{Pattern: &dyngraph.Pattern{Nodes: 1}, Times: make([]float64, 100)}
	score := func(name string, errors ...float64) baseline.Score {
		s := baseline.Score{Name: name, Errors: errors}
		for i := range errors {
			s.Windows = append(s.Windows, dyngraph.Window{Series: series, Start: 4 * i, Length: 2})
		}
		return s
	}
	model := score("PENG-CDE", 1, 2, 1, 2)
	for _, c := range []struct {
		simple []baseline.Score
		says   string
	}{
		{nil, "nothing to be compared with"},
		{[]baseline.Score{{Name: "ridge", Err: baseline.ErrInput}}, "nothing to be compared with"},
		{[]baseline.Score{score("zero", 9, 9, 9, 9), score("ridge", 2, 3, 2, 3.1)},
			"PENG-CDE is better than ridge by 1.025: mean squared error 1.500 against 2.525, more than chance"},
		{[]baseline.Score{score("ridge", 0.5, 1.4, 0.5, 1.5)},
			"Ridge is better than PENG-CDE by 0.525: mean squared error 0.975 against 1.500, more than chance"},
		{[]baseline.Score{score("recent mean", 2, 1, 1.5, 1.6)}, "which may be chance"},
		{[]baseline.Score{score("ridge", 1, 2, 1, 2)}, "equally good"},
	} {
		if got := Verdict(model, c.simple); !strings.Contains(got, c.says) {
			t.Errorf("%q does not say %q", got, c.says)
		}
	}
	for _, c := range []struct{ name, simple, says string }{
		{"", "ridge", " is better than ridge by 1.000"}, {"élan", "ridge", "Élan is better than ridge by 1.000"},
	} {
		if got := Verdict(score(c.name, 1, 1), []baseline.Score{score(c.simple, 2, 2)}); !strings.HasPrefix(got, c.says) {
			t.Errorf("%q does not begin with %q", got, c.says)
		}
	}
	if got := Verdict(score("A", 1), []baseline.Score{score("B", 2, 3)}); !strings.Contains(got, "cannot be compared") {
		t.Errorf("other windows: %s", got)
	}
	if got := Verdict(score("A", 1), []baseline.Score{score("B", 2)}); !strings.Contains(got, "too few") {
		t.Error(got)
	}
	if table, err := Table(model, []baseline.Score{{Name: "ridge", Err: baseline.ErrInput}}); err != nil ||
		!strings.Contains(strings.Join(table.Notes, "\n"), "ridge cannot be made") {
		t.Errorf("a forecast that cannot be made is not named: %v, %v", table, err)
	}
	if table, err := Table(model, []baseline.Score{score("A", 2, 2, 2, 2), score("B", 3, 3, 3, 3)}); err != nil ||
		!strings.Contains(strings.Join(table.Notes, "\n"), "which favours it") {
		t.Errorf("the choice of the best is not noted: %v, %v", table, err)
	}
	failed := baseline.Score{Name: "network", Err: baseline.ErrInput}
	if table, err := Table(failed, []baseline.Score{model}); err != nil ||
		!strings.Contains(table.Title, "tested windows") ||
		!strings.Contains(strings.Join(table.Notes, "\n"), "network cannot be made") {
		t.Errorf("a model without forecasts: %+v, %v", table, err)
	}
	if _, err := Table(failed, nil); !errors.Is(err, ErrInput) {
		t.Errorf("no forecasts at all: %v", err)
	}
	if mean, _ := model.Minus(score("short", 1)); !math.IsNaN(mean) {
		t.Errorf("difference to other windows: %g", mean)
	}
}
