package series

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/stats"
)

// row holds the results of a setting on a split, with the test errors by which rows are compared; the errors are nil
// if runs are missing or diverged.
type row struct {
	setting
	experiments.Results
	// blocks holds the seeds of a random split, otherwise the snapshots whose targets were forecast, in order.
	blocks []int
	// errors holds mean squared errors: by seed for a random split, otherwise by window of the mean forecast of all
	// seeds.
	errors []float64
	// published holds the published measure of the mean forecast by window, single the mean over seeds of single
	// errors.
	published, single []float64
	// count is the number of seeds.
	count int
}

func (f *Forecasting) rows(results experiments.Results, split Split) (all []row, err error) {
	series, err := f.series()
	if err != nil {
		return nil, err
	}
	results = f.of(results, split)
	for _, id := range results.Values("model") {
		some := results.Where("model", id)
		r := row{setting: some[0].Spec.(setting), Results: some}
		if split == Random {
			r.count = len(some)
		}
		if r.Gap() == "" {
			if err := r.fill(series); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// fill computes the errors of a row if all its runs are stored.
func (r *row) fill(series *dyngraph.Series) error {
	seeds := make(map[uint64]bool)
	for _, result := range r.Results {
		seeds[result.Seed] = true
	}
	r.count = len(seeds)
	if r.split == Random {
		for _, result := range r.Results {
			r.blocks = append(r.blocks, int(result.Seed))
		}
		r.errors = r.Scores("test")
		return nil
	}
	single, forecasts := make(map[int]float64), make(map[int][][]float64)
	for _, result := range r.Results {
		arrays := result.Facts().Arrays
		for k, at := range arrays["test snapshots"][0] {
			single[int(at)] += arrays["test errors"][0][k] / float64(r.count)
			forecasts[int(at)] = append(forecasts[int(at)], arrays["test forecasts"][k])
		}
	}
	r.blocks = slices.Sorted(maps.Keys(single))
	for _, snapshot := range r.blocks {
		all, truth := forecasts[snapshot], series.Targets[snapshot]
		if len(all) != r.count || len(all[0]) != len(truth) {
			return errs.New(experiments.ErrStore, "experiments: %s: %d forecasts of %d values for snapshot %d, want %d of %d",
				r.Name, len(all), len(all[0]), snapshot, r.count, len(truth))
		}
		mean := make([]float64, len(truth))
		for _, y := range all {
			floats.AddScaled(mean, 1/float64(len(all)), y)
		}
		perNode, published, err := errorsOf(mean, truth)
		if err != nil {
			return err
		}
		r.errors, r.published = append(r.errors, perNode), append(r.published, published)
		r.single = append(r.single, single[snapshot])
	}
	return nil
}

// errorsOf returns the mean squared error by node and the published measure, see [train.BroadcastMSE].
func errorsOf(forecast, truth []float64) (perNode, published float64, err error) {
	if perNode, err = train.MSE(forecast, truth); err == nil {
		published, err = train.BroadcastMSE(forecast, truth)
	}
	return perNode, published, err
}

// comparison holds the rows of one split with the data needed to compare them.
type comparison struct {
	*experiments.Report
	study *Forecasting
	split Split
	rows  []row
	over  experiments.Interval
	test  stats.Test // test of differences, with the dependence that over accounts for
	// best is the forecast without a trained network that has the lowest test error, among all rows of the profile,
	// whatever the options select; nil while any of these forecasts is missing.
	best *row
}

func (f *Forecasting) comparison(r *experiments.Report, split Split) (c comparison, err error) {
	c = comparison{Report: r, study: f, split: split}
	if c.over, c.test, err = f.interval(split); err != nil {
		return c, err
	}
	if c.rows, err = f.rows(r.Results, split); err != nil {
		return c, err
	}
	all, err := f.rows(r.All, split)
	simple := slices.DeleteFunc(all, func(r row) bool { return !r.Untrained })
	if len(simple) > 0 && !slices.ContainsFunc(simple, func(r row) bool { return r.errors == nil }) {
		best := slices.MinFunc(simple, func(a, b row) int {
			return cmp.Compare(stat.Mean(a.errors, nil), stat.Mean(b.errors, nil))
		})
		c.best = &best
	}
	return c, err
}

// comparisons compares the rows of each series of a report, split by split.
func comparisons(r *experiments.Report) (all []comparison, err error) {
	for _, f := range forecastings(r) {
		for _, split := range allSplits {
			if len(f.of(r.Results, split)) == 0 {
				continue
			}
			c, err := f.comparison(r, split)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// forecastings returns the parts of a report's study, one for each series.
func forecastings(r *experiments.Report) (all []*Forecasting) {
	for _, result := range r.Results {
		if f := result.Spec.(setting).study; !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// row returns the row with an ID; nil if the report has none.
func (c comparison) row(id string) *row {
	for i, r := range c.rows {
		if r.ID == id {
			return &c.rows[i]
		}
	}
	return nil
}

// rowOf returns the row of a model in a variant; nil if the report has none.
func (c comparison) rowOf(model string, v variant) *row {
	for i, r := range c.rows {
		if r.model() == model && r.variant == v {
			return &c.rows[i]
		}
	}
	return nil
}

// differences returns a row's errors minus the errors of the best simple forecast, where both have errors; nil for
// that forecast itself.
func (c comparison) differences(r row) []float64 {
	if c.best == nil || c.best.ID == r.ID {
		return nil
	}
	return r.judged().Minus(c.best.judged())
}
