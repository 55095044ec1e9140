package series

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// broadcast lists the rows of the paper's Table 2 that it reports in the published measure, see [measure]; therefore
// no best value of a column is marked.
var broadcast = []string{"gn-ode", "stg-ncde", "original", "peng"}

// Table2 returns the rows of the paper's Table 2: ours with the published defects and in the published measure, and
// the paper's.
func Table2(e judge.Evidence) ([]figures.Item, error) {
	england, err := Epidemics().Country("england")
	if err != nil {
		return nil, err
	}
	t := &figures.Table{Title: "Table 2, ours beside the paper", Columns: []figures.Column{{Title: "model"}}}
	rows := catalogue.PublishedRows(england.published)
	for _, row := range rows {
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(row.Name)})
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
			for i, of := range rows {
				cell, measure := figures.Missing(), part
				if slices.Contains(broadcast, of.ID) {
					measure += "*"
				}
				if row := c.rowOf(of.ID, asPublished); row != nil {
					cell = row.Cell(measure, c.over)
					if count := fmt.Sprint(len(row.Results)); !slices.Contains(counts, count) {
						counts = append(counts, count)
					}
				}
				printed, _ := catalogue.Published(series.published, of.ID, part)
				t.Rows[i] = append(t.Rows[i], cell.Published(printed.Cell()))
			}
		}
		if counts != nil {
			t.Finding += fmt.Sprintf("%s: ours is of %s seeds, the paper's of 10. ", series.name, strings.Join(counts, " or "))
		}
	}
	t.Finding += "Rows are models with the defects of the published code, on its random splits, in its measure."
	t.Notes = []string{prose.Text("table 2")}
	return []figures.Item{t}, nil
}
