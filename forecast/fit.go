package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// ModelName is the name of the trained model in tables and files if it has the affine field. The published field's name
// is "PENG-CDE published"; models with another field have that field's name.
const ModelName = "PENG-CDE"

// Result is the result of [Fit].
type Result struct {
	Model
	// Series is the series of the data. Its time unit is the median time between its snapshots.
	Series *dyngraph.Series
	// Split is in order of time: training uses nothing that was unknown when a tested forecast was made.
	Split dyngraph.Split
	// Report describes the training whose forecasts were tested; nil if the model is a simple forecast.
	Report *train.Report
	// Score is the model's score on the tested windows. Simple holds the scores of the forecasts without a trained
	// network.
	Score  baseline.Score
	Simple []baseline.Score
	// Coverage tells how often the prediction intervals of the model held on the tested windows, for each time ahead by
	// target and level. It has no time ahead and target with too few windows; nil if there is no other.
	Coverage []Coverage
	// Choice tells among which forecasts the model was chosen; nil if there was only one.
	Choice *Choice
	// Graph tells what the graph is worth; nil if it was not asked for.
	Graph *GraphWorth

	simples     []*simple // of Simple, as they were tested
	steps       []part
	outputs     []part
	config      Config // of the model
	epochs      int    // the most that a training had
	asTested    bool   // the model is a simple forecast that cannot be fitted to all windows
	notice      func(text string)
	checkpoints []string
}

// Fit trains on the first 60% of the windows, stops early by the next 20%, and tests on the rest, together with the
// simple forecasts of package baseline. Windows whose inputs end before the last step used for the scales are not
// tested. If there are several models or seeds, the errors on the next 20% also choose among them, see [Config].
//
// All times ahead are tested on the same windows, those whose last time is known. Fit then trains the model again for
// the same number of epochs on all windows with a known target and returns that; the caller must close it. Batches hold
// four windows. The oldest windows that do not fill a batch are left out, since another batch size would need another
// compilation. When ctx ends, the error wraps the context's error, and with a Checkpoint the next call continues.
func Fit(ctx context.Context, backend *xla.Backend, data *table.Data, c Config) (*Result, error) {
	c, err := c.resolved()
	if err != nil {
		return nil, err
	}
	if data == nil || data.Series == nil {
		return nil, invalid("no data, want those that table.Read returns")
	}
	series, unit, err := prepared(data.Series, 0)
	if err != nil {
		return nil, err
	}
	if constant(series) {
		return nil, invalid("%q never changes at any node: there is nothing to forecast", strings.Join(
			data.Recipe.Config.Nodes.Targets, ", "))
	}
	r := &Result{Model: Model{Recipe: data.Recipe, Inputs: c.Inputs, unit: unit}, Series: series, simples: simples(series),
		steps: steps(series), outputs: outputs(series), epochs: c.Epochs, notice: c.Notice}
	r.Recipe.Inputs = c.Inputs
	if uneven := r.uneven(series); uneven != "" {
		c.Notice(uneven)
	}
	windows := series.Windows(c.Inputs+1, 1).Observed()
	if complete, err := windows.Complete().List(); err == nil && len(complete) == 0 {
		return nil, invalid("no snapshot of %d has a target that is known %d later: want a smaller horizon, or more "+
			"snapshots", len(series.Times), data.Recipe.Config.Horizon)
	}
	if r.Split, err = windows.Complete().Chronological(trainFraction, validationFraction); err != nil {
		return nil, errs.New(errors.Join(ErrInput, err), "forecast: %d snapshots with all lags are too few to train, "+
			"validate and test with %d inputs, %d lags and horizon %d: want three times the number that these take "+
			"together, or fewer lags or inputs, or a smaller horizon", len(series.Times), c.Inputs,
			max(0, data.Recipe.Config.Lags), data.Recipe.Config.Horizon)
	}
	if err := r.dropScaled(data, c); err != nil {
		return nil, err
	}
	if r.Simple, err = r.compare(ctx, r.Split.Test); err != nil {
		return nil, err
	}
	all, err := windows.List()
	if err != nil {
		return nil, err
	}
	said, notice := make(map[string]bool), c.Notice
	c.Notice = func(text string) { // once for all models
		if !said[text] {
			notice(text)
		}
		said[text] = true
	}
	f := &fitter{Result: r, asked: c, backend: backend, all: all, earlier: afterScales(r.Split.Validation, data),
		clock: clock{budget: c.Budget, left: c.Budget, began: time.Now()}}
	if err := f.fit(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// rivals returns the scores of other forecasts on the tested windows: networks, then simple forecasts.
func (r *Result) rivals() (all []baseline.Score) {
	if r.Choice != nil {
		for _, c := range r.Choice.Candidates {
			if c.Err == nil && c.Seeds != nil {
				all = append(all, c.Score)
			}
		}
	}
	all = append(all, r.Simple...)
	return slices.DeleteFunc(all, func(s baseline.Score) bool { return s.Name == r.Score.Name })
}

// reports returns the reports of all trainings that were tested.
func (r *Result) reports() (all []*train.Report) {
	if r.Choice == nil && r.Report != nil {
		return []*train.Report{r.Report}
	}
	if r.Choice != nil {
		for _, c := range r.Choice.Candidates {
			for _, s := range c.Seeds {
				all = append(all, s.Report)
			}
		}
	}
	return all
}

// Epochs returns the number of epochs of all trainings that were tested.
func (r *Result) Epochs() (count int) {
	for _, report := range r.reports() {
		count += len(report.Epochs)
	}
	return count
}

// Stopped says in a sentence which trainings the budget ended, "" if it ended none.
func (r *Result) Stopped() string {
	all := r.reports()
	var epochs []int // of those that it ended
	for _, report := range all {
		if report.Stop == train.StopTime {
			epochs = append(epochs, len(report.Epochs))
		}
	}
	if epochs == nil {
		return ""
	}
	after := strconv.Itoa(slices.Min(epochs))
	if most := slices.Max(epochs); most > slices.Min(epochs) {
		after += fmt.Sprintf(" to %d", most)
	}
	after += fmt.Sprintf(" of at most %s", plain.Count(r.epochs, "epoch"))
	if len(all) == 1 {
		return "The budget ended the training after " + after + "."
	}
	return fmt.Sprintf("The budget ended %d of %d trainings, after %s.", len(epochs), len(all), after)
}

// compare fits the simple forecasts and returns their scores on windows.
func (r *Result) compare(ctx context.Context, windows []dyngraph.Window) ([]baseline.Score, error) {
	split := r.Split
	split.Test = windows
	var all []baseline.Forecaster
	for _, s := range r.simples {
		all = append(all, s)
	}
	return baseline.Compare(ctx, split, all...)
}

// dropScaled removes the tested windows whose target may have influenced the scales.
func (r *Result) dropScaled(data *table.Data, c Config) error {
	all := len(r.Split.Test)
	r.Split.Test = afterScales(r.Split.Test, data)
	rest, fraction := len(r.Split.Test), data.Recipe.Config.TrainFraction
	if rest == 0 {
		return invalid("scales were taken from the first %g of the times, of which none of %d windows to be tested sees "+
			"all: read the data with a smaller TrainFraction, such as %g, or a smaller horizon", fraction, all,
			min(trainFraction, fraction/2))
	}
	if rest < all {
		c.Notice(fmt.Sprintf("%d of %d windows are not tested, since they see less than the first %g of the times, which "+
			"scales were taken from: for more, take a smaller horizon or TrainFraction", all-rest, all, fraction))
	}
	return nil
}

// nameOf returns the name of a network in tables and files.
func nameOf(c pengcde.Config) string {
	name := ModelName
	if c.Network != nil {
		name = strings.ToUpper(field.Name(c.Network))
	} else if _, ok := c.Field.(field.GNODE); ok {
		name = "GN-ODE"
	} else if peng, ok := c.Field.(field.PENG); !ok {
		name = field.Name(c.Field)
	} else if cmp.Or(peng.DerivativeIn, field.EveryLayer) == field.EveryLayer {
		name += " published"
	}
	if _, ok := c.Head.(head.Corrected); ok {
		name += " + linear"
	}
	return name
}
