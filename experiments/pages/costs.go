package pages

import (
	"cmp"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// studyCost has the time that the runs of a study took, and an estimate for the missing ones.
type studyCost struct {
	study     experiments.Study
	byProfile map[experiments.Profile]experiments.Estimate // profile full and the document's own
}

// runsTable lists the models of a report with their cost.
func (d *Document) runsTable(r *experiments.Report) *figures.Table {
	for _, c := range d.costs {
		if c.study.Name == r.Study.Name {
			return c.byProfile[r.Profile].Table()
		}
	}
	return experiments.Estimate{}.Table()
}

// costsIntroduction explains the table of costs.
const costsIntroduction = "The time trained is the epochs of a run times the median seconds of its epochs, without " +
	"compiling and pauses, summed over runs, which did not run one after another, nor on an idle machine; most had " +
	"one core. The time to come is an estimate from stored runs of the same model, or else roughly from its runs in " +
	"another profile, by the seconds of an epoch and their share of the epochs allowed: graphs, models and epochs " +
	"differ there. A model without a stored run has no estimate. A run that two studies share counts in both. The " +
	"paper's own runs were on an H100 or H200."

// costTable lists the studies with their cost, with a sum for the paper's own.
func (d *Document) costTable() *figures.Table {
	t := &figures.Table{Columns: []figures.Column{{Title: "study"}, {Title: "on a GPU, by the paper"}}}
	for _, p := range d.profiles() {
		t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("profile %s, stored", p)},
			figures.Column{Title: "time trained"}, figures.Column{Title: "time to come"})
	}
	add := func(name, published string, costs ...studyCost) {
		row := []figures.Cell{figures.Text(name), figures.Text(cmp.Or(published, "–"))}
		for _, p := range d.profiles() {
			var cost experiments.RowEstimate
			for _, c := range costs {
				cost.Add(c.byProfile[p].Total())
			}
			row = append(row, figures.Text(cost.Stored()), figures.Text(cost.Time()), figures.Text(cost.ToCome()))
		}
		t.Rows = append(t.Rows, row)
	}
	var printed, ours []studyCost
	for _, c := range d.costs {
		if paper.Prints(c.study.Name) {
			printed = append(printed, c)
			add(c.study.Title, catalogue.PublishedCompute(c.study.Name), c)
		} else {
			ours = append(ours, c)
		}
	}
	add("The whole paper", "", printed...)
	for _, c := range ours {
		add(c.study.Title, "", c)
	}
	return t
}
