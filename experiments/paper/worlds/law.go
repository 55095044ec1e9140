package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

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

// leastShare is the least part that a term of a law has in the largest one, by size, to be shown.
const leastShare = 0.01

// Law returns the linear equations that the row "law" has learnt for the given dynamics, by family. The table has the
// coefficients in the unit 1/time (no unit for a change of A) of the terms with a notable size, the root mean square of
// a term in dx/dt or, at an event, in x; the largest first. Families without a run are left out; if all are, the error
// wraps [experiments.ErrNotStored]. It wraps [experiments.ErrInput] if several worlds have the dynamics on a family.
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
		t.Columns = append(t.Columns, figures.Column{Title: family, Decimals: 4})
	}
	if len(families) == 0 {
		return nil, catalogue.NoRuns(catalogue.LawID, dynamics)
	}
	t.Columns = append(t.Columns, figures.Column{Title: "size, % of the largest", Decimals: 1})
	type learnt struct {
		cells []figures.Cell
		sizes []float64 // by family
		share float64   // of the largest term, in the family where that is most
	}
	var terms []learnt
	largest := make([]float64, len(families))
	add := func(name, array string, at, coefficient int) {
		term := learnt{cells: []figures.Cell{figures.Text(name)}}
		for k, results := range families {
			var coefficients, sizes []float64
			for _, run := range results {
				values := run.Facts().Arrays[array][at]
				coefficients, sizes = append(coefficients, values[coefficient]), append(sizes, values[coefficient+1])
			}
			size := stat.Mean(sizes, nil)
			term.cells = append(term.cells, experiments.Interval{}.Cell(coefficients))
			term.sizes, largest[k] = append(term.sizes, size), max(largest[k], size)
		}
		terms = append(terms, term)
	}
	add("x", lawState, 0, 1)
	for i, term := range families[0][0].Facts().Arrays[lawTerms] {
		add(law.Term{Map: equivariant.Map(term[0]), Change: term[1] == 1}.String(), lawTerms, i, 2)
	}
	for i, term := range terms {
		for k, size := range term.sizes {
			terms[i].share = max(terms[i].share, size/largest[k])
		}
	}
	slices.SortStableFunc(terms, func(a, b learnt) int { return cmp.Compare(b.share, a.share) })
	for _, term := range terms {
		if term.share >= leastShare {
			t.Rows = append(t.Rows, append(term.cells, figures.Number(100*term.share)))
		}
	}
	if left := terms[len(t.Rows):]; len(left) > 0 {
		t.Finding = fmt.Sprintf("Not shown: the other %d terms, each at most %.2g%% of the size of the largest.",
			len(left), 100*left[0].share)
	}
	return t, nil
}
