package affinity_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// ndcg_score of scikit-learn, with ties and rows without a gain.
func TestFixtureNDCG(t *testing.T) {
	floats := func(n fixture.Node) (all []float64) {
		for _, v := range n.List() {
			all = append(all, v.Float())
		}
		return all
	}
	for i, c := range fixture.Load(t, "tgb/golden").Get("ndcg_cases").List() {
		want, gains, scores := floats(c.Get("rows")), c.Get("y_true").List(), c.Get("y_pred").List()
		mean := 0.0
		for k := range want {
			got, err := affinity.NDCG(floats(gains[k]), floats(scores[k]), affinity.TopK)
			if err != nil || !(math.Abs(got-want[k]) < 1e-12) {
				t.Errorf("case %d, row %d: %.17g (%v), want %.17g", i, k, got, err, want[k])
			}
			mean += got / float64(len(want))
		}
		if want := c.Get("ndcg10").Float(); !(math.Abs(mean-want) < 1e-12) {
			t.Errorf("case %d: mean %.17g, want %.17g", i, mean, want)
		}
	}
}

func TestNDCGProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "classes")
		k := rapid.IntRange(1, 12).Draw(t, "k")
		gains := rapid.SliceOfN(rapid.Float64Range(0, 10), n, n).Draw(t, "gains")
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{-2, -1, 0, 1, 2, 3}), n, n).Draw(t, "scores")
		got, err := affinity.NDCG(gains, scores, k)
		if err != nil || got < 0 || got > 1+1e-12 {
			t.Fatal(got, err)
		}
		best, err := affinity.NDCG(gains, gains, k)
		if err != nil || best < got-1e-12 {
			t.Fatalf("%g in the best order, %g in another (%v)", best, got, err)
		}
		// Classes in another order, scores on another scale.
		order := rapid.Permutation(numbers(n)).Draw(t, "order")
		movedGains, movedScores := make([]float64, n), make([]float64, n)
		for i, to := range order {
			movedGains[to], movedScores[to] = gains[i], 3*scores[i]+1
		}
		moved, err := affinity.NDCG(movedGains, movedScores, k)
		if err != nil || !(math.Abs(moved-got) <= 1e-12) {
			t.Fatalf("%g, moved %g (%v)", got, moved, err)
		}
	})
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func TestNDCGErrors(t *testing.T) {
	for name, c := range map[string]struct {
		gains, scores []float64
		k             int
	}{
		"lengths":        {[]float64{1, 2}, []float64{1}, 10},
		"no rank":        {[]float64{1}, []float64{1}, 0},
		"negative gain":  {[]float64{1, -1}, []float64{1, 2}, 10},
		"gain NaN":       {[]float64{math.NaN()}, []float64{1}, 10},
		"infinite gain":  {[]float64{math.Inf(1)}, []float64{1}, 10},
		"score NaN":      {[]float64{1}, []float64{math.NaN()}, 10},
		"infinite score": {[]float64{1}, []float64{math.Inf(-1)}, 10},
	} {
		if _, err := affinity.NDCG(c.gains, c.scores, c.k); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
