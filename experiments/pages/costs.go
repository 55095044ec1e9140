package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// StudyCost is what the runs of a study took, and what the missing ones would take.
type StudyCost struct {
	Study experiments.Study
	// ByProfile has profile full and the document's own.
	ByProfile map[experiments.Profile]experiments.Estimate
}

// runsTable lists the models of a report with their cost.
func (d *Document) runsTable(r *experiments.Report) *figures.Table {
	at := slices.IndexFunc(d.Costs, func(c StudyCost) bool { return c.Study.Name == r.Study.Name })
	return d.Costs[at].ByProfile[r.Profile].Table()
}

// costsIntroduction explains the table of costs.
const costsIntroduction = "Hours are summed over runs, which did not run one after another, nor on an idle machine; " +
	"most had one core. Hours to come are an estimate by the stored runs of the same model, or else by its epochs in " +
	"another profile: more than that, if its graphs are smaller. Models without a stored run have none. A run that " +
	"two studies share counts in both. The paper's own runs were on an H100 or H200."

// costTable lists the studies with their cost, with a sum for the paper's own.
func (d *Document) costTable() *figures.Table {
	t := &figures.Table{Columns: []figures.Column{{Title: "study"}, {Title: "on a GPU, by the paper"}}}
	for _, p := range d.profiles() {
		t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("profile %s, stored", p)},
			figures.Column{Title: "hours, stored"}, figures.Column{Title: "hours, to come"})
	}
	add := func(name, published string, costs ...StudyCost) {
		row := []figures.Cell{figures.Text(name), figures.Text(cmp.Or(published, "–"))}
		for _, p := range d.profiles() {
			var cost experiments.RowEstimate
			for _, c := range costs {
				cost.Add(c.ByProfile[p].Total())
			}
			row = append(row, figures.Text(cost.Stored()), figures.Text(cost.Hours()), figures.Text(cost.ToCome()))
		}
		t.Rows = append(t.Rows, row)
	}
	printed := slices.IndexFunc(d.Costs, func(c StudyCost) bool { return !paper.Prints(c.Study.Name) })
	for _, c := range d.Costs[:printed] {
		add(c.Study.Title, catalogue.PublishedCompute(c.Study.Name), c)
	}
	add("The whole paper", "", d.Costs[:printed]...)
	for _, c := range d.Costs[printed:] {
		add(c.Study.Title, "", c)
	}
	return t
}
