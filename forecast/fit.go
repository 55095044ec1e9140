package forecast

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// ModelName is the name of the trained model in tables and files if it has the published or the affine field. Models
// with another field have that field's name.
const ModelName = "PENG-CDE"

// Result is the result of [Fit].
type Result struct {
	Model
	// Series is the series of the data. Its time unit is the median time between its snapshots.
	Series *dyngraph.Series
	// Split is in order of time: training uses nothing that was unknown when a tested forecast was made.
	Split dyngraph.Split
	// Report describes the training whose forecasts were tested.
	Report *train.Report
	// Score is the model's score on the tested windows. Simple holds the scores of the forecasts without a trained
	// network.
	Score  baseline.Score
	Simple []baseline.Score
	// Coverage tells how often the prediction intervals of the model held on the tested windows, by level; nil if these
	// are too few.
	Coverage []Coverage

	simple     []baseline.Forecaster // of Simple, as they were tested
	checkpoint string
	field      string // of Config
}

// Fit trains on the first 60% of the windows, stops early by the next 20%, and tests on the rest, together with the
// simple forecasts of package baseline. Windows whose inputs end before the last step used for the scales are not
// tested.
//
// Fit then trains again for the same number of epochs on all windows and returns that model; the caller must close
// it. Batches hold four windows. The oldest windows that do not fill a batch are left out, since another batch size
// would need another compilation. When ctx ends, the error wraps the context's error, and with a Checkpoint the next
// call continues.
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
	if !observed(series) {
		return nil, invalid("no snapshot of %d has a target that is known %d later: want a smaller horizon, or more "+
			"snapshots", len(series.Times), data.Recipe.Config.Horizon)
	}
	if constant(series) {
		return nil, invalid("%q never changes at any node: there is nothing to forecast", strings.Join(
			data.Recipe.Config.Nodes.Targets, ", "))
	}
	if (calendar{series, unit}).text(len(series.Times)) == "" {
		c.Notice("snapshots are not evenly spaced: forecasts are so many snapshots ahead, at no time that could be told; a " +
			"Step with WithoutEdges Hold (--step 1h --without-edges hold) makes snapshots of one length")
	}
	r := &Result{Model: Model{Recipe: data.Recipe, Inputs: c.Inputs, unit: unit}, Series: series}
	windows := series.Windows(c.Inputs+1, 1).Observed()
	if r.Split, err = windows.Chronological(trainFraction, validationFraction); err != nil {
		return nil, errs.New(errors.Join(ErrInput, err), "forecast: %d snapshots with all lags are too few to train, "+
			"validate and test with %d inputs, %d lags and horizon %d: want three times the number that these take "+
			"together, or fewer lags or inputs, or a smaller horizon", len(series.Times), c.Inputs,
			max(0, data.Recipe.Config.Lags), data.Recipe.Config.Horizon)
	}
	if err := r.dropScaled(data, c); err != nil {
		return nil, err
	}
	r.simple, r.checkpoint, r.field = baseline.Heuristics(), c.checkpoint(series), c.Field
	if r.Simple, err = baseline.Compare(ctx, r.Split, r.simple...); err != nil {
		return nil, err
	}
	if r.Network, err = pengcde.New(backend, c.model(series)); err != nil {
		return nil, err
	}
	if err := r.train(ctx, c, data, windows); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
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

// train trains, tests, and trains again on all windows with the same compiled programs.
func (r *Result) train(ctx context.Context, c Config, data *table.Data, windows dyngraph.Windows) (err error) {
	t := trainer{c, r.Network, r.checkpoint}
	if r.Report, err = t.train(ctx, tested, r.Split.Train, r.Split.Validation, 0); err != nil {
		return err
	}
	earlier := afterScales(r.Split.Validation, data)
	both, err := score(ctx, r.Network, slices.Concat(earlier, r.Split.Test))
	if err != nil {
		return err
	}
	if r.Coverage, r.intervals, err = calibrate(both, len(earlier)); err != nil {
		return err
	}
	if r.Score, err = baseline.NewScore(both.Name, r.Split.Test, both.Forecasts[len(earlier):]); err != nil {
		return err
	}
	if r.Coverage == nil {
		c.Notice(fmt.Sprintf("%d tested windows are too few for prediction intervals: want at least %d whose targets are "+
			"known when a later one is forecast", len(r.Score.Windows), leastWindows))
	}
	all, err := windows.List()
	if err != nil {
		return err
	}
	r.Network.Reset(c.Seed)
	_, err = t.train(ctx, final, all, nil, r.Report.Best+1)
	return err
}

// score forecasts windows and measures the forecasts.
func score(ctx context.Context, model *pengcde.Model, windows []dyngraph.Window) (baseline.Score, error) {
	var forecasts [][]float64
	for _, w := range windows {
		y, err := model.Predict(ctx, w, nil)
		if err != nil {
			return baseline.Score{}, err
		}
		forecasts = append(forecasts, y.Values)
	}
	return baseline.NewScore(nameOf(model), windows, forecasts)
}

// nameOf returns the name of a model in tables and files.
func nameOf(model *pengcde.Model) string {
	f := model.Config().Field
	if _, ok := f.(field.PENG); ok {
		return ModelName
	}
	return field.Name(f)
}

// trainer trains a model.
type trainer struct {
	Config
	model      *pengcde.Model
	checkpoint string
}

// train stops by validation windows, or runs a fixed number of epochs without them.
func (t trainer) train(ctx context.Context, name string, training, validation []dyngraph.Window,
	epochs int) (*train.Report, error) {
	config := t.training(epochs)
	begin, twice, first := 0.5, time.Duration(1), "training on all windows"
	if epochs == 0 { // then the second training follows
		begin, twice, first = 0, 2, "compiling"
	}
	t.Progress(begin, 0, first)
	config.Progress = func(p train.Progress) {
		text := fmt.Sprintf("on all windows, epoch %d of %d, loss %.3g", p.Epoch, p.Epochs, p.TrainLoss)
		if epochs == 0 {
			text = fmt.Sprintf("epoch %d, loss %.3g, validation %.3g, best %.3g", p.Epoch, p.TrainLoss, p.Validation, p.Best)
		}
		t.Progress(begin+0.5*float64(p.Epoch)/float64(p.Epochs), twice*p.Left, text)
	}
	if t.checkpoint != "" {
		config.Checkpoint = &train.Checkpoint{Path: t.checkpoint + "-" + name, Notice: t.Notice}
	}
	if len(training) > batchSize {
		training = training[len(training)%batchSize:]
	}
	training = slices.Clone(training)
	rng := rand.New(rand.NewPCG(t.Seed, 0))
	rng.Shuffle(len(training), func(i, j int) { training[i], training[j] = training[j], training[i] })
	report, err := train.StartOver(config.Checkpoint, func() (*train.Report, error) {
		return t.model.Fit(ctx, training, validation, config)
	})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return report, nil
}
