package forecast

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// settle makes a simple forecast the model, fitted to all windows or, if that fails, as it was tested: the comparison
// must not be lost by it. before is its score on the validation windows.
func (f *fitter) settle(i int, before baseline.Score) error {
	f.Score = f.Simple[i]
	n := len(before.Windows) - len(f.earlier)
	later, err := baseline.NewScore(f.Score.Name, slices.Concat(before.Windows[n:], f.Score.Windows),
		slices.Concat(before.Forecasts[n:], f.Score.Forecasts))
	if err != nil {
		return err
	}
	if err := f.calibrate(later); err != nil {
		return err
	}
	if f.simple, err = f.simples[i].refitted(f.all); err != nil {
		f.simple, f.asTested = f.simples[i], true
		f.asked.Notice(fmt.Sprintf("%s stays fitted to the windows for training, as it was tested: %v%s",
			f.Score.Name, err, f.closer()))
	}
	return nil
}

// again makes a network the model, trained on all windows for as many epochs as the seed that is kept. If this training
// diverges, the seed with the next lowest validation error is kept.
func (f *fitter) again(ctx context.Context, a *attempt) (err error) {
	order := make([]int, len(a.Seeds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.Seeds[i].Validation, a.Seeds[j].Validation) })
	for _, kept := range order {
		if err = f.onAll(ctx, a, kept); !diverged(err) {
			break
		}
		f.asked.Notice(fmt.Sprintf("%s, seed %d on all windows is left out: %v", a.Name, a.Seeds[kept].Seed, err))
	}
	return err
}

// onAll makes a seed of a network the model, trained on all windows.
func (f *fitter) onAll(ctx context.Context, a *attempt, kept int) (err error) {
	if f.Score, err = f.tested(a.later[kept]); err != nil {
		return err
	}
	f.Network, f.config, f.Report = a.network, a.settings.Config, a.Seeds[kept].Report
	if err := f.calibrate(a.later[kept]); err != nil {
		return err
	}
	f.config.Seed = a.Seeds[kept].Seed
	if a.settings.variant != "" {
		f.label = a.Name
	}
	f.Network.Reset(f.config.Seed)
	_, err = f.train(ctx, f.Network, training{Config: f.config, path: f.config.checkpoint(f.Series),
		epochs: max(1, f.Report.Best+1)}, f.all, nil)
	return err
}

// calibrateOutputs calibrates the outputs of the model.
func (f *fitter) calibrateOutputs(later baseline.Score) (coverage []Coverage, half []halfWidths, err error) {
	coverage, half, err = calibrateParts(later, len(f.earlier), f.outputs)
	for i := range coverage {
		coverage[i].Target = f.Recipe.Config.Nodes.Targets[coverage[i].of.target]
	}
	return coverage, half, err
}

// calibrate sets the intervals from a score on the windows earlier and the tested ones.
func (f *fitter) calibrate(later baseline.Score) (err error) {
	f.Coverage, f.intervals, err = f.calibrateOutputs(later)
	if without := len(f.outputs) - len(f.Coverage)/len(levels); err == nil && without > 0 {
		f.asked.Notice(fmt.Sprintf("%s: too few for prediction intervals of %d of %d targets and times ahead, want at least "+
			"%d whose targets are known when a later one is forecast", plain.Count(len(f.Score.Windows), "tested window"),
			without, len(f.outputs), leastWindows))
	}
	return err
}
