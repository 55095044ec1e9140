package paper

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

const (
	lawID = "law"
	// lawTerms is the array of a law's terms: map, 1 for the change of A, coefficient, size. lawState has the offset, the
	// coefficient of the state and its size.
	lawTerms, lawState = "law: terms", "law: state"
)

// bothNames are those of the sums over A, or its change, and the transpose: of graphs that are nearly symmetric only
// these are determined.
var bothNames = [2]string{"both of them", "both of them, of the change"}

// keepLaw keeps the equation that a linear law has learnt, in the units of the windows.
func keepLaw(facts *experiments.Facts, l experiments.Learner, windows []dyngraph.Window) error {
	law, err := l.(experiments.NetworkLearner).Law(windows)
	if err != nil {
		return err
	}
	facts.Arrays[lawState] = [][]float64{{law.Offset, law.State, law.StateSize}}
	for _, t := range law.Terms {
		change := 0.
		if t.Change {
			change = 1
		}
		facts.Arrays[lawTerms] = append(facts.Arrays[lawTerms], []float64{float64(t.Map), change, t.Coefficient, t.Size})
	}
	return nil
}

// Law is the table of the linear equation that the row "law" has learnt of dynamics, by family: the coefficient of each
// map, and below it what the term adds to dx/dt, or to x at an event, root mean square. Families without a run are left
// out.
func (w Worlds) Law(r *experiments.Report, dynamics string) (*figures.Table, error) {
	t := &figures.Table{Title: fmt.Sprintf("The linear equation learnt of %s, profile %s", dynamics, r.Profile),
		Columns: []figures.Column{{Title: "term"}},
		Notes: []string{"The linear law: one state a node, dx = L(A) (x - x0) dt + L'(dA) (x - x0), with L and L' mixed from " +
			"the published maps of the adjacency. Coefficients: mean over seeds with its 95% interval (Student t); adds: what " +
			"the term adds to dx/dt or, of a change of A, to x at an event, root mean square over nodes and observations, mean " +
			"over seeds. The graphs are nearly symmetric, so that A and its transpose are told apart by little: both of them is the " +
			"sum of their coefficients. Heat is x' = (A - D) x: both of them with 1, row sums on the diagonal with -1."}}
	var families []experiments.Results
	for _, family := range r.Results.Values("family") {
		some := r.Results.Where("dynamics", dynamics).Where("family", family).Where("model", lawID).Finished()
		if len(some) > 0 {
			families = append(families, some)
			t.Columns = append(t.Columns, figures.Column{Title: family, Decimals: 4}, figures.Column{Title: "adds"})
		}
	}
	if len(families) == 0 {
		return nil, noRuns(lawID, dynamics, "any")
	}
	row := func(name, array string, coefficient int, rows ...int) {
		cells := []figures.Cell{figures.Text(name)}
		for _, results := range families {
			var coefficients, sizes []float64
			for _, run := range results {
				var sum, size float64
				for _, i := range rows {
					values := run.Facts().Arrays[array][i]
					sum, size = sum+values[coefficient], size+values[coefficient+1]
				}
				coefficients, sizes = append(coefficients, sum), append(sizes, size)
			}
			cell := experiments.Interval{}.Cell(sizes)
			if len(rows) > 1 {
				cell = figures.Missing()
			}
			cells = append(cells, experiments.Interval{}.Cell(coefficients), cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	row("x", lawState, 1, 0)
	var both [2][]int // of A and of its change: itself and its transpose
	for i, term := range families[0][0].Facts().Arrays[lawTerms] {
		one, change := equivariant.Map(term[0]), int(term[1])
		row(pengcde.LawTerm{Map: one, Change: change == 1}.String(), lawTerms, 2, i)
		if one == equivariant.IdentityMap || one == equivariant.TransposeMap {
			if both[change] = append(both[change], i); len(both[change]) == 2 {
				row(bothNames[change], lawTerms, 2, both[change]...)
			}
		}
	}
	return t, nil
}
