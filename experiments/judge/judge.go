// Package judge decides, case by case, whether one row of a study does better than another. It shows the results as a
// matrix of rivals by cases, with a mark and a shade for each cell and with numbers where they decide.
//
// Start with [Beside] for the [Finding] of each rival, and [Matrix.Table] for the table.
package judge

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// Finding is the comparison of a row with a rival in one case. The zero value means not tested.
type Finding struct {
	Outcome stats.Outcome
	// Difference is the row's score minus the rival's, in the unit of [Matrix].Score. Half is the half-width of its
	// 95% interval. Better is the direction of better scores, [figures.Lower] unless it is [figures.Higher].
	Difference, Half float64
	Better           figures.Direction
	// Mean is the row's mean score on the blocks of the test; 0 in tests of another kind.
	Mean float64
	// P is the p value corrected for all rivals of the row, stored or not. Raw is the uncorrected p value.
	P, Raw float64
	// Note gives the reason if there was no test, and otherwise further information.
	Note string
}

// Of returns the finding of a test of errors, where less is better.
func Of(d stats.Difference) Finding {
	return Finding{Outcome: d.Outcome(), Difference: d.Mean, Half: d.HalfWidth, P: d.Corrected, Raw: d.P}
}

// Correct sets the outcomes of tests again, with Holm's correction for all of them and for the untested cases, which
// count as showing nothing. The correction therefore does not depend on which runs are stored.
func Correct(tested []*Finding, untested int) error {
	tested = slices.Clone(tested)
	slices.SortStableFunc(tested, func(a, b *Finding) int { return cmp.Compare(a.Raw, b.Raw) })
	var p []float64
	for _, f := range tested {
		p = append(p, f.Raw)
	}
	corrected, err := stats.Holm(append(p, slices.Repeat([]float64{1}, untested)...))
	if err != nil {
		return err
	}
	for i, f := range tested {
		f.P = corrected[i]
		f.Outcome = stats.Difference{Mean: f.loss(), Corrected: f.P}.Outcome()
	}
	return nil
}

// loss returns the difference as one of errors.
func (f Finding) loss() float64 {
	if f.Better == figures.Higher {
		return -f.Difference
	}
	return f.Difference
}

// Row holds the errors of a model by block, such as a seed or a tested window. Errors is nil if runs are missing or
// diverged; Gap says which. If Better is [figures.Higher], Errors are scores, the higher the better.
type Row struct {
	Name   string
	Blocks []int
	Errors []float64
	Gap    string
	Better figures.Direction
}

// on returns the errors on these blocks.
func (r Row) on(blocks []int) []float64 {
	errors := make([]float64, len(blocks))
	for i, block := range blocks {
		errors[i] = r.Errors[slices.Index(r.Blocks, block)]
	}
	return errors
}

// Minus returns the errors of r minus the errors of other, on the blocks that both have.
func (r Row) Minus(other Row) (differences []float64) {
	for i, block := range r.Blocks {
		if j := slices.Index(other.Blocks, block); j >= 0 {
			differences = append(differences, r.Errors[i]-other.Errors[j])
		}
	}
	return differences
}

// Beside tests a row against rivals, on the blocks that the row and all rivals with errors share. The p values are
// corrected by [Correct] for all rivals, also the ones without errors. The findings are in the order of the rivals;
// Note gives the reason if a rival is not tested.
func Beside(row Row, rivals []Row, test stats.Test) ([]Finding, error) {
	findings := make([]Finding, len(rivals))
	blocks := slices.Clone(row.Blocks)
	var with []int
	for i, rival := range rivals {
		if rival.Errors == nil {
			findings[i].Note = rival.Name + " " + rival.Gap
			continue
		}
		with = append(with, i)
		blocks = slices.DeleteFunc(blocks, func(b int) bool { return !slices.Contains(rival.Blocks, b) })
	}
	if row.Errors == nil || len(blocks) < 2 {
		why := row.Name + " " + row.Gap
		if row.Errors != nil {
			why = "fewer than two seeds or windows have errors of all"
		}
		for _, i := range with {
			findings[i].Note = why
		}
		return findings, nil
	}
	errors := make([][]float64, len(with))
	for k, i := range with {
		errors[k] = rivals[i].on(blocks)
	}
	own := row.on(blocks)
	differences, err := stats.Compare(own, errors, test)
	if err != nil {
		return nil, err
	}
	var tested []*Finding
	for k, i := range with {
		findings[i] = Of(differences[k])
		findings[i].Mean, findings[i].Better = stat.Mean(own, nil), row.Better
		tested = append(tested, &findings[i])
	}
	return findings, Correct(tested, len(rivals)-len(tested))
}
