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
	done, planned int           // trainings
	compiling     time.Duration // the longest so far
}

// attempt is a network that was trained as a candidate.
type attempt struct {
	Candidate
	settings candidate
	network  *pengcde.Model
	// Scores of each seed: on the validation windows; on the windows earlier and the tested ones.
	validated, later []baseline.Score
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
	for i, c := range candidates {
		if i > 0 && f.clock.over(f.clock.budget-f.compiling) {
			f.leaveOut(choice, c.label(nameOf(c.model(f.Series))), errNoTime)
			continue
		}
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
			f.leaveOut(choice, a.Name, err)
			continue
		case best == nil || a.Validation < best.Validation:
			best = a
		}
		choice.Candidates = append(choice.Candidates, a.Candidate)
	}
	var before []baseline.Score // simple forecasts of the validation windows
	if f.asked.Model == "auto" {
		var err error
		if before, err = f.compare(ctx, f.Split.Validation); err != nil {
			return err
		}
		for i, s := range before {
			c := Candidate{Name: s.Name, Score: f.Simple[i], Err: errors.Join(s.Err, f.Simple[i].Err), before: s}
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
	if f.asked.Graph && best != nil {
		if err := f.measureGraph(ctx, best, chosen.Seeds != nil); err != nil {
			return err
		}
	}
	if chosen.Seeds == nil {
		i := slices.IndexFunc(f.simples, func(s *simple) bool { return s.label == chosen.Name })
		return f.settle(i, before[i])
	}
	return f.again(ctx, best)
}

var errNoTime = errors.New("the budget left no time for it")

// leaveOut adds a candidate that has no forecast.
func (f *fitter) leaveOut(choice *Choice, name string, why error) {
	choice.Candidates = append(choice.Candidates, Candidate{Name: name, Err: why})
	f.asked.Notice(fmt.Sprintf("%s is left out: %v", name, why))
}

// try trains the seeds of a candidate.
func (f *fitter) try(ctx context.Context, c candidate) (*attempt, error) {
	config := c.model(f.Series)
	a := &attempt{settings: c, Candidate: Candidate{Name: c.label(nameOf(config))}}
	for _, text := range graphNotices(a.Name, config, f.Series) {
		f.asked.Notice(text)
	}
	var err error
	if a.network, err = pengcde.New(f.backend, config); err != nil {
		return a, err
	}
	end := f.clock.begin(c.share)
	if err := f.compile(ctx, a.network, c.Config, f.Series); err != nil {
		return a, err
	}
	for i := range f.asked.Seeds {
		if i > 0 && f.clock.over(end) {
			break // the others would have no time to train
		}
		one := c.Config
		one.Seed += uint64(i)
		if err = f.seed(ctx, a, one, f.Series, f.clock.until(end, f.asked.Seeds-i)); diverged(err) {
			f.asked.Notice(fmt.Sprintf("%s, seed %d is left out: %v", a.Name, one.Seed, err))
		} else if err != nil {
			return a, err
		}
	}
	if len(a.Seeds) == 0 {
		return a, err
	}
	a.before = averaged(a.Name, a.validated)
	a.Validation, _ = a.before.Mean()
	a.Score, err = f.tested(a.later[a.kept()])
	return a, err
}

// diverged reports whether a training ended because of its model and seed.
func diverged(err error) bool {
	return errors.Is(err, train.ErrNotFinite) || errors.Is(err, train.ErrUnsolved)
}

// compile trains one batch with nothing kept, if there is a budget: seeds then have the same part of a share, since the
// first does not compile for all.
func (f *fitter) compile(ctx context.Context, network *pengcde.Model, c Config, series *dyngraph.Series) error {
	if f.clock.budget == 0 {
		return nil
	}
	began := time.Now()
	defer func() { f.compiling = max(f.compiling, time.Since(began)) }()
	if _, err := network.Fit(ctx, batches(on(series, f.Split.Train)), on(series, f.Split.Validation),
		c.training(0, 1)); err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	_, err := network.Predict(ctx, on(series, f.Split.Test[:1])[0], nil)
	return err
}

// batches returns the newest windows that fill batches.
func batches(windows []dyngraph.Window) []dyngraph.Window {
	if len(windows) > batchSize {
		windows = windows[len(windows)%batchSize:]
	}
	return slices.Clone(windows)
}

// seed trains the network of an attempt on the graph of a series, and scores its forecasts.
func (f *fitter) seed(ctx context.Context, a *attempt, c Config, series *dyngraph.Series, limit time.Duration) error {
	a.network.Reset(c.Seed)
	t := training{Config: c, name: fmt.Sprintf("%s, seed %d: ", a.Name, c.Seed), path: c.checkpoint(series), limit: limit}
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
	a.Seeds, a.validated, a.later = append(a.Seeds, trained), append(a.validated, before), append(a.later, later)
	return nil
}

// testedOf is tested for several scores.
func (f *fitter) testedOf(later []baseline.Score) (all []baseline.Score, err error) {
	for _, s := range later {
		one, err := f.tested(s)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// tested returns the part of a score that is of the tested windows.
func (f *fitter) tested(later baseline.Score) (baseline.Score, error) {
	return baseline.NewScore(later.Name, f.Split.Test, later.Forecasts[len(f.earlier):])
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
	windows = batches(windows)
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
