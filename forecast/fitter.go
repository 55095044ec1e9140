package forecast

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// fitter trains candidates, chooses the model, and trains it again.
type fitter struct {
	*Result
	asked         Config // resolved
	backend       *xla.Backend
	all, earlier  []dyngraph.Window // all windows; the validation windows that the scales do not depend on
	clock         clock
	done, planned int // trainings
}

// attempt is a network that was trained as a candidate.
type attempt struct {
	Candidate
	settings candidate
	network  *pengcde.Model
	later    []baseline.Score // of each seed, on the windows earlier and the tested ones
}

// fit sets the result.
func (f *fitter) fit(ctx context.Context) error {
	candidates := f.asked.candidates()
	f.planned = len(candidates)*f.asked.Seeds + 1
	if f.asked.Graph {
		f.planned += len(changes) * f.asked.Seeds
	}
	choice := &Choice{Windows: len(f.Split.Validation), Budget: f.asked.Budget}
	var best *attempt
	for _, c := range candidates {
		a, err := f.try(ctx, c)
		if a.network != nil {
			defer func() {
				if a.network != f.Network {
					a.network.Close()
				}
			}()
		}
		switch {
		case err != nil && (ctx.Err() != nil || len(candidates) == 1):
			return err
		case err != nil:
			a.Candidate = Candidate{Name: a.Name, Err: err}
			f.asked.Notice(fmt.Sprintf("%s is left out: %v", a.Name, err))
		case best == nil || a.Validation < best.Validation:
			best = a
		}
		choice.Candidates = append(choice.Candidates, a.Candidate)
	}
	if f.asked.Graph && best != nil {
		if err := f.measureGraph(ctx, best); err != nil {
			return err
		}
	}
	var before []baseline.Score // simple forecasts of the validation windows
	if f.asked.Model == "auto" {
		var err error
		if before, err = f.compare(ctx, f.Split.Validation); err != nil {
			return err
		}
		for i, s := range before {
			c := Candidate{Name: s.Name, Score: f.Simple[i], Err: errors.Join(s.Err, f.Simple[i].Err)}
			c.Validation, _ = s.Mean()
			choice.Candidates = append(choice.Candidates, c)
		}
	}
	choice.sort()
	chosen := choice.Candidates[0]
	if len(choice.Candidates) > 1 || f.asked.Seeds > 1 {
		f.Choice = choice
	}
	if chosen.Err != nil {
		return chosen.Err
	}
	if chosen.Seeds == nil {
		i := slices.IndexFunc(f.simples, func(s *simple) bool { return s.label == chosen.Name })
		return f.settle(i, before[i])
	}
	return f.again(ctx, best)
}

// try trains the seeds of a candidate.
func (f *fitter) try(ctx context.Context, c candidate) (*attempt, error) {
	config := c.model(f.Series)
	a := &attempt{settings: c, Candidate: Candidate{Name: c.label(nameOf(config))}}
	var err error
	if a.network, err = pengcde.New(f.backend, config); err != nil {
		return a, err
	}
	return a, f.seeds(ctx, a, f.Series)
}

// seeds trains the network of an attempt with each seed, on the graph of a series, and scores its forecasts.
func (f *fitter) seeds(ctx context.Context, a *attempt, series *dyngraph.Series) error {
	end, seeds := f.clock.begin(a.settings.share), f.asked.Seeds
	for i := range seeds {
		c := a.settings.Config
		c.Seed += uint64(i)
		a.network.Reset(c.Seed)
		t := training{Config: c, name: fmt.Sprintf("%s, seed %d: ", a.Name, c.Seed), path: c.checkpoint(series),
			limit: f.clock.until(end, seeds-i)}
		report, err := f.train(ctx, a.network, t, on(series, f.Split.Train), on(series, f.Split.Validation))
		if err != nil {
			return err
		}
		windows := slices.Concat(f.Split.Validation, f.Split.Test)
		forecasts, err := predict(ctx, a.network, on(series, windows))
		if err != nil {
			return err
		}
		n := len(f.Split.Validation)
		before, err := baseline.NewScore(a.Name, windows[:n], forecasts[:n])
		if err != nil {
			return err
		}
		n -= len(f.earlier)
		later, err := baseline.NewScore(a.Name, windows[n:], forecasts[n:])
		if err != nil {
			return err
		}
		trained := Training{Seed: c.Seed, Report: report}
		trained.Validation, _ = before.Mean()
		a.Validation += trained.Validation / float64(seeds)
		a.Seeds, a.later = append(a.Seeds, trained), append(a.later, later)
	}
	var err error
	a.Score, err = f.tested(a.later[a.kept()])
	return err
}

// tested returns the part of a score that is of the tested windows.
func (f *fitter) tested(later baseline.Score) (baseline.Score, error) {
	return baseline.NewScore(later.Name, f.Split.Test, later.Forecasts[len(f.earlier):])
}

// measureGraph trains the seeds of a candidate on the other graphs.
func (f *fitter) measureGraph(ctx context.Context, of *attempt) error {
	var scores [][]baseline.Score // of the graph of the data, then of the others
	for i := range 1 + len(changes) {
		a := of
		if i > 0 {
			a = &attempt{settings: of.settings, network: of.network, Candidate: Candidate{Name: of.Name + " " +
				changes[i-1].name}}
			if err := f.seeds(ctx, a, changes[i-1].of(f.Series)); err != nil {
				return err
			}
		}
		var all []baseline.Score
		for _, later := range a.later {
			s, err := f.tested(later)
			if err != nil {
				return err
			}
			all = append(all, s)
		}
		scores = append(scores, all)
	}
	var err error
	f.Graph, err = newGraphWorth(of.Name, scores[0], scores[1:])
	return err
}

// settle makes a simple forecast the model, fitted to all windows. before is its score on the validation windows.
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
	f.simple, err = f.simples[i].refitted(f.all)
	return err
}

// again makes a network the model, trained on all windows for as many epochs as the seed that is kept.
func (f *fitter) again(ctx context.Context, a *attempt) error {
	kept := a.kept()
	f.Network, f.config, f.Score, f.Report = a.network, a.settings.Config, a.Score, a.Seeds[kept].Report
	if err := f.calibrate(a.later[kept]); err != nil {
		return err
	}
	f.config.Seed = a.Seeds[kept].Seed
	f.Network.Reset(f.config.Seed)
	epochs := max(1, f.Report.Best+1)
	report, err := f.train(ctx, f.Network, training{Config: f.config, path: f.config.checkpoint(f.Series), epochs: epochs,
		limit: f.clock.until(f.clock.budget, 1)}, f.all, nil)
	if err != nil {
		return err
	}
	if f.epochs = len(report.Epochs); report.Stop == train.StopTime {
		f.asked.Notice(fmt.Sprintf("the budget of %v ended the training on all windows in epoch %d of %d", f.asked.Budget,
			f.epochs, epochs))
	}
	return nil
}

// calibrate sets the intervals from a score on the windows earlier and the tested ones.
func (f *fitter) calibrate(later baseline.Score) (err error) {
	f.Coverage, f.intervals, err = calibrate(later, len(f.earlier))
	if err == nil && f.Coverage == nil {
		f.asked.Notice(fmt.Sprintf("%d tested windows are too few for prediction intervals: want at least %d whose targets "+
			"are known when a later one is forecast", len(f.Score.Windows), leastWindows))
	}
	return err
}

func predict(ctx context.Context, model *pengcde.Model, windows []dyngraph.Window) (forecasts [][]float64, err error) {
	for _, w := range windows {
		y, err := model.Predict(ctx, w, nil)
		if err != nil {
			return nil, err
		}
		forecasts = append(forecasts, y.Values)
	}
	return forecasts, nil
}

// training is the training of a network that stops by validation windows, or after epochs.
type training struct {
	Config
	name   string // for progress, if there are several
	path   string // of its checkpoint, "" for none
	epochs int
	limit  time.Duration // 0 for none
}

func (f *fitter) train(ctx context.Context, model *pengcde.Model, t training, windows, validation []dyngraph.Window) (
	*train.Report, error) {
	config, began := t.training(t.epochs, t.limit), time.Now()
	share := 1 / float64(f.planned)
	begin, remain, first, part := share*float64(f.done), f.planned-f.done, "training on all windows", final
	if t.epochs == 0 {
		first, part = "compiling", tested
		if f.planned > 2 {
			first = t.name + first
		}
	}
	f.done++
	f.asked.Progress(begin, 0, first)
	config.Progress = func(p train.Progress) {
		text := fmt.Sprintf("on all windows, epoch %d of %d, loss %.3g", p.Epoch, p.Epochs, p.TrainLoss)
		if t.epochs == 0 {
			text = fmt.Sprintf("epoch %d, loss %.3g, validation %.3g, best %.3g", p.Epoch, p.TrainLoss, p.Validation, p.Best)
			if f.planned > 2 {
				text = t.name + text
			}
		}
		left := time.Duration(remain) * p.Left
		if f.clock.budget > 0 {
			left = max(0, min(left, f.clock.budget-f.clock.spent()))
		}
		f.asked.Progress(begin+share*float64(p.Epoch)/float64(p.Epochs), left, text)
	}
	if t.path != "" {
		config.Checkpoint = &train.Checkpoint{Path: t.path + "-" + part, Notice: f.asked.Notice}
		f.checkpoints = append(f.checkpoints, config.Checkpoint.Path)
	}
	if len(windows) > batchSize {
		windows = windows[len(windows)%batchSize:]
	}
	windows = slices.Clone(windows)
	rng := rand.New(rand.NewPCG(t.Seed, 0))
	rng.Shuffle(len(windows), func(i, j int) { windows[i], windows[j] = windows[j], windows[i] })
	report, err := train.StartOver(config.Checkpoint, func() (*train.Report, error) {
		return model.Fit(ctx, windows, validation, config)
	})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	f.clock.earlier += max(0, time.Duration(report.Seconds*float64(time.Second))-time.Since(began))
	return report, nil
}
