package affinity

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Report holds the scores of a forecaster.
type Report struct {
	// Plan names the data and the protocol.
	Plan   string
	Scores []QuestionScore
}

// QuestionScore is the score of the forecast for a question.
type QuestionScore struct {
	Question
	// NDCG is the mean NDCG@10 over the nodes of the question.
	NDCG   float64
	Nodes  []int32
	ByNode []float64
}

// Mean returns the mean NDCG over the questions of a part, each counted once; NaN if there are none.
func (r *Report) Mean(part Part) float64 {
	var scores []float64
	for _, s := range r.Scores {
		if s.Part == part {
			scores = append(scores, s.NDCG)
		}
	}
	return stat.Mean(scores, nil)
}

// Evaluate trains a [Trainer], and then scores the forecaster on the plan from its beginning. It asks only the
// questions of the given parts, or all questions if no part is given. An error about parts wraps [dyngraph.ErrInvalid].
func Evaluate(ctx context.Context, plan *Plan, f Forecaster, parts ...Part) (*Report, error) {
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	if t, ok := f.(Trainer); ok {
		if err := t.Train(ctx, plan.Past()); err != nil {
			return nil, errs.In("affinity: training for "+plan.Name, err)
		}
	}
	return Score(ctx, plan, f, parts...)
}

// Score is [Evaluate] without training.
func Score(ctx context.Context, plan *Plan, f Forecaster, parts ...Part) (*Report, error) {
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	s := &scorer{Forecaster: f, ctx: ctx, task: plan.Task, parts: parts, report: &Report{Plan: plan.Name}}
	if err := plan.Walk(ctx, s); err != nil {
		return nil, err
	}
	return s.report, nil
}

// checkParts returns an error for a part that no plan has.
func checkParts(parts []Part) error {
	for _, part := range parts {
		if !slices.Contains([]Part{Train, Validation, Test}, part) {
			return invalid("no part %q, want %s, %s or %s", part, Train, Validation, Test)
		}
	}
	return nil
}

// scorer is the listener that passes everything except the answers to a forecaster.
type scorer struct {
	Forecaster
	ctx    context.Context
	task   Task
	parts  []Part
	report *Report
}

// mostScores bounds the number of scores in one forecast.
const mostScores = 1 << 21

// LabelsOnly implements [LabelsOnly].
func (s *scorer) LabelsOnly() bool { return readsLabelsOnly(s.Forecaster) }

func (s *scorer) Ask(q Question, answer Labels) error {
	if len(s.parts) > 0 && !slices.Contains(s.parts, q.Part) {
		return nil
	}
	score, err := ScoreQuestion(s.ctx, s.Forecaster, s.task, q, answer)
	s.report.Scores = append(s.report.Scores, score)
	return err
}

// ScoreQuestion scores a forecaster on one question, from what it has received so far.
func ScoreQuestion(ctx context.Context, f Forecaster, task Task, q Question, answer Labels) (QuestionScore, error) {
	byNode := make([]float64, 0, len(answer.Nodes))
	gains := make([]float64, task.Classes)
	for nodes := range slices.Chunk(slices.Clone(answer.Nodes), max(1, mostScores/task.Classes)) {
		scores := make([]float64, len(nodes)*task.Classes)
		if err := f.Forecast(ctx, q.Time, nodes, scores); err != nil {
			return QuestionScore{}, err
		}
		for row := range slices.Chunk(scores, task.Classes) {
			k := len(byNode)
			clear(gains)
			_, classes, weights := answer.Row(k)
			for i, class := range classes {
				gains[class] = weights[i]
			}
			score, err := NDCG(gains, row, TopK)
			if err != nil {
				return QuestionScore{}, errs.In(fmt.Sprintf("affinity: node %d", answer.Nodes[k]), err)
			}
			byNode = append(byNode, score)
		}
	}
	return QuestionScore{q, stat.Mean(byNode, nil), answer.Nodes, byNode}, nil
}
