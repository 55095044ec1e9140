package series

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// seriesRows are the rows of the paper's Table 2; broadcast ones have the published measure there, see [measure], so
// that no best of a column is marked.
var seriesRows = []struct {
	id, name  string
	broadcast bool
}{
	{"dcrnn", "DCRNN", false}, {"astgcn", "ASTGCN", false}, {"stidgcn", "STIDGCN", false}, {"gn-ode", "GN-ODE", true},
	{"stg-ncde", "STG-NCDE", true}, {"original", "GN-CDE", true}, {"peng", "PENG-CDE", true},
}

// Table2 has the rows of the paper's Table 2: ours with the published defects and in the published
// measure, and the paper's.
func Table2(e judge.Evidence) ([]figures.Item, error) {
	england, err := Epidemics().Country("england")
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: "Table 2, ours beside the paper", Columns: []figures.Column{{Title: "model"}}}
	for _, row := range seriesRows {
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(row.name)})
	}
	for _, series := range []struct {
		name string
		*Forecasting
	}{{"Covid", england}, {"tennis", Tennis()}} {
		var c comparison
		if report, _ := e.Usable(series.Name); report != nil {
			if c, err = series.comparison(report, Random); err != nil {
				return nil, err
			}
		}
		var counts []string
		for _, part := range partNames {
			t.Columns = append(t.Columns, figures.Column{Title: series.name + ", " + part, Decimals: 3})
			for i, of := range seriesRows {
				id := of.id + catalogue.PublishedEnding
				cell, measure := figures.Missing(), part
				if of.broadcast {
					measure += "*"
				}
				if row := c.row(id); row != nil {
					cell = row.Cell(measure, c.over)
					if count := fmt.Sprint(len(row.Results)); !slices.Contains(counts, count) {
						counts = append(counts, count)
					}
				}
				printed := series.published[id].Validation
				if part == "test" {
					printed = series.published[id].Test
				}
				t.Rows[i] = append(t.Rows[i], cell.Published(printed[0], printed[1]))
			}
		}
		if counts != nil {
			t.Finding += fmt.Sprintf("%s: ours is of %s seeds, the paper's of 10. ", series.name, strings.Join(counts, " or "))
		}
	}
	t.Finding += "Rows are models with the defects of the published code, on its random splits, in its measure."
	t.Notes = []string{"Table 2: of GN-ODE, STG-NCDE, GN-CDE and PENG-CDE the published measure compares every node's " +
		"forecast with every node's target (validation* and test* of the tables of a split); the paper does not name the " +
		"tournament. ± of ours counts that splits of a series share windows."}
	return []figures.Item{t}, nil
}
