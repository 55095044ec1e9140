package stats_test

import (
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/stats"
)

func values(n fixture.Node) (all []float64) {
	for _, v := range n.List() {
		all = append(all, v.Float())
	}
	return all
}

// Results of two other libraries for the same tables, some with many ties.
func TestFixture(t *testing.T) {
	const tolerance = 1e-9
	for _, c := range fixture.Load(t, "statistics").Get("cases").List() {
		var table [][]float64
		for _, row := range c.Get("values").List() {
			table = append(table, values(row))
		}
		must := func(test stats.RankTest, err error) stats.RankTest {
			if err != nil {
				t.Fatal(err)
			}
			return test
		}
		single := func(what string, got float64, want fixture.Node) {
			fixture.Close(t, what, []float64{got}, []float64{want.Float()}, tolerance)
		}
		friedman := must(stats.Friedman(table))
		single("Friedman", friedman.Statistic, c.Get("friedman", "statistic"))
		single("Friedman's p", friedman.P, c.Get("friedman", "p"))
		fixture.Close(t, "mean ranks", friedman.MeanRanks, values(c.Get("mean_ranks")), tolerance)

		want := c.Get("aligned_ranks")
		aligned := must(stats.AlignedRanks(table))
		single("aligned ranks", aligned.Statistic, want.Get("statistic"))
		single("p of aligned ranks", aligned.P, want.Get("p"))
		fixture.Close(t, "mean aligned ranks", aligned.MeanRanks, values(want.Get("mean_ranks")), tolerance)
		for i, pair := range want.Get("pairs").List() {
			p := aligned.Pairs[i]
			if p.A != pair.List()[0].Int() || p.B != pair.List()[1].Int() {
				t.Fatalf("pair %d is %d, %d", i, p.A, p.B)
			}
			single("z", p.Z, want.Get("z").List()[i])
			single("p", p.P, want.Get("p_unadjusted").List()[i])
			single("Holm's p", p.Corrected, want.Get("p_holm").List()[i])
		}

		want = c.Get("wilcoxon")
		var p []float64
		for i, pair := range want.Get("pairs").List() {
			var a, b []float64
			for _, row := range table {
				a, b = append(a, row[pair.List()[0].Int()]), append(b, row[pair.List()[1].Int()])
			}
			test, err := stats.Wilcoxon(a, b)
			if err != nil {
				t.Fatal(err)
			}
			single("Wilcoxon", test.Statistic, want.Get("statistic").List()[i])
			single("Wilcoxon's p", test.P, want.Get("p_unadjusted").List()[i])
			p = append(p, test.P)
		}
		holm, err := stats.Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		fixture.Close(t, "Holm of Wilcoxon", holm, values(want.Get("p_holm")), tolerance)

		for j := range table[0] {
			var column []float64
			for _, row := range table {
				column = append(column, row[j])
			}
			mean, half := stats.MeanCI(column)
			single("mean", mean, c.Get("mean").List()[j])
			single("half-width", half, c.Get("half_width_95_student").List()[j])
		}
	}
}
