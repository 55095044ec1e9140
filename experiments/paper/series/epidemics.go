package series

import (
	"context"
	"slices"
	"strings"
	"sync"

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

// Countries is a study of several series, with one [Forecasting] for each. Its runs have the keys "country" and
// "split".
type Countries struct {
	experiments.Study
	all []*Forecasting
}

// countries lists the countries whose data ship with the module; each is read once.
var countries = []struct {
	name string
	load func() (*dyngraph.Series, error)
}{{"england", readOnce(pgt.EnglandCovid)}, {"italy", readOnce(pgt.ItalyCovid)}, {"france", readOnce(pgt.FranceCovid)}}

func readOnce(read func(...pgt.Option) (*dyngraph.Series, error)) func() (*dyngraph.Series, error) {
	return sync.OnceValues(func() (*dyngraph.Series, error) { return read() })
}

// Epidemics returns the epidemics study. It forecasts the Covid cases of the regions of a country two days after the
// last visible ones, from four snapshots: four days of movements between regions, and the cases of eleven days.
//
// Published, only for England: non-overlapping windows of five days, 60% for training, 20% for validation, shuffled
// by ten seeds; AdamW, at most 200 epochs with patience 15; for PENG-CDE hidden 64, 3 layers, constant steps. This
// study adds splits that do not leak, two more countries, your own files, and forecasts without a trained network.
func Epidemics() *Countries {
	c := &Countries{Study: experiments.Study{Name: "epidemics", Title: "Covid cases by region",
		Data:  "england_covid of PyTorch Geometric Temporal; italy_covid, france_covid",
		About: prose.About("epidemics", "splits")}}
	c.TakesData = true
	c.Plan, c.Execute, c.Show, c.Page = c.plan, makeForecast, showForecasts, pageForecasts
	for _, country := range countries {
		f := c.country(country.name, country.load)
		if country.name == "england" {
			f.published = "covid"
		}
		c.all = append(c.all, f)
	}
	return c
}

// country returns the part of the study on one series.
func (c *Countries) country(name string, load func() (*dyngraph.Series, error)) *Forecasting {
	return (&Forecasting{Study: c.Study, Time: "day", Target: "standardised cases", Node: "region", Country: name,
		load: load, window: epidemicWindow, settings: epidemicSettings}).complete()
}

// Country returns the part of the study on one country, or on the file at a path that ends in .json or .json.gz. The
// part is a study with the same runs as in the whole.
func (c *Countries) Country(name string) (*Forecasting, error) {
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".json") {
		return c.Own(name), nil
	}
	var names []string
	for _, f := range c.all {
		if f.Country == name {
			return f, nil
		}
		names = append(names, f.Country)
	}
	return nil, errs.New(experiments.ErrInput, "experiments: no country %q, %s", name, nearest.Want(name, names))
}

func (c *Countries) plan(ctx context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	for _, f := range c.all {
		of, err := f.plan(ctx, scope)
		if err != nil {
			return nil, err
		}
		runs = append(runs, of...)
	}
	own, err := c.planOwn(ctx, scope)
	return append(runs, own...), err
}

const epidemicWindow = 5

// epidemicSettings returns the rows for a country.
func epidemicSettings(p experiments.Profile, size pengcde.Config) (all []setting) {
	constant := size
	constant.Field, constant.Hidden, constant.Adaptive = field.Constant{}, 32, &ode.PID{}
	small := network("constant", "Constant", constant, train.Config{})
	small.retrainEvery = 5
	values := size.Features + epidemicWindow - 2 // lags, and a day of each input after the first
	linear, beside := pengLinear(size, values), affineLinear(size, values, ofCountries)
	models := contenders(p, size, epidemicWindow-1, 1, covidHyperparameters)
	seeds := counts(10, 3, 3)
	made := rows{corrected: seeds, defects: counts(10, 0, 0), tuned: seeds, sizes: 3, rates: []float64{3e-3, 1e-2}}
	switch p {
	case experiments.Quick:
		seeds = counts(1, 0, 0)
		models = slices.DeleteFunc(models, func(c contender) bool { return c.id != "peng" && c.id != "dcrnn" })
		for i := range models {
			models[i].published = models[i].sizes[0]
			models[i].training = train.Config{Epochs: 11, EvaluateEvery: 2, Patience: 6, MinEpochs: 6}
		}
		made = rows{corrected: seeds, sizes: 1, rates: []float64{3e-3}}
	case experiments.Medium:
		seeds, small.stride = counts(6, 3, 3), 2
		made = rows{corrected: seeds, defects: counts(3, 0, 0), tuned: counts(3, 3, 3), sizes: 2, rates: []float64{5e-3}}
	}
	for _, c := range models {
		c.retrainEvery = 5
		if p == experiments.Medium {
			c.stride, c.retrainEvery = 2, 10
		}
		all = append(all, made.of(c)...)
	}
	if p != experiments.Quick {
		beside.retrainEvery = 5
		all = slices.Concat(all, linear.on(seeds), beside.on(counts(0, 0, 3)), linearAlone(values, ofCountries).on(seeds))
	}
	return slices.Concat(all, small.on(seeds), heuristics(seeds))
}
