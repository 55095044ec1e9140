package forecast

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// Lines have gaps where nothing was observed, and where no window was tested.
func TestLinesAreOpenAtGaps(t *testing.T) {
	s := &dyngraph.Series{Name: "gaps", Pattern: &dyngraph.Pattern{Nodes: 1}, TargetSize: 1,
		Alignment: dyngraph.Alignment{Targets: dyngraph.StepRange{First: 1, Last: 1}}}
	for i := range 12 {
		y := float64(i)
		if i < 2 || i == 5 || i == 6 {
			y = math.NaN()
		}
		s.Times, s.Targets = append(s.Times, float64(i)), append(s.Targets, []float64{y})
	}
	c := calendar{s, 1}
	truth, err := c.truth(0)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(truth.x, truth.y); got !=
		"[3 4 5 6 7 8 9 10 11 12] [[2] [3] [4] [NaN] [NaN] [7] [8] [9] [10] [11]]" {
		t.Errorf("truth is drawn at %s", got)
	}
	var scores []baseline.Score
	for _, name := range []string{ModelName, "zero"} {
		score := baseline.Score{Name: name}
		for _, last := range []int{3, 4, 7, 8} {
			score.Windows = append(score.Windows, dyngraph.Window{Series: s, Start: last - 1, Length: 2})
			score.Forecasts = append(score.Forecasts, []float64{float64(last)})
		}
		scores = append(scores, score)
	}
	ahead := []Forecast{{step: 10, Values: []float64{10}}, {step: 12, Values: []float64{12}}}
	lines, err := c.lines(ModelName, 0, scores, nil, ahead)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[4 5 6 8 9 10 11 12] [[3] [4] [NaN] [7] [8] [10] [NaN] [12]]",
		"[4 5 6 8 9] [[3] [4] [NaN] [7] [8]]"} {
		if got := fmt.Sprint(lines[i].x, lines[i].y); got != want {
			t.Errorf("%s is drawn at %s, want %s", lines[i].name, got, want)
		}
	}
}

// One long gap hardly changes the solver's steps elsewhere, and is reported.
func TestStepOfUnevenTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		gaps []float64
		step float64
		says string
	}{
		{"even", nil, 1, ""},
		{"one gap", []float64{300}, 1, "300 times the median: the solver's steps are 1 times the median, and 300 go"},
		{"a huge gap", []float64{1e5}, 100, "1000 go across that gap"},
		{"many gaps", slices.Repeat([]float64{40}, 20), 2, "40 times the median: the solver's steps are 2 times"},
	} {
		gaps := append(slices.Repeat([]float64{1}, 100), c.gaps...)
		s := &dyngraph.Series{Pattern: &dyngraph.Pattern{Nodes: 1}, Times: []float64{0}}
		for _, gap := range gaps {
			s.Times = append(s.Times, s.Times[len(s.Times)-1]+gap)
		}
		var said string
		config := Config{Notice: func(text string) { said += text }}
		if model := config.model(s); model.Step != c.step {
			t.Errorf("%s: steps of %g, want %g", c.name, model.Step, c.step)
		} else if _, err := fmt.Fprintln(model.Notices, "from the network"); err != nil {
			t.Error(err)
		}
		rest, heard := strings.CutSuffix(said, "from the network")
		if !heard || !strings.Contains(rest, c.says) || (c.says == "") != (rest == "") {
			t.Errorf("%s: heard %q, want %q and what the network says", c.name, said, c.says)
		}
	}
}
