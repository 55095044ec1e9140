package series

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// priorStrength is the penalty, in windows, of the linear part of several countries. Divided by the number of windows
// it is the penalty per target, so it fades as windows are added.
const priorStrength = 1

// ownStrengths are the penalties, also in windows, that pull the linear part of a series to the linear part of
// several countries, by name; "" is any other series. Each does best on the other countries that ship with the
// module: TestStrengthsComeFromOtherCountries.
var ownStrengths = map[string]float64{"england_covid": 100, "italy_covid": 300, "france_covid": 10, "": 100}

// pengLinear returns a PENG-CDE with a linear part of this number of visible values. The prior of the linear part is
// the linear part of this country and the others together.
func pengLinear(size pengcde.Config, values int) setting {
	config := size
	config.Hidden, config.Layers, config.Step = 8, 1, 1
	config.Normalise = dyngraph.NormalisedAdjacency
	config.Head = head.Corrected{Linear: head.Linear{Values: values}}
	s := network("peng-linear", "PENG-CDE with a linear part", config, train.Config{Epochs: 4, EvaluateEvery: -1,
		BatchSize: 8, AdamW: train.AdamW{LearningRate: 3e-4, WeightDecay: 1e-3}})
	digests := sync.OnceValues(func() (map[string]string, error) {
		series, err := otherCountries()
		all := make(map[string]string)
		for _, one := range series {
			all[one.Name] = experiments.Digest(one)
		}
		return all, err
	})
	alone, settings := s.New, s.Settings
	s.New = func(backend *xla.Backend) (experiments.Learner, error) {
		series, err := otherCountries()
		if err != nil {
			return nil, err
		}
		learner, err := alone(backend)
		if err != nil {
			return nil, err
		}
		return &joint{learner.(experiments.NetworkLearner), series}, nil
	}
	s.Settings = func() (any, error) {
		of, err := digests()
		if err != nil {
			return nil, err
		}
		own, err := settings()
		return map[string]any{"model": own, "prior of": of, "prior strength": priorStrength,
			"own strengths": ownStrengths}, err
	}
	s.overlapping, s.Note = true, pengLinearNote
	return s
}

var pengLinearNote = prose.Text("peng linear")

// otherCountries returns the countries that ship with the module.
func otherCountries() (all []*dyngraph.Series, err error) {
	for _, country := range countries {
		series, err := country.load()
		if err != nil {
			return nil, err
		}
		all = append(all, series)
	}
	return all, nil
}

// joint is a network whose linear part has the linear part of several series as prior.
type joint struct {
	experiments.NetworkLearner
	series []*dyngraph.Series
}

// Fit trains on windows. The prior comes from these windows and from all windows of other series that touch no
// left-out day, so nothing is learned from a tested day. Series without dates get no windows of other series.
func (l *joint) Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report,
	error) {
	if len(training) == 0 {
		return l.NetworkLearner.Fit(ctx, training, validation, config) // Fit reports the error
	}
	all := slices.Clone(training)
	for _, s := range l.series {
		if s.Name != training[0].Series.Name {
			windows, err := s.Windows(training[0].Length, 1).List()
			if err != nil {
				return nil, err
			}
			all = append(all, known(training, windows)...)
		}
	}
	linear := l.Config().Head.(head.Corrected).Linear
	linear.Penalty, linear.Prior = priorStrength/float64(len(all)), nil
	prior, err := linear.Solve(all)
	if err != nil {
		return nil, err
	}
	own := cmp.Or(ownStrengths[training[0].Series.Name], ownStrengths[""])
	if err := l.SetPrior(prior, own/float64(len(training))); err != nil {
		return nil, err
	}
	return l.NetworkLearner.Fit(ctx, training, validation, config)
}

// known returns the windows of another series in which each day lies before the series of the training windows
// begins, or is touched by a training window.
func known(training, windows []dyngraph.Window) []dyngraph.Window {
	learned, own := make(map[time.Time]bool), training[0].Series.Dates
	for _, w := range training {
		for _, day := range days(w) {
			learned[day] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(windows), func(w dyngraph.Window) bool {
		all := days(w)
		return len(own) == 0 || len(all) == 0 ||
			slices.ContainsFunc(all, func(day time.Time) bool { return !day.Before(own[0]) && !learned[day] })
	})
}

// days returns the days that a window touches; nil for a series without dates.
func days(w dyngraph.Window) (all []time.Time) {
	if len(w.Series.Dates) == 0 {
		return nil
	}
	for day := w.StepsUsed().First; day <= w.StepsUsed().Last; day++ {
		all = append(all, w.Series.Dates[0].AddDate(0, 0, day))
	}
	return all
}
