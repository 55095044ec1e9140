package worlds

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

var trainingNote = prose.Text("training")

// trainingOf returns a table that summarises each row's trainings.
func trainingOf(r *experiments.Report) (*figures.Table, error) {
	t := &figures.Table{Title: fmt.Sprintf("%s: how training went, profile %s", r.Study.Name, r.Profile),
		Columns: []figures.Column{{Title: "model"}, {Title: "runs"}, {Title: "diverged"}, {Title: "not resolved"},
			{Title: "not converged"}, {Title: "best epoch", Decimals: -1}, {Title: "tries an epoch", Decimals: -1},
			{Title: "seconds an epoch", Decimals: 2}, {Title: "largest gradient norm"}, {Title: "retried"}, {Title: "skipped"}},
		Notes: []string{trainingNote}}
	for _, id := range r.Models() {
		runs := r.Results.Where("model", id)
		of := trainingsOf(runs)
		if of.runs == 0 {
			continue
		}
		t.Rows = append(t.Rows, []figures.Cell{figures.Text(runs[0].Model.Name), count(of.runs), count(of.diverged),
			count(of.unresolved), count(of.unconverged), median(of.best), median(of.tries), median(of.seconds),
			of.norms(), count(of.retried), count(of.skipped)})
	}
	return t, nil
}

// trainings summarises the trainings of several runs.
type trainings struct {
	runs, diverged, unresolved, unconverged, retried, skipped int
	best, tries, seconds                                      []float64
	// norm is the largest gradient norm.
	norm float64
}

func trainingsOf(runs experiments.Results) (of trainings) {
	for _, run := range runs.Made() {
		facts := run.Facts()
		t := facts.Training
		if t == nil {
			continue
		}
		of.runs++
		of.seconds = append(of.seconds, t.SecondsPerEpoch)
		if t.Best >= 0 {
			of.best = append(of.best, float64(t.Best+1))
		}
		if facts.Failure != "" {
			of.diverged++
		} else if t.Unconverged() {
			of.unconverged++
		}
		if t.Unresolved() {
			of.unresolved++
		}
		tries := 0
		for i := range t.Tries {
			tries += t.Tries[i]
		}
		if tries > 0 {
			of.tries = append(of.tries, float64(tries)/float64(len(t.Tries)))
		}
		of.norm = max(of.norm, t.LargestGradient())
		for _, n := range t.Retried {
			of.retried += n
		}
		for _, n := range t.Skipped {
			of.skipped += n
		}
	}
	return of
}

// notFinite stands for a norm that training stored as the largest number.
const notFinite = "not finite"

// norms returns the largest gradient norm for people.
func (of trainings) norms() figures.Cell {
	if of.norm == math.MaxFloat64 {
		return figures.Text(notFinite)
	}
	return figures.Text(fmt.Sprintf("%.2g", of.norm))
}

func count(n int) figures.Cell { return figures.Text(fmt.Sprint(n)) }

// median returns the median; for an even number of values, the lower of the middle two.
func median(values []float64) figures.Cell {
	if len(values) == 0 {
		return figures.Missing()
	}
	sorted := slices.Sorted(slices.Values(values))
	return figures.Number(stat.Quantile(0.5, stat.Empirical, sorted, nil))
}
