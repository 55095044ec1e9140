package forecast

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/stats"
)

// Verdict states in one sentence whether the model beats the best simple forecast on the tested windows, and by how
// much. A model that is a simple forecast is compared with the network that was the best by validation.
func (r *Result) Verdict() string {
	if r.simple == nil {
		return Verdict(r.Score, r.Simple)
	}
	if rival, ok := r.rival(); ok {
		return versus(r.Score, rival)
	}
	return "No model could be trained."
}

// rival returns the forecast that the verdict compares the model with.
func (r *Result) rival() (baseline.Score, bool) {
	if r.simple == nil {
		return baseline.Best(r.Simple)
	}
	best, ok := r.Choice.best(true)
	return best.Score, ok
}

// Verdict compares a model with the simple forecasts of [baseline.Compare] on the same windows, in one sentence.
func Verdict(model baseline.Score, simple []baseline.Score) string {
	best, ok := baseline.Best(simple)
	if !ok {
		return fmt.Sprintf("No simple forecast could be made, so %s has nothing to be compared with.", model.Name)
	}
	return versus(model, best)
}

// versus compares two scores in one sentence.
func versus(model, best baseline.Score) string {
	mean, _ := model.Mean()
	least, _ := best.Mean()
	difference, half := model.Minus(best)
	better, worse := model.Name, best.Name
	if difference > 0 {
		better, worse = worse, better
	}
	is, chance := "has a lower error", fmt.Sprintf(", which may be chance (95%% interval ± %s)", digits(half))
	switch outcome := stats.OutcomeOf(difference, half); {
	case math.IsNaN(difference):
		return fmt.Sprintf("%s cannot be compared with %s: want errors of both on the same windows, none of them NaN.",
			model.Name, best.Name)
	case difference == 0:
		return fmt.Sprintf("%s and %s are equally good: mean squared error%s %s.", model.Name, best.Name, meanOver(model),
			digits(mean))
	case outcome == stats.NotTested:
		chance = "; the tested windows are too few, or share too much, for an interval"
	case outcome != stats.NotShown:
		is, chance = "is better", fmt.Sprintf(", more than chance would give (95%% interval ± %s)", digits(half))
	}
	return fmt.Sprintf("%s %s than %s by %s: mean squared error%s %s against %s%s.", plain.Capital(better), is, worse,
		digits(math.Abs(difference)), meanOver(model), digits(min(mean, least)), digits(max(mean, least)), chance)
}

// meanOver tells that errors are means over several times ahead or targets, "" if there is one of each.
func meanOver(s baseline.Score) string {
	series := s.Windows[0].Series
	var over []string
	if series.TargetSteps() > 1 {
		over = append(over, aheadText(series)+" snapshots ahead")
	}
	if series.Quantities() > 1 {
		over = append(over, fmt.Sprintf("%d targets", series.Quantities()))
	}
	if over == nil {
		return ""
	}
	return ", mean over " + strings.Join(over, " and ") + ","
}

// aheadText returns how many snapshots ahead targets are, "2" or "1 to 4".
func aheadText(s *dyngraph.Series) string {
	first, last := aheads(s)
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d to %d", first, last)
}

// digits formats a number with three decimals, or with a power of ten: with two digits if it is smaller than these
// show, with four from a million.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case v != 0 && size < 5e-4:
		return fmt.Sprintf("%.2g", v)
	case size >= 1e6:
		return fmt.Sprintf("%.3e", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// Table returns the errors of a model and of simple forecasts on the same windows. units are the units of the targets,
// such as "cases", each for a column of absolute errors.
func Table(model baseline.Score, simple []baseline.Score, units ...string) (*figures.Table, error) {
	t, err := errorTable(model, simple, units)
	if err != nil {
		return nil, err
	}
	t.Finding = Verdict(model, simple)
	if len(simple) > 1 {
		t.Notes = append(t.Notes, "The best simple forecast is the best by these same errors, which favours it.")
	}
	return t, nil
}

// Table returns the errors of the model and of all other forecasts on the tested windows.
func (r *Result) Table() (*figures.Table, error) {
	if r.Choice == nil {
		return Table(r.Score, r.Simple, r.Recipe.Config.Nodes.Targets...)
	}
	t, err := errorTable(r.Score, r.rivals(), r.Recipe.Config.Nodes.Targets)
	if err != nil {
		return nil, err
	}
	t.Finding = r.Verdict()
	return t, nil
}

// errorTable returns the errors of a model and its rivals.
func errorTable(model baseline.Score, rivals []baseline.Score, units []string) (*figures.Table, error) {
	all := append([]baseline.Score{model}, rivals...)
	made := slices.IndexFunc(all, func(s baseline.Score) bool { return len(s.Windows) > 0 })
	if made < 0 {
		return nil, invalid("no forecast of %d has tested windows, want one at least: look at the Err of the scores",
			len(all))
	}
	tested := all[made]
	t := &figures.Table{Title: fmt.Sprintf("Errors on %s%s", plain.Count(len(tested.Windows), "tested window"),
		strings.TrimSuffix(meanOver(tested), ",")),
		Columns: []figures.Column{{Title: "forecast"}, {Title: "mean squared error", Better: figures.Lower, Decimals: 3},
			{Title: model.Name + " minus it", Decimals: 3}}}
	for _, unit := range units {
		t.Columns = append(t.Columns, figures.Column{Title: "absolute error, " + unit})
	}
	for _, s := range all {
		if s.Err != nil {
			t.Rows = append(t.Rows, []figures.Cell{figures.Text(s.Name)})
			t.Notes = append(t.Notes, errs.In(s.Name+" cannot be made", s.Err).Error()+".")
			continue
		}
		row := []figures.Cell{figures.Text(s.Name), estimate(s.Mean()), figures.Text("")}
		if s.Name != model.Name {
			row[2] = estimate(model.Minus(s))
		}
		for target := range units {
			absolute, err := absoluteError(s, target)
			if err != nil {
				return nil, err
			}
			row = append(row, figures.Number(absolute))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(tested.Windows[0].Series.Scales) > 0 {
		t.Notes = append(t.Notes, plain.Capital(nodeMean)+": of each node its mean in the first part of the series, which "+
			"scales come from. Training mean: one number for all nodes, in these scales.")
	}
	t.Notes = append(t.Notes, "Mean squared error: the mean over windows, of errors by node"+standardised(tested)+
		". Below 0, "+model.Name+" is better.", interval(tested))
	return t, nil
}

// StepTable returns the errors of the model, and of the best other forecast, at each time ahead; nil if there is one.
func (r *Result) StepTable() (*figures.Table, error) {
	best, ok := baseline.Best(r.rivals())
	if len(r.steps) == 1 || !ok {
		return nil, nil
	}
	scores := []baseline.Score{r.Score, best}
	t := &figures.Table{Title: "Errors by time ahead on " + plain.Count(len(r.Score.Windows), "tested window"),
		Columns: []figures.Column{{Title: "snapshots ahead"}, {Title: r.Score.Name, Decimals: 3},
			{Title: best.Name, Decimals: 3}, {Title: "difference", Decimals: 3}},
		Notes: []string{"Errors by time ahead: mean squared errors of the model and of the forecast with the lowest mean " +
			"over times ahead among the others. Below 0, " + r.Score.Name + " is better. " + ErrorsFile + " has all forecasts."}}
	units := r.Recipe.Config.Nodes.Targets
	for _, unit := range units {
		for _, s := range scores {
			t.Columns = append(t.Columns, figures.Column{Title: fmt.Sprintf("absolute error of %s, %s", s.Name, unit)})
		}
	}
	var at [][]baseline.Score
	for _, s := range scores {
		one, err := split(s, r.steps)
		if err != nil {
			return nil, err
		}
		at = append(at, one)
	}
	for k, step := range r.steps {
		mine, other := at[0][k], at[1][k]
		row := []figures.Cell{figures.Text(aheadText(step.series)), estimate(mine.Mean()), estimate(other.Mean()),
			estimate(mine.Minus(other))}
		for target := range units {
			for _, s := range []baseline.Score{mine, other} {
				absolute, err := absoluteError(s, target)
				if err != nil {
					return nil, err
				}
				row = append(row, figures.Number(absolute))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// standardised describes the unit of the errors.
func standardised(s baseline.Score) string {
	if len(s.Windows[0].Series.Scales) == 0 {
		return ""
	}
	of := ""
	if s.Windows[0].Series.Scales[0].Log1p {
		of = " of log(1 + value),"
	}
	return of + " in units of the node's standard deviation in the first part of the series, so that all nodes count alike"
}

func interval(s baseline.Score) string {
	lag, tested := baseline.Lag(s.Windows), len(s.Windows)
	if lag >= tested {
		return fmt.Sprintf("All %d tested windows share snapshots with each other, so means have no interval: test on more "+
			"snapshots for one.", tested)
	}
	return fmt.Sprintf("Windows up to %d apart share snapshots, which the interval counts (Newey and West 1987).", lag)
}

// estimate returns a cell, without an interval if there is none.
func estimate(mean, half float64) figures.Cell {
	if math.IsInf(half, 0) {
		half = math.NaN()
	}
	return figures.Estimate(mean, half)
}

// absoluteError returns the mean absolute error over windows and nodes of a target in its unit.
func absoluteError(s baseline.Score, target int) (float64, error) {
	nodes, err := nodeErrors(s, target)
	if err != nil {
		return 0, err
	}
	var all []float64
	for _, one := range nodes {
		all = append(all, one...)
	}
	return stat.Mean(all, nil), nil
}

// nodeErrors returns the absolute errors of a target of each node in its unit, [nodes][windows and steps], without
// unobserved values.
func nodeErrors(s baseline.Score, target int) ([][]float64, error) {
	all := make([][]float64, len(s.NodeErrors))
	for i, w := range s.Windows {
		forecast, err := unscaled(w.Series, w.Last(), s.Forecasts[i])
		if err != nil {
			return nil, err
		}
		truth, err := unscaled(w.Series, w.Last(), w.Target())
		if err != nil {
			return nil, err
		}
		for k, y := range truth {
			if known(y) && k%w.Series.Quantities() == target {
				u := k * len(all) / len(truth)
				all[u] = append(all[u], math.Abs(forecast[k]-y))
			}
		}
	}
	return all, nil
}
