package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// walked returns the score of the last visible value on a series of nodes whose values are drawn.
func walked(t *testing.T, times, nodes int, draw func(k, u int) float64) baseline.Score {
	t.Helper()
	s := &dyngraph.Series{Name: "drawn", FeatureSize: 1, TargetSize: 1,
		Pattern: &dyngraph.Pattern{Nodes: nodes, From: []int32{0}, To: []int32{0}}}
	for k := range times {
		row := make([]float64, nodes)
		for u := range row {
			row[u] = draw(k, u)
		}
		s.Times, s.Weights = append(s.Times, float64(k)), append(s.Weights, []float64{0})
		s.Features, s.Targets = append(s.Features, row), append(s.Targets, row)
		s.LastObserved = append(s.LastObserved, row)
	}
	return lastVisible(t, s)
}

func lastVisible(t *testing.T, s *dyngraph.Series) baseline.Score {
	t.Helper()
	windows, err := s.Windows(3, 1).List()
	if err != nil {
		t.Fatal(err)
	}
	scores, err := baseline.Compare(t.Context(), dyngraph.Split{Train: windows[:1], Test: windows[1:]},
		baseline.Persistence{})
	if err != nil || scores[0].Err != nil {
		t.Fatal(err, scores[0].Err)
	}
	return scores[0]
}

// Intervals hold as often as wanted: for nodes of different size, where errors grow, and with heavy tails.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for name, draw := range map[string]func(k, u int) float64{
		"sizes":   func(_, u int) float64 { return float64(u+1) * random.NormFloat64() },
		"growing": func(k, _ int) float64 { return (1 + float64(k)/150) * random.NormFloat64() },
		"tails":   func(_, _ int) float64 { return math.Pow(random.NormFloat64(), 3) },
	} {
		coverage, later, err := calibrate(walked(t, 400, 6, draw), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range coverage {
			if !(math.Abs(c.Held-c.Level) <= 0.03) || c.Windows < 380 {
				t.Errorf("%s: intervals of %g hold %.3f of the time on %d windows", name, c.Level, c.Held, c.Windows)
			}
			if name == "sizes" && !(later[i].Half[5] > 3*later[i].Half[0]) {
				t.Errorf("half-widths %g of nodes whose errors are 1 to 6", later[i].Half)
			}
		}
	}
}

// On cases of Covid by region, few windows of epidemics that end, intervals of 80% hold for 83 to 86% of the values.
func TestCoverageOfCovid(t *testing.T) {
	for _, load := range []func(...pgt.Option) (*dyngraph.Series, error){pgt.EnglandCovid, pgt.ItalyCovid,
		pgt.FranceCovid} {
		s, err := load()
		if err != nil {
			t.Fatal(err)
		}
		split, err := s.Windows(5, 1).Chronological(0.4, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := baseline.Compare(t.Context(), split, &baseline.Ridge{})
		if err != nil {
			t.Fatal(err)
		}
		coverage, _, err := calibrate(scores[0], 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range coverage {
			if !(math.Abs(c.Held-c.Level) <= 0.07) {
				t.Errorf("%s: intervals of %g hold %.3f ± %.3f of the time on %d windows", s.Name, c.Level, c.Held, c.Margin,
					c.Windows)
			}
		}
	}
}

// An interval depends on no target that is not known when its forecast is made, one step ahead and three.
func TestIntervalsDoNotLookAhead(t *testing.T) {
	for _, ahead := range []int{0, 2} {
		random := rand.New(rand.NewPCG(13, 14))
		s := walked(t, 40, 3, func(_, _ int) float64 { return random.NormFloat64() })
		series := *s.Windows[0].Series
		series.Alignment.Targets = dyngraph.StepRange{First: ahead, Last: ahead}
		calibrated := func() []Coverage {
			of := s
			of.Windows = slices.Clone(s.Windows)
			for i := range of.Windows {
				of.Windows[i].Series = &series
			}
			coverage, _, err := calibrate(of, 0)
			if err != nil {
				t.Fatal(err)
			}
			return coverage
		}
		before := calibrated()
		const at = 20
		series.Targets = slices.Clone(series.Targets)
		for k := s.Windows[at].Last() - ahead; k < len(series.Targets); k++ {
			series.Targets[k] = []float64{1000, 1000, 1000}
		}
		after := calibrated()
		for i := range before {
			for k := range at + 1 {
				a, b := before[i].Intervals[k], after[i].Intervals[k]
				if (a == nil) != (b == nil) || a != nil && !(slices.Equal(a.Lower, b.Lower) && slices.Equal(a.Upper, b.Upper)) {
					t.Errorf("%d ahead, window %d: %v, was %v", ahead, k, b, a)
				}
			}
			if a, b := before[i].Intervals[at+2], after[i].Intervals[at+2]; slices.Equal(a.Upper, b.Upper) {
				t.Errorf("%d ahead, window %d does not see the errors before it", ahead, at+2)
			}
		}
	}
}

// With several steps at once each step has intervals from the targets that are known by then: a target of the next step
// is known one snapshot later, a target of step k only k snapshots later.
func TestIntervalsOfStepsDoNotLookAhead(t *testing.T) {
	const nodes, snapshots, count = 2, 40, 3
	random := rand.New(rand.NewPCG(19, 20))
	values := make([][]float64, snapshots+count)
	for i := range values {
		values[i] = []float64{random.NormFloat64(), random.NormFloat64()}
	}
	coverage := func(values [][]float64) ([]Coverage, baseline.Score) {
		s := &dyngraph.Series{Name: "steps", FeatureSize: 1, TargetSize: count, EachStep: true,
			Alignment: dyngraph.Alignment{Targets: dyngraph.StepRange{Last: count - 1}},
			Pattern:   &dyngraph.Pattern{Nodes: nodes, From: []int32{0}, To: []int32{0}}}
		score := baseline.Score{Name: "zero"}
		for i := range snapshots {
			var targets []float64
			for u := range nodes {
				for k := range count {
					targets = append(targets, values[i+k][u])
				}
			}
			s.Times, s.Weights = append(s.Times, float64(i)), append(s.Weights, []float64{0})
			s.Features, s.Targets = append(s.Features, values[i]), append(s.Targets, targets)
		}
		windows, err := s.Windows(3, 1).List()
		if err == nil {
			zeros := slices.Repeat([][]float64{make([]float64, nodes*count)}, len(windows))
			score, err = baseline.NewScore("zero", windows, zeros)
		}
		if err != nil {
			t.Fatal(err)
		}
		all, later, err := calibrateParts(score, 0, outputs(s))
		if err != nil || len(all) != count*len(levels) || len(later) != len(all) {
			t.Fatalf("%d coverages, %d half-widths: %v", len(all), len(later), err)
		}
		return all, score
	}
	before, score := coverage(values)
	const at = 20
	newest := newest(score.Windows[at])
	changed := slices.Clone(values)
	for i := newest + 1; i < len(changed); i++ {
		changed[i] = []float64{1000, 1000}
	}
	after, _ := coverage(changed)
	for i, c := range before {
		if c.Ahead != 1+i/len(levels) || after[i].Level != levels[i%len(levels)] {
			t.Errorf("coverage %d is %d ahead", i, c.Ahead)
		}
		first := len(c.Intervals) // with another interval after the change
		for k := range c.Intervals {
			a, b := c.Intervals[k], after[i].Intervals[k]
			if (a == nil) != (b == nil) || a != nil && !(slices.Equal(a.Lower, b.Lower) && slices.Equal(a.Upper, b.Upper)) {
				first = k
				break
			}
		}
		// The first changed target of this step is seen by the window for which it is the newest value.
		if first != at+1 {
			t.Errorf("%d ahead, %g: intervals change from window %d on, want %d", c.Ahead, c.Level, first, at+1)
		}
	}
}

// Intervals of values that are never negative do not go below 0.
func TestIntervalsOfCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for shift, want := range map[float64]bool{0: true, -1: false} {
		coverage, _, err := calibrate(walked(t, 60, 2, func(_, _ int) float64 { return shift + random.ExpFloat64() }), 0)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for _, i := range coverage[1].Intervals {
			if i != nil {
				least = min(least, slices.Min(i.Lower))
			}
		}
		if (least >= 0) != want {
			t.Errorf("values from %g on have intervals from %g on", shift, least)
		}
	}
}

// Without enough windows, or without errors, there are no intervals.
func TestNoIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	for name, s := range map[string]baseline.Score{
		"few windows": walked(t, 8, 2, func(_, _ int) float64 { return random.NormFloat64() }),
		"no errors":   walked(t, 40, 2, func(_, u int) float64 { return float64(u) }),
	} {
		if coverage, later, err := calibrate(s, 0); coverage != nil || later != nil || err != nil {
			t.Errorf("%s: %v, %v, %v", name, coverage, later, err)
		}
	}
}
