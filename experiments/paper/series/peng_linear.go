package series

import (
	"cmp"
	"context"
	"fmt"
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
	s.Row = ofCountries.joint(s.Row)
	s.overlapping, s.Note = true, prose.Text("peng linear")
	return s
}

// affineLinear returns the affine field beside a linear part of this number of visible values. Its width is chosen by
// validation windows; width 0 is the linear part alone.
func affineLinear(size pengcde.Config, values int, of prior) setting {
	config := size
	config.Layers, config.Step, config.Normalise = 1, 1, dyngraph.NormalisedAdjacency
	config.Head = head.Corrected{Linear: head.Linear{Values: values}}
	training := train.Config{Epochs: 40, Patience: 10, MinEpochs: 1, BatchSize: 8,
		AdamW: train.AdamW{LearningRate: 1e-3, WeightDecay: 1e-3}}
	trials := []experiments.Row{of.alone("0", values)}
	for _, width := range []int{2, 8} {
		config.Hidden = width
		trials = append(trials, of.joint(experiments.NetworkRow(fmt.Sprint(width), fmt.Sprintf("width %d", width),
			pengcde.Recommended(config), training)))
	}
	s := setting{Row: experiments.Tuned("affine-linear", "PENG-CDE affine plus linear part", trials),
		matrix: string(config.Normalise), overlapping: true}
	s.Train = training
	s.Train.EvaluateEvery = train.NoValidation // Tuned holds out windows, and trains the chosen width on all
	s.Note = prose.Text("affine linear")
	return s
}

// linearAlone returns the linear part of [pengLinear] and [affineLinear] without a network.
func linearAlone(values int, of prior) setting {
	s := setting{Row: of.alone("linear-alone", values), overlapping: true}
	s.Name, s.Note = "linear part alone", prose.Text("linear alone")
	return s
}

// prior is where the prior of a linear part comes from: the series of its function besides the training windows.
type prior struct {
	series func() ([]*dyngraph.Series, error)
}

// Priors of the linear part of a country, and of a series by itself.
var (
	ofCountries = prior{sync.OnceValues(otherCountries)}
	ofItself    = prior{func() ([]*dyngraph.Series, error) { return nil, nil }}
)

// joint returns a row of a network whose linear part has this prior.
func (p prior) joint(row experiments.Row) experiments.Row {
	alone, settings := row.New, row.Settings
	row.New = func(backend *xla.Backend) (experiments.Learner, error) {
		series, err := p.series()
		if err != nil {
			return nil, err
		}
		learner, err := alone(backend)
		if err != nil {
			return nil, err
		}
		return &joint{learner.(experiments.NetworkLearner), series}, nil
	}
	row.Settings = sync.OnceValues(func() (any, error) {
		own, err := settings()
		if err != nil {
			return nil, err
		}
		return p.settings(own)
	})
	return row
}

// alone returns a row of a linear part with this prior, without a network.
func (p prior) alone(id string, values int) experiments.Row {
	return experiments.Row{ID: id, Name: "width 0", Untrained: true,
		New: func(*xla.Backend) (experiments.Learner, error) {
			series, err := p.series()
			forecast := &linearForecast{part: head.Linear{Values: values}, series: series}
			return experiments.ForecastLearner{Forecaster: forecast}, err
		},
		Settings: sync.OnceValues(func() (any, error) { return p.settings(map[string]int{"linear values": values}) })}
}

// settings adds to the settings of a model what decides its prior.
func (p prior) settings(model any) (any, error) {
	series, err := p.series()
	if err != nil {
		return nil, err
	}
	digests := make(map[string]string)
	for _, one := range series {
		digests[one.Name] = experiments.Digest(one)
	}
	return map[string]any{"model": model, "prior of": digests, "prior strength": priorStrength,
		"own strengths": ownStrengths}, nil
}

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

// Fit trains on windows. Nothing is learned from a tested day, see [fitted].
func (l *joint) Fit(ctx context.Context, training, validation []dyngraph.Window, config train.Config) (*train.Report,
	error) {
	if len(training) == 0 {
		return l.NetworkLearner.Fit(ctx, training, validation, config) // Fit reports the error
	}
	part, err := fitted(l.Config().Head.(head.Corrected).Linear, training, l.series)
	if err != nil {
		return nil, err
	}
	if err := l.SetPrior(part.Prior, part.Penalty); err != nil {
		return nil, err
	}
	return l.NetworkLearner.Fit(ctx, training, validation, config)
}

// linearForecast forecasts by a linear part, without a network.
type linearForecast struct {
	part         head.Linear
	series       []*dyngraph.Series
	coefficients []float64
}

// Name implements [baseline.Forecaster].
func (*linearForecast) Name() string { return "linear part alone" }

// Fit solves for the coefficients.
func (l *linearForecast) Fit(training, _ []dyngraph.Window) error {
	part, err := fitted(l.part, training, l.series)
	if err != nil {
		return err
	}
	l.coefficients, err = part.Solve(training)
	return err
}

// Forecast implements [baseline.Forecaster].
func (l *linearForecast) Forecast(w dyngraph.Window) ([]float64, error) {
	return l.part.Forecast(l.coefficients, w)
}

// fitted returns a linear part with prior and penalty. The prior comes from the training windows and from all windows
// of other series that touch no left-out day. Series without dates get no windows of other series.
func fitted(part head.Linear, training []dyngraph.Window, series []*dyngraph.Series) (head.Linear, error) {
	all := slices.Clone(training)
	for _, s := range series {
		if len(training) > 0 && s.Name != training[0].Series.Name {
			windows, err := s.Windows(training[0].Length, 1).List()
			if err != nil {
				return part, err
			}
			all = append(all, known(training, windows)...)
		}
	}
	part.Penalty, part.Prior = priorStrength/float64(len(all)), nil
	prior, err := part.Solve(all)
	if err != nil {
		return part, err
	}
	own := cmp.Or(ownStrengths[training[0].Series.Name], ownStrengths[""])
	part.Prior, part.Penalty = prior, own/float64(len(training))
	return part, nil
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
