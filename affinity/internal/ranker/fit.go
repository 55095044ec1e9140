package ranker

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Training returns the training of TGB's loop.
func Training(epochs, patience int, rate float64) train.Config {
	return train.Config{Epochs: epochs, EvaluateEvery: 1, Patience: patience, AdamW: train.AdamW{LearningRate: rate,
		WeightDecay: train.NoDecay, Clip: train.NoClip}}
}

// Fit trains the parameters of a forecaster, see [train.Fit]: an epoch is a walk through past with an optimiser step
// for each training question. The loss of validation is 1 less the mean NDCG of its questions, asked in the same walk,
// as in TGB's loop. No checkpoint is written, since it would lack what the network knows in the middle of an epoch.
func (r *Ranker) Fit(ctx context.Context, f affinity.Forecaster, past *affinity.Plan, c train.Config) (*train.Report,
	error) {
	r.Reset(past.Task)
	if err := r.Check(); err != nil {
		return nil, err
	}
	r.epoch = 0
	p := &problem{Ranker: r, forecaster: f, past: past, stop: func() {}}
	validated := false
	for _, q := range past.Questions {
		switch q.Part {
		case affinity.Train:
			p.batches++
		case affinity.Validation:
			validated = true
		}
	}
	if p.batches == 0 {
		return nil, errs.New(dyngraph.ErrInvalid, "affinity: a plan without a training question, want at least one")
	}
	if !validated {
		c.EvaluateEvery = train.NoValidation
	}
	c.Checkpoint = nil
	defer func() { p.stop() }() // of the last walk, also after a panic
	kept, report, err := train.Fit(ctx, r.backend, p, r.Params, c)
	r.Params = kept
	return report, err
}

// problem is the training on the questions of a plan.
type problem struct {
	*Ranker
	forecaster affinity.Forecaster
	past       *affinity.Plan
	batches    int

	next   func() (question, bool) // the next training question of this epoch; none after the last
	stop   func()                  // ends the walk
	scores []affinity.QuestionScore
	err    error // of the walk
}

type question struct {
	affinity.Question
	answer affinity.Labels
}

// Batches implements [train.Problem].
func (p *problem) Batches() int { return p.batches }

// Gradient implements [train.Problem].
func (p *problem) Gradient(ctx context.Context, params []*tensors.Tensor, batch int) (float64, []*tensors.Tensor,
	error) {
	p.Params = params
	if batch == 0 {
		p.begin(ctx)
	}
	q, ok := p.next()
	if !ok {
		return 0, nil, p.err
	}
	return p.Loss(q.Time, q.answer)
}

// Validate implements [train.Problem].
func (p *problem) Validate(_ context.Context, params []*tensors.Tensor) (float64, error) {
	p.Params = params
	for left := true; left; _, left = p.next() { // the walk goes on to its end, past questions that time did not reach
	}
	if p.err != nil {
		return math.NaN(), p.err
	}
	report := affinity.Report{Scores: p.scores}
	return 1 - report.Mean(affinity.Validation), nil
}

// errStopped ends a walk.
var errStopped = errors.New("stopped")

// begin begins a walk through the plan.
func (p *problem) begin(ctx context.Context) {
	p.stop()
	p.epoch++
	p.scores, p.err = nil, nil
	p.next, p.stop = iter.Pull(func(yield func(question) bool) {
		if err := p.past.Walk(ctx, &walker{p.forecaster, ctx, p, yield}); !errors.Is(err, errStopped) {
			p.err = err
		}
	})
}

// walker yields training questions, and scores the forecasts for validation.
type walker struct {
	affinity.Forecaster
	ctx   context.Context
	of    *problem
	yield func(question) bool
}

// Ask implements [affinity.Listener].
func (w *walker) Ask(q affinity.Question, answer affinity.Labels) error {
	if q.Part == affinity.Train {
		if !w.yield(question{q, answer}) {
			return errStopped
		}
		return nil
	}
	score, err := affinity.ScoreQuestion(w.ctx, w.Forecaster, w.of.Task, q, answer)
	w.of.scores = append(w.of.scores, score)
	return err
}
