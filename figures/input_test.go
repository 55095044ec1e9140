package figures

import (
	"errors"
	"math"
	"strings"
	"testing"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// Every input that cannot be drawn is an error that wraps ErrInput and says what was wanted.
func TestInputErrors(t *testing.T) {
	lines := func(axes Axes, s ...Series) func() (*Figure, error) {
		return func() (*Figure, error) { return Lines(axes, s...) }
	}
	adjacency := func(p ...HeatPanel) func() (*Figure, error) {
		return func() (*Figure, error) { return Adjacency(Axes{}, p) }
	}
	grid := func(g Grid) func() (*Figure, error) {
		return func() (*Figure, error) { return HeatMap(Axes{}, g) }
	}
	loss := func(r ...LossRun) func() (*Figure, error) {
		return func() (*Figure, error) { return LossCurves(Axes{}, r...) }
	}
	forecasts := func(p ...ForecastPanel) func() (*Figure, error) {
		return func() (*Figure, error) { return Forecasts(Axes{}, p) }
	}
	dots := func(axes Axes, r ...DotRow) func() (*Figure, error) {
		return func() (*Figure, error) { return Dots(axes, r...) }
	}
	panels := func(p ...DotPanel) func() (*Figure, error) {
		return func() (*Figure, error) { return DotPanels(Axes{}, p...) }
	}
	images := func(limits Limits, p ...ImagePanel) func() (*Figure, error) {
		return func() (*Figure, error) { return Images(Axes{}, limits, p) }
	}
	ranks := func(r Ranking) func() (*Figure, error) {
		return func() (*Figure, error) { return CriticalDifference(Axes{}, r) }
	}
	two := []RankedModel{{Name: "a", Rank: 1}, {Name: "b", Rank: 2}}
	some := []float64{1, 2}
	field := [][]float64{{1, 2}, {3, 4}}
	for _, c := range []struct {
		name string
		make func() (*Figure, error)
		says string
	}{
		{"no series", lines(Axes{}), "wanted one or more"},
		{"no panels of dots", panels(), "no panels"},
		{"unequal panels", panels(DotPanel{"a", []DotRow{{Value: Number(1)}}}, DotPanel{Title: "b"}),
			`panel "b" has 0 rows, wanted 1`},
		{"nothing in any panel", panels(DotPanel{"a", []DotRow{{}}}, DotPanel{"b", []DotRow{{}}}), "all 1 rows are missing"},
		{"published 0 on log X", dots(Axes{LogX: true}, DotRow{Value: Number(1).Published(Number(0))}), "above 0"},
		{"empty series", lines(Axes{}, Series{Name: "a"}), `"a": Y is empty`},
		{"all NaN", lines(Axes{}, Series{Y: []float64{nan, nan}}), "all 2 values are missing"},
		{"infinite", lines(Axes{}, Series{Y: []float64{1, inf}}), "Y[1] is +Inf"},
		{"lengths", lines(Axes{}, Series{X: some, Y: []float64{1}}), "2 values of X and 1 of Y"},
		{"not sorted", lines(Axes{}, Series{X: []float64{2, 1}, Y: some}), "sort the points"},
		{"NaN in X", lines(Axes{}, Series{X: []float64{2, nan}, Y: some}), "X[1] is NaN"},
		{"log of zero", lines(Axes{LogY: true}, Series{Y: []float64{1, 0}}), "above 0"},
		{"log X of zero", lines(Axes{LogX: true}, Series{Y: some}), "above 0"},
		{"colour", lines(Axes{}, Series{Y: some, Style: Style{Colour: 99}}), "colour 99"},
		{"dash", lines(Axes{}, Series{Name: "s", Y: some, Style: Style{Dash: 9}}),
			`series "s": Style has colour 0 and dash 9`},
		{"colour of a row", dots(Axes{}, DotRow{Value: Number(1), Style: Style{Colour: 99}}), "colour 99"},
		{"half a band", lines(Axes{}, Series{Y: some, Lower: some}), "neither"},
		{"band upside down", lines(Axes{}, Series{Y: some, Lower: []float64{1, 3}, Upper: some}), "upside down"},
		{"span", lines(Axes{Spans: []Span{{"train", 3, 1}}}, Series{Y: some}), "From < To"},
		{"NaN span", lines(Axes{Spans: []Span{{"train", nan, 1}}}, Series{Y: some}), "From < To"},
		{"span on log X", lines(Axes{LogX: true, Spans: []Span{{"train", 0, 1}}}, Series{X: some, Y: some}), "positive From"},

		{"NaN mark", lines(Axes{Marks: []Mark{{X: 0}, {Name: "event", X: nan}}}, Series{Y: some}),
			`mark 1 ("event") lies at NaN`},
		{"infinite mark", lines(Axes{Marks: []Mark{{X: inf}}}, Series{Y: some}), `mark 0 ("") lies at +Inf`},
		{"no panels", adjacency(), "wanted one or more"},
		{"no nodes", adjacency(HeatPanel{}), "number of nodes N is 0"},
		{"no rows", adjacency(HeatPanel{Dense: [][]float64{}}), "no rows"},
		{"not square", adjacency(HeatPanel{Dense: [][]float64{{1, 2}}}), "square"},
		{"no weights", adjacency(HeatPanel{N: 3}), "no weight above 0"},
		{"outside", adjacency(HeatPanel{N: 3, From: []int{0}, To: []int{3}}), "nodes 0 to 2"},
		{"edge lengths", adjacency(HeatPanel{N: 3, From: []int{0}, To: []int{}}), "as many of each"},
		{"negative", adjacency(HeatPanel{N: 3, From: []int{0}, To: []int{1}, Weights: []float64{-1}}),
			"HeatMap draws signed"},
		{"both", adjacency(HeatPanel{Dense: [][]float64{{1}}, From: []int{0}}), "one of them"},

		{"no values", grid(Grid{}), "Values is empty"},
		{"ragged", grid(Grid{Values: [][]float64{{1}, {1, 2}}}), "row 1 has 2 columns"},
		{"names", grid(Grid{Values: [][]float64{{1}}, Rows: []string{"a", "b"}}), "2 names for 1 rows"},
		{"names of columns", grid(Grid{Values: [][]float64{{1}}, Columns: []string{"a", "b"}}), "2 names for 1 columns"},
		{"dots", grid(Grid{Values: [][]float64{{1, 2}}, Undecided: [][]bool{{true}}}), "Undecided has another shape"},
		{"all missing", grid(Grid{Values: [][]float64{{nan}}}), "all are missing"},
		{"infinite value", grid(Grid{Values: [][]float64{{inf}}}), "[0][0] is +Inf"},
		{"limit", grid(Grid{Values: [][]float64{{5, 6}}, Limit: 1}), "Low 5 and High 1"},

		{"no images", images(Limits{}), "wanted one or more"},
		{"empty field", images(Limits{}, ImagePanel{Title: "Truth"}), `panel 0 ("Truth"): field in Values is empty`},
		{"empty row", images(Limits{}, ImagePanel{Values: [][]float64{{}}}), "field in Values is empty"},
		{"ragged field", images(Limits{}, ImagePanel{Values: [][]float64{{1}, {1, 2}}}), "row 1 has 2 columns"},
		{"other shape", images(Limits{}, ImagePanel{Values: field}, ImagePanel{Title: "b", Values: field[:1]}),
			`panel 1 ("b"): 1 rows, the first panel has 2`},
		{"infinite field", images(Limits{}, ImagePanel{Values: field},
			ImagePanel{Title: "b", Values: [][]float64{{1, 2}, {3, -inf}}}), `panel 1 ("b"): value [1][1] is -Inf`},
		{"missing field", images(Limits{}, ImagePanel{Values: [][]float64{{nan}}}), "all are missing"},
		{"missing difference", images(Limits{}, ImagePanel{Values: [][]float64{{nan}}, Diverging: true}),
			"diverging panels: all are missing"},
		{"limits upside down", images(Limits{Low: 2, High: 1}, ImagePanel{Values: field}), "Low 2 and High 1"},
		{"infinite limits", images(Limits{High: inf}, ImagePanel{Values: field}), "both finite"},
		{"NaN limits", images(Limits{Low: nan}, ImagePanel{Values: field}), "Low NaN"},
		{"negative swing", images(Limits{Swing: -1}, ImagePanel{Values: field, Diverging: true}), "Swing is -1"},
		{"NaN swing", images(Limits{Swing: nan}, ImagePanel{Values: field, Diverging: true}), "Swing is NaN"},

		{"no runs", loss(), "one for each seed"},
		{"no epochs", loss(LossRun{Name: "seed 4"}), `"seed 4, validation": Y is empty`},
		{"zero loss", loss(LossRun{Validation: []float64{0}}), "above 0"},
		{"broken run", loss(LossRun{Name: "seed 1", Validation: []float64{nan}}), "look at the run"},
		{"best outside", loss(LossRun{Validation: some, Best: 3}), "1 to 2"},

		{"no forecasts", forecasts(), "wanted one or more"},
		{"no truth", forecasts(ForecastPanel{Title: "Leeds"}), "Leeds"},
		{"other models", forecasts(ForecastPanel{Truth: some, Forecasts: []Series{{Name: "a", Y: some}}},
			ForecastPanel{Truth: some, Forecasts: []Series{{Name: "b", Y: some}}}), "same order"},
		{"fewer models", forecasts(ForecastPanel{Truth: some, Forecasts: []Series{{Name: "a", Y: some}}},
			ForecastPanel{Truth: some}), "same models"},

		{"no models", dots(Axes{}), "one for each model"},
		{"all models missing", dots(Axes{}, DotRow{Name: "a"}, DotRow{Name: "b", Value: Number(nan)}),
			"all 2 rows are missing"},
		{"words", dots(Axes{}, DotRow{Name: "a", Value: Text("good")}), "wanted a number"},
		{"infinite mean", dots(Axes{}, DotRow{Name: "a", Value: Number(inf)}), "wanted finite"},
		{"one model to rank", ranks(Ranking{Models: two[:1]}), "1 models, wanted 2"},
		{"a rank of 3", ranks(Ranking{Models: []RankedModel{two[0], {Name: "b", Rank: 3}}}), `"b" has mean rank 3`},
		{"no rank", ranks(Ranking{Models: []RankedModel{two[0], {Name: "b", Rank: nan}}}), `"b" has mean rank NaN`},
		{"colour of a model", ranks(Ranking{Models: []RankedModel{two[0], {Rank: 1, Style: Style{Colour: 99}}}}),
			"colour 99"},
		{"a group of one", ranks(Ranking{Models: two, Groups: [][]int{{0, 1}, {1}}}), "group 1 holds 1 models"},
		{"an unknown model", ranks(Ranking{Models: two, Groups: [][]int{{0, 2}}}), "group 0 holds model 2, wanted 0 to 1"},
		{"log of negative mean", dots(Axes{LogX: true}, DotRow{Name: "a", Value: Number(-1)}), "above 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := c.make()
			if f != nil || !errors.Is(err, ErrInput) {
				t.Fatalf("got %v, %v, wanted an ErrInput", f, err)
			}
			if !strings.HasPrefix(err.Error(), "figures: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
		})
	}
}

// Odd input that can be drawn is drawn.
func TestOddInput(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() (*Figure, error)
	}{
		{"one point", func() (*Figure, error) { return Lines(Axes{}, Series{Y: []float64{0}}) }},
		{"constant", func() (*Figure, error) { return Lines(Axes{LogY: true}, Series{Y: []float64{5, 5, 5}}) }},
		{"gaps", func() (*Figure, error) { return Lines(Axes{}, Series{Y: []float64{nan, 1, nan, 2, 3, nan}}) }},
		{"many series", func() (*Figure, error) {
			return Lines(Axes{}, append(make([]Series, 0, 9), many(9)...)...)
		}},
		{"band below zero on log Y", func() (*Figure, error) {
			return Lines(Axes{LogY: true}, Series{Y: []float64{1, 2}, Lower: []float64{-1, 1}, Upper: []float64{3, 3}})
		}},
		{"band all below zero on log Y", func() (*Figure, error) {
			return Lines(Axes{LogY: true}, Series{Y: []float64{1, 2}, Lower: []float64{-1, 1}, Upper: []float64{-1, 3}})
		}},
		{"huge", func() (*Figure, error) { return Lines(Axes{}, Series{Y: []float64{-1e300, 1e300}}) }},
		{"tiny", func() (*Figure, error) { return Lines(Axes{}, Series{Y: []float64{1e-300, 3e-300}}) }},
		{"far apart on log Y", func() (*Figure, error) {
			return Lines(Axes{LogY: true},
				Series{Y: []float64{1e-300, 1e300}})
		}},
		{"one node", func() (*Figure, error) { return Adjacency(Axes{}, []HeatPanel{{Dense: [][]float64{{1}}}}) }},
		{"an empty day", func() (*Figure, error) {
			return Adjacency(Axes{}, []HeatPanel{{N: 2, From: []int{0}, To: []int{1}}, {N: 2}})
		}},
		{"different sizes", func() (*Figure, error) {
			return Adjacency(Axes{}, []HeatPanel{{N: 2, From: []int{0}, To: []int{1}}, {N: 500, From: []int{7}, To: []int{499}}})
		}},
		{"constant grid", func() (*Figure, error) {
			return HeatMap(Axes{},
				Grid{Values: [][]float64{{0, 0}}, Diverging: true})
		}},
		{"named columns", func() (*Figure, error) {
			return HeatMap(Axes{}, Grid{Values: [][]float64{make([]float64, 60)}, Columns: make([]string, 60)})
		}},
		{"mark on log X", func() (*Figure, error) {
			return Lines(Axes{LogX: true, Marks: []Mark{{"a", -1, true}, {"b", 1, true}}},
				Series{X: []float64{1, 2}, Y: []float64{1, 2}})
		}},
		{"constant field", func() (*Figure, error) {
			return Images(Axes{}, Limits{},
				[]ImagePanel{{Values: [][]float64{{0}}}})
		}},
		{"no difference", func() (*Figure, error) {
			return Images(Axes{}, Limits{}, []ImagePanel{{Values: [][]float64{{0}}, Diverging: true}})
		}},
		{"missing field with limits", func() (*Figure, error) {
			return Images(Axes{}, Limits{High: 1, Swing: 1},
				[]ImagePanel{{Values: [][]float64{{nan}}}, {Values: [][]float64{{nan}}, Diverging: true}})
		}},
		{"one epoch", func() (*Figure, error) { return LossCurves(Axes{}, LossRun{Validation: []float64{0.5}}) }},
		{"truth alone", func() (*Figure, error) { return Forecasts(Axes{}, []ForecastPanel{{Truth: []float64{1, nan, 2}}}) }},
		{"narrow spans", func() (*Figure, error) {
			return Forecasts(Axes{Spans: []Span{{"a very long name of a span", 0, 1}, {"b", 1, 20}, {"outside", 30, 40}}},
				[]ForecastPanel{{Truth: make([]float64, 21)}, {Truth: make([]float64, 21)}})
		}},
		{"interval below zero on log X", func() (*Figure, error) {
			return Dots(Axes{LogX: true}, DotRow{Name: "a", Value: Estimate(1, 2)}, DotRow{Name: "b", Value: Number(1e14)})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := c.make()
			if err != nil {
				t.Fatal(err)
			}
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			texts(t, svg)
			if s := string(svg); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
				t.Error("SVG holds NaN or Inf")
			}
		})
	}
}

func many(n int) []Series {
	series := make([]Series, n)
	for i := range series {
		series[i] = Series{Name: strings.Repeat("long name ", 3), Y: []float64{float64(i), 1}}
	}
	return series
}

// A forecast that any seed lacks is missing: a mean over the others would hide the failure.
func TestSpread(t *testing.T) {
	seeds := [][]float64{{1, 2, nan}, {3, 2, 5}, {5, 2, 5}}
	s, err := Spread("model", nil, seeds)
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got []float64, want ...float64) {
		t.Helper()
		for i := range want {
			if !(math.Abs(got[i]-want[i]) < 1e-12 || math.IsNaN(got[i]) && math.IsNaN(want[i])) {
				t.Errorf("%s: %v, wanted %v", what, got, want)
			}
		}
	}
	same("mean", s.Y, 3, 2, nan)
	same("lower", s.Lower, 1, 2, nan)
	same("upper", s.Upper, 5, 2, nan)
	if s.Name != "model, mean" || s.Band != "min–max of 3 seeds" {
		t.Errorf("named %q, %q", s.Name, s.Band)
	}
	if s, err = Spread("model", nil, seeds[1:2]); err != nil || s.Lower != nil || s.Name != "model" {
		t.Errorf("one seed: %+v, %v", s, err)
	}
	for name, seeds := range map[string][][]float64{"none": nil, "empty": {{}}, "ragged": {{1, 2}, {1}}} {
		if _, err := Spread("model", nil, seeds); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
