package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/stats"
)

// tests are those over tables.
var tests = map[string]func([][]float64) (stats.RankTest, error){"Friedman": stats.Friedman,
	"aligned ranks": stats.AlignedRanks}

// drawTable returns whole numbers, so that values tie and sums are exact.
func drawTable(t *rapid.T) [][]float64 {
	table := make([][]float64, rapid.IntRange(2, 12).Draw(t, "blocks"))
	models := rapid.IntRange(2, 7).Draw(t, "models")
	for i := range table {
		for range models {
			table[i] = append(table[i], float64(rapid.IntRange(-6, 6).Draw(t, "error")))
		}
	}
	return table
}

func run(t *rapid.T, test func([][]float64) (stats.RankTest, error), table [][]float64) stats.RankTest {
	result, err := test(table)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func same(t *rapid.T, what string, a, b stats.RankTest) {
	if !floats.EqualApprox(a.MeanRanks, b.MeanRanks, 1e-12) || !(math.Abs(a.P-b.P) <= 1e-12) ||
		len(a.Pairs) != len(b.Pairs) {
		t.Fatalf("%s: %+v became %+v", what, a, b)
	}
}

// All p values are probabilities, the p values of pairs grow by correction, and groups hold no pair that differs.
func TestRankTestsArePlausible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		for name, test := range tests {
			r := run(t, test, table)
			if !(r.P >= 0 && r.P <= 1) || r.Statistic < 0 || r.Blocks != len(table) {
				t.Fatalf("%s: %+v", name, r)
			}
			differ := map[[2]int]bool{}
			for _, p := range r.Pairs {
				if !(p.P >= 0 && p.P <= 1 && p.Corrected <= 1 && p.Corrected >= p.P-1e-15) || p.A >= p.B {
					t.Fatalf("%s: %+v", name, p)
				}
				differ[[2]int{p.A, p.B}] = p.Corrected <= 0.3
			}
			joined := map[[2]int]bool{}
			for _, group := range r.Groups(0.3) {
				for i, a := range group {
					for _, b := range group[i+1:] {
						pair := [2]int{min(a, b), max(a, b)}
						joined[pair] = true
						if differ[pair] {
							t.Fatalf("%s: group %v joins %v, which differ", name, group, pair)
						}
					}
				}
			}
			for pair, d := range differ {
				if !d && !joined[pair] {
					t.Fatalf("%s: %v do not differ and share no group", name, pair)
				}
			}
		}
	})
}

// Friedman's test depends only on the order within blocks.
func TestFriedmanSeesOrderAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		moved := make([][]float64, len(table))
		for i, row := range table {
			scale := rapid.Float64Range(0.1, 10).Draw(t, "scale")
			for _, v := range row {
				moved[i] = append(moved[i], float64(i)+math.Exp(scale*v/6))
			}
		}
		same(t, "Friedman", run(t, stats.Friedman, table), run(t, stats.Friedman, moved))
	})
}

// Aligned ranks are invariant to a constant shared by all models of a block, and to the unit.
func TestAlignedRanksDoNotSeeBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		models := float64(len(table[0]))
		moved := make([][]float64, len(table))
		for i, row := range table {
			shift := float64(rapid.IntRange(-50, 50).Draw(t, "shift"))
			for j := range row {
				row[j] *= models // so that means are exact, and ties stay ties
				moved[i] = append(moved[i], 4*(row[j]+shift*models))
			}
		}
		same(t, "aligned ranks", run(t, stats.AlignedRanks, table), run(t, stats.AlignedRanks, moved))
	})
}

// Holm is at most Bonferroni, and does not change the order.
func TestCorrections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 36).Draw(t, "p")
		holm, err := stats.Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if bonferroni := float64(len(p)) * p[i]; holm[i] > min(1, bonferroni) || holm[i] < p[i] {
				t.Fatalf("p %g, Bonferroni %g, Holm %g", p[i], bonferroni, holm[i])
			}
			for j := range p {
				if p[i] < p[j] && holm[i] > holm[j] {
					t.Fatalf("p %v, Holm %v", p, holm)
				}
			}
		}
	})
}

// Exchanging both models changes nothing, and Exact is the share of all signs with a statistic as small.
func TestWilcoxon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "pairs")
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(rapid.IntRange(-5, 5).Draw(t, "difference"))
		}
		zeros := make([]float64, n)
		a, err1 := stats.Wilcoxon(d, zeros)
		b, err2 := stats.Wilcoxon(zeros, d)
		if err1 != nil || err2 != nil || a != b || !(a.P >= 0 && a.P <= 1 && a.Exact > 0 && a.Exact <= 1) {
			t.Fatalf("%+v (%v), exchanged %+v (%v)", a, err1, b, err2)
		}
		d = slices.DeleteFunc(d, func(v float64) bool { return v == 0 })
		if len(d) < 2 {
			return
		}
		as := 0
		for signs := range 1 << len(d) {
			flipped := slices.Clone(d)
			for i := range d {
				flipped[i] = math.Abs(d[i])
				if signs>>i&1 == 1 {
					flipped[i] *= -1
				}
			}
			test, err := stats.Wilcoxon(flipped, zeros[:len(d)])
			if err != nil {
				t.Fatal(err)
			}
			if test.Statistic <= a.Statistic {
				as++
			}
		}
		if share := float64(as) / float64(int(1)<<len(d)); !(math.Abs(share-a.Exact) <= 1e-12) {
			t.Fatalf("exact p %g, by counting %g", a.Exact, share)
		}
	})
}

// Known p values: all of five pairs agree, 2/32; many pairs are near the normal approximation, and more than 60 pairs
// have only that.
func TestWilcoxonSizes(t *testing.T) {
	grow := func(n int) (a, b []float64) {
		for i := range n {
			a, b = append(a, float64(i+1)*float64(1-2*(bits.OnesCount(uint(i))%2))), append(b, 0)
		}
		return a, b
	}
	if test, err := stats.Wilcoxon([]float64{1, 2, 3, 4, 5}, make([]float64, 5)); err != nil || test.Exact != 2./32 {
		t.Errorf("%+v (%v), want an exact p of 1/16", test, err)
	}
	if test, err := stats.Wilcoxon(grow(60)); err != nil || !(math.Abs(test.P-test.Exact) <= 0.01) {
		t.Errorf("%+v (%v), want equal p values", test, err)
	}
	if test, err := stats.Wilcoxon(grow(61)); err != nil || !math.IsNaN(test.Exact) || math.IsNaN(test.P) {
		t.Errorf("%+v (%v), want P alone", test, err)
	}
	if test, err := stats.Wilcoxon([]float64{1, 2}, []float64{1, 2}); err != nil || test.P != 1 || test.Exact != 1 {
		t.Errorf("%+v (%v), want p values of 1", test, err)
	}
}

func TestTies(t *testing.T) {
	equal := [][]float64{{1, 1, 1}, {2, 2, 2}}
	for name, test := range tests {
		r, err := test(equal)
		if err != nil || r.Statistic != 0 || r.P != 1 || !slices.Equal(r.Groups(0.05)[0], []int{0, 1, 2}) {
			t.Errorf("%s of equal errors: %+v (%v)", name, r, err)
		}
	}
}

func TestInvalid(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		table [][]float64
		kind  error
	}{
		{nil, stats.ErrBlocks}, {[][]float64{{1, 2}}, stats.ErrBlocks}, {[][]float64{{1}, {2}}, stats.ErrModels},
		{[][]float64{{}, {}}, stats.ErrModels}, {[][]float64{{1, 2}, {3}}, stats.ErrRagged},
		{[][]float64{{1, 2}, {3, nan}}, stats.ErrNotFinite}, {[][]float64{{1, math.Inf(1)}, {3, 4}}, stats.ErrNotFinite},
	} {
		for name, test := range tests {
			if _, err := test(c.table); !errors.Is(err, c.kind) || !errors.Is(err, stats.ErrInput) {
				t.Errorf("%s of %v: error %v, want %v", name, c.table, err, c.kind)
			}
		}
	}
	one := func(_ any, err error) error { return err }
	compare := func(model []float64, rivals ...[]float64) error {
		return one(stats.Compare(model, rivals, stats.Test{}))
	}
	for name, c := range map[string][2]error{
		"Holm of NaN":         {one(stats.Holm([]float64{nan})), stats.ErrNotFinite},
		"Holm of 2":           {one(stats.Holm([]float64{2})), stats.ErrInput},
		"Wilcoxon of one":     {one(stats.Wilcoxon([]float64{1}, []float64{1})), stats.ErrBlocks},
		"Wilcoxon of 2 and 3": {one(stats.Wilcoxon([]float64{1, 2}, []float64{1, 2, 3})), stats.ErrRagged},
		"Wilcoxon of NaN":     {one(stats.Wilcoxon([]float64{1, nan}, []float64{1, 2})), stats.ErrNotFinite},
		"Compare of 2 and 3":  {compare([]float64{1, 2}, []float64{1, 2, 3}), stats.ErrRagged},
		"Compare of NaN":      {compare([]float64{1, 2}, []float64{1, nan}), stats.ErrNotFinite},
		"Compare of one":      {compare([]float64{1}, []float64{2}), stats.ErrBlocks},
		"Compare, lag negative": {one(stats.Compare([]float64{1, 2}, [][]float64{{1, 3}}, stats.Overlapping(-1))),
			stats.ErrInput},
	} {
		if err := c[0]; !errors.Is(err, c[1]) || !errors.Is(err, stats.ErrInput) {
			t.Errorf("%s: error %v, want %v", name, err, c[1])
		}
	}
}

// If no model is better, tests reject at the nominal rate; if one is, they find it and no other.
func TestCalibration(t *testing.T) {
	const blocks, models, trials = 24, 5, 2000
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(better float64) (table [][]float64) {
		for range blocks {
			row, block := make([]float64, models), 3*rng.NormFloat64()
			for j := range row {
				row[j] = block + rng.NormFloat64()
			}
			row[2] -= better
			table = append(table, row)
		}
		return table
	}
	rejected, wrong, asked := map[string]int{}, map[string]int{}, map[string]int{}
	for range trials {
		table := draw(0)
		for name, test := range tests {
			r, err := test(table)
			if err != nil {
				t.Fatal(err)
			}
			if r.P <= 0.05 {
				rejected[name]++
			}
			if slices.ContainsFunc(r.Pairs, func(p stats.Pair) bool { return p.Corrected <= 0.05 }) {
				wrong[name]++
				if r.P <= 0.05 {
					asked[name]++
				}
			}
		}
		var a, b []float64
		for _, row := range table {
			a, b = append(a, row[0]), append(b, row[1])
		}
		w, err := stats.Wilcoxon(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if w.P <= 0.05 {
			rejected["Wilcoxon"]++
		}
		if w.Exact <= 0.05 {
			rejected["exact Wilcoxon"]++
		}
	}
	for name, count := range rejected { // 0.05 with a standard error of 0.005
		if share := float64(count) / trials; share < 0.035 || share > 0.065 {
			t.Errorf("%s rejects %.4f of true hypotheses, want 0.05", name, share)
		}
	}
	for name, count := range wrong {
		most := 0.065
		if name == "aligned ranks" { // see its comment
			most = 0.085
		}
		share, after := float64(count)/trials, float64(asked[name])/trials
		if share > most || after > 0.065 {
			t.Errorf("%s finds pairs that differ in %.4f of tables without any, where the global test rejects too in %.4f; "+
				"want at most %g and 0.05", name, share, after, most)
		}
	}
	for name, test := range tests {
		r, err := test(draw(2.5))
		if err != nil {
			t.Fatal(err)
		}
		if r.P > 1e-6 || slices.Index(r.MeanRanks, slices.Min(r.MeanRanks)) != 2 {
			t.Errorf("%s does not find the better model: %+v", name, r)
		}
		for _, p := range r.Pairs {
			if differ := p.A == 2 || p.B == 2; differ != (p.Corrected <= 0.01) {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

func ExampleFriedman() {
	// Errors of three models on five data sets.
	test, err := stats.Friedman([][]float64{{.71, .80, .95}, {.30, .33, .52}, {1.2, 1.1, 1.9}, {.64, .70, .90},
		{.20, .25, .31}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean ranks %.1f, p = %.3f\n", test.MeanRanks, test.P)
	for _, pair := range test.Pairs {
		fmt.Printf("models %d and %d: corrected p = %.3f\n", pair.A, pair.B, pair.Corrected)
	}
	fmt.Println("not told apart:", test.Groups(0.05))
	// Output:
	// mean ranks [1.2 1.8 3.0], p = 0.015
	// models 0 and 1: corrected p = 0.343
	// models 0 and 2: corrected p = 0.013
	// models 1 and 2: corrected p = 0.116
	// not told apart: [[0 1] [1 2]]
}

func ExampleWilcoxon() {
	test, _ := stats.Wilcoxon([]float64{.71, .30, 1.2, .64, .20, .45}, []float64{.80, .33, 1.1, .75, .25, .61})
	fmt.Printf("rank sum %g of %d pairs, p = %.3f, exactly %.3f\n", test.Statistic, test.Pairs, test.P, test.Exact)
	// Output:
	// rank sum 4 of 6 pairs, p = 0.173, exactly 0.219
}
