package paper

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/law"
)

const (
	lawID = "law"
	// lawTerms is the array of a law's terms: map, 1 for the change of A, coefficient, size. lawState has the offset,
	// the coefficient of the state and its size.
	lawTerms, lawState = "law: terms", "law: state"
)

const lawNote = "The linear law: one state a node, dx = L(A) (x - x0) dt + L'(dA) (x - x0), with L and L' mixed from " +
	"the published maps of the adjacency, by least squares on the observations trained on. Coefficients: mean over seeds with its 95% interval (Student t). adds: root " +
	"mean square over nodes and observations of the term in dx/dt or, for a change of A, in x at an event; mean over " +
	"seeds. The graphs are nearly symmetric, so that data hardly tell A from its transpose: a row has the sum of their " +
	"coefficients. The truth of heat is x' = (A - D) x: this sum is 1, row sums on the diagonal have -1."

// bothNames name the sum of the coefficients of A and its transpose, and of its change and their transpose: on graphs
// that are nearly symmetric the data determine only this sum.
var bothNames = [2]string{"A and transpose together", "change and transpose together"}

// keepLaw keeps the equation that a linear law has learnt, in the units of the windows.
func keepLaw(facts *experiments.Facts, l experiments.Learner, windows []dyngraph.Window) error {
	fitted, err := l.(experiments.ForecastLearner).Forecaster.(*law.LeastSquares).Law()
	if err != nil {
		return err
	}
	measured, err := fitted.Measured(windows)
	if err != nil {
		return err
	}
	facts.Arrays[lawState] = [][]float64{{measured.Offset, measured.State, measured.StateSize}}
	for _, t := range measured.Terms {
		change := 0.
		if t.Change {
			change = 1
		}
		row := []float64{float64(t.Map), change, t.Coefficient, t.Size}
		facts.Arrays[lawTerms] = append(facts.Arrays[lawTerms], row)
	}
	return nil
}

// Law is the table of the linear equation that the row "law" has learnt of dynamics, by family: the coefficient of each
// map in the unit of 1/time, of a change of A without a unit, and beside it the root mean square of the term in dx/dt
// or, at an event, in x. Families without a run are left out; without any the error wraps [experiments.ErrNotStored].
func (w Worlds) Law(r *experiments.Report, dynamics string) (*figures.Table, error) {
	t := &figures.Table{Title: fmt.Sprintf("The linear equation learnt of %s, profile %s", dynamics, r.Profile),
		Columns: []figures.Column{{Title: "term"}},
		Notes:   []string{lawNote}}
	var families []experiments.Results
	for _, family := range r.Results.Values("family") {
		some := r.Results.Where("dynamics", dynamics).Where("family", family).Where("model", lawID).Finished()
		if len(some) > 0 {
			families = append(families, some)
			t.Columns = append(t.Columns, figures.Column{Title: family, Decimals: 4}, figures.Column{Title: "adds"})
		}
	}
	if len(families) == 0 {
		return nil, noRuns(lawID, dynamics)
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
		row(law.Term{Map: one, Change: change == 1}.String(), lawTerms, 2, i)
		if one == equivariant.IdentityMap || one == equivariant.TransposeMap {
			if both[change] = append(both[change], i); len(both[change]) == 2 {
				row(bothNames[change], lawTerms, 2, both[change]...)
			}
		}
	}
	return t, nil
}
