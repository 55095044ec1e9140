package worlds

import (
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Decisive rows have six seeds on heat in profile medium; other rows, dynamics and profiles have three, and so has the
// study with the published defects.
func TestTable1HasMoreSeedsOnHeat(t *testing.T) {
	for _, study := range []*Worlds{Table1(), Table1AsPublished()} {
		for _, profile := range []experiments.Profile{experiments.Medium, experiments.Full} {
			runs, err := study.Plan(t.Context(), experiments.Scope{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			counts := make(map[[2]string]int)
			for _, run := range runs {
				counts[[2]string{run.Model.ID, run.Keys["dynamics"]}]++
			}
			for of, count := range counts {
				want := 4 * 3
				if study.Name == "table1" && profile == experiments.Medium && of[1] == "heat" &&
					slices.Contains(decisiveOnHeat, of[0]) {
					want *= 2
				}
				if count != want {
					t.Errorf("%s, %s: %d runs of %v, want %d", study.Name, profile, count, of, want)
				}
			}
		}
	}
}
