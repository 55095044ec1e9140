package worlds

import (
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/law"
)

const (
	// lawTerms is the array of a law's terms: map, 1 for the change of A, coefficient, size. lawState has the offset,
	// the coefficient of the state and its size.
	lawTerms, lawState = "law: terms", "law: state"
)

var lawNote = prose.Text("law")

// keepLaw stores the equation that a linear law has learnt, in the units of the windows.
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

// Law returns the linear equations that the row "law" has learnt for the given dynamics, by family. The table has the
// coefficient of each map in the unit 1/time (no unit for a change of A), and the root mean square of the term in
// dx/dt or, at an event, in x. Families without a run are left out; if all are, the error wraps
// [experiments.ErrNotStored]. It wraps [experiments.ErrInput] if several worlds have the dynamics on a family.
func (w Worlds) Law(r *experiments.Report, dynamics string) (*figures.Table, error) {
	t := &figures.Table{Title: fmt.Sprintf("The linear equation learnt of %s, profile %s", dynamics, r.Profile),
		Columns: []figures.Column{{Title: "term"}},
		Notes:   []string{lawNote}}
	var families []experiments.Results
	for _, family := range r.Results.Values("family") {
		some, err := finished(r, dynamics, family, catalogue.LawID)
		if errors.Is(err, experiments.ErrNotStored) {
			continue
		} else if err != nil {
			return nil, err
		}
		families = append(families, some)
		t.Columns = append(t.Columns, figures.Column{Title: family, Decimals: 4}, figures.Column{Title: "adds"})
	}
	if len(families) == 0 {
		return nil, catalogue.NoRuns(catalogue.LawID, dynamics)
	}
	row := func(name, array string, at, coefficient int) {
		cells := []figures.Cell{figures.Text(name)}
		for _, results := range families {
			var coefficients, sizes []float64
			for _, run := range results {
				values := run.Facts().Arrays[array][at]
				coefficients, sizes = append(coefficients, values[coefficient]), append(sizes, values[coefficient+1])
			}
			cells = append(cells, experiments.Interval{}.Cell(coefficients), experiments.Interval{}.Cell(sizes))
		}
		t.Rows = append(t.Rows, cells)
	}
	row("x", lawState, 0, 1)
	for i, term := range families[0][0].Facts().Arrays[lawTerms] {
		row(law.Term{Map: equivariant.Map(term[0]), Change: term[1] == 1}.String(), lawTerms, i, 2)
	}
	return t, nil
}
