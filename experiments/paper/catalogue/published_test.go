package catalogue

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
)

func TestFixturePaperTables(t *testing.T) {
	file := fixture.Load(t, "paper_tables")
	improvements := file.Get("relative_improvement_printed_percent")
	for title, dynamics := range map[string]string{"Heat diffusion": "heat", "Gene regulation": "gene",
		"Wealth": "wealth", "Opinion": "opinion"} {
		for _, family := range Families() {
			key := strings.ReplaceAll(family.Name(), " ", "_")
			for _, row := range PublishedRows(dynamics) {
				got, ok := row.On(family.Name())
				want := file.Get(title).Get(row.Name).Get(key).List()
				if !ok || got.Value != want[0].Float() || got.Spread != want[1].Float() {
					t.Errorf("%s, %s, %s: %v, want %v", dynamics, row.Name, family.Name(), got, want)
				}
			}
			got, byErrors, ok := PublishedImprovement(dynamics, family.Name())
			want := improvements.Get(title).Get(key).Float()
			if !ok || got != want || dynamics != "gene" && !(math.Abs(got-byErrors) <= 0.1) {
				t.Errorf("%s, %s: %g %%, want %g, by errors %g", dynamics, family.Name(), got, want, byErrors)
			}
		}
	}
	for _, row := range PublishedRows("tgb") {
		name := strings.NewReplacer("Average", "Avg", " with source and target identities", "+id").Replace(row.Name)
		printed := file.Get("TGB").Get(name)
		for data, key := range map[string]string{"tgbn-trade": "trade", "tgbn-genre": "genre"} {
			got, ok := row.On(data)
			if ok != slices.Contains(printed.Keys(), key) {
				t.Errorf("%s, %s: printed %t, want %t", row.Name, data, ok, !ok)
			}
			if !ok {
				continue
			}
			for i, want := range printed.Get(key).List() {
				if value := []float64{got.Value, got.Spread}[i]; value != want.Float() {
					t.Errorf("%s, %s: %v, want %g", row.Name, data, got, want.Float())
				}
			}
		}
	}
	for id, name := range map[string]string{"peng": "PENG", "pre-mult": "Pre Mult"} {
		for _, nodes := range PublishedNodes {
			column := strconv.Itoa(nodes)
			got, _ := Published("epoch", id, column)
			if want := file.Get("runtime_s").Get(name).Get(column).Float(); got.Value != want {
				t.Errorf("%s, %d nodes: %g s, want %g", id, nodes, got.Value, want)
			}
		}
	}
	for table, want := range map[string]int{"tgb": 16, "heat": 10, "gene": 10, "wealth": 10, "opinion": 10, "weights": 8,
		"covid": 7, "tennis": 7, "compute": 5} {
		if got := len(PublishedRows(table)); got != want {
			t.Errorf("%d rows of %s, want %d", got, table, want)
		}
	}
}
