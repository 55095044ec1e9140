package paper

import (
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Countries is a study of several series, one [Forecasting] each. Its runs have the keys "country" and "split".
type Countries struct {
	experiments.Study
	all []*Forecasting
}

// Epidemics is the epidemics study: forecast the Covid cases of the regions of a country two days after the last ones
// seen, from four snapshots: four days of movements between regions, and the cases of eleven days.
//
// Published, for England alone: windows of five days side by side, 60% for training, 20% for validation, shuffled by
// ten seeds; AdamW, at most 200 epochs with patience 15; for PENG-CDE hidden 64, 3 layers, constant steps. Beside it
// stand splits that do not leak, two more countries, and forecasts without a trained network.
func Epidemics() *Countries {
	c := &Countries{Study: experiments.Study{Name: "epidemics", Title: "Covid cases by region",
		Data:  "england_covid of PyTorch Geometric Temporal, italy_covid and france_covid of the collection it was made of",
		About: aboutEpidemics}}
	c.Plan, c.Make, c.Show, c.Page = c.plan, makeForecast, showForecasts, pageForecasts
	for _, country := range []struct {
		name string
		load func(...pgt.Option) (*dyngraph.Series, error)
	}{{"england", pgt.EnglandCovid}} {
		f := c.country(country.name, func() (*dyngraph.Series, error) { return country.load() })
		if country.name == "england" {
			f.published = publishedCovid
		}
		c.all = append(c.all, f)
	}
	return c
}

// country is the part of the study on a series.
func (c *Countries) country(name string, load func() (*dyngraph.Series, error)) *Forecasting {
	return Forecasting{Study: c.Study, Time: "day", Target: "standardised cases", Node: "region", Country: name,
		load: load, window: 5, settings: epidemicSettings}.complete()
}

// Country is the part of the study on one country: a study of its own, whose runs are those of the whole.
func (c *Countries) Country(name string) (*Forecasting, error) {
	var names []string
	for _, f := range c.all {
		if f.Country == name {
			return f, nil
		}
		names = append(names, f.Country)
	}
	return nil, errs.New(experiments.ErrInput, "experiments: no country %q, %s", name, nearest.Want(name, names))
}

func (c *Countries) plan(scope experiments.Scope) (runs []experiments.Run, err error) {
	for _, f := range c.all {
		of, err := f.plan(scope)
		if err != nil {
			return nil, err
		}
		runs = append(runs, of...)
	}
	return runs, nil
}

// epidemicSettings are the rows for a country.
func epidemicSettings(p experiments.Profile, size pengcde.Config) []setting {
	all := contenders(p, size, covidHyperparameters)
	constant := size
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	small := network("constant", "Constant", constant, train.Config{})
	small.retrainEvery = 5
	better := train.Config{Epochs: 20, BatchSize: 6, AdamW: train.AdamW{LearningRate: 5e-3}}
	linear := residual(size, 1, better)
	linear.retrainEvery = 5
	var rows []setting
	switch p {
	case experiments.Quick:
		one := plan{mended: counts(1, 0, 0)}
		for _, f := range all {
			rows = append(rows, one.rows(f)...)
		}
		return slices.Concat(rows, small.on(counts(1, 0, 0)), heuristics(counts(1, 0, 0)))
	case experiments.Medium:
		small.stride = 2
		some := plan{mended: counts(6, 3, 3), defects: counts(3, 0, 0), tuned: counts(3, 3, 3), readouts: []bool{false, true},
			rates: []float64{3e-3}}
		for _, f := range all {
			rows = append(rows, some.rows(f)...)
		}
		return slices.Concat(rows, small.on(counts(6, 3, 3)), linear.on(counts(6, 3, 3)), heuristics(counts(6, 1, 1)))
	}
	every := plan{mended: counts(10, 3, 3), defects: counts(10, 0, 0), tuned: counts(10, 3, 3),
		readouts: []bool{false, true}, rates: []float64{3e-3, 1e-2}}
	for _, f := range all {
		rows = append(rows, every.rows(f)...)
	}
	return slices.Concat(rows, small.on(counts(10, 3, 3)), linear.on(counts(10, 5, 5)), heuristics(counts(10, 1, 1)))
}
