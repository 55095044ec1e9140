package affinity

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Report holds the scores of a forecaster.
type Report struct {
	// Plan names data and protocol.
	Plan   string
	Scores []QuestionScore
}

// QuestionScore is how good the forecast for a question was.
type QuestionScore struct {
	Question
	// NDCG is the mean over the nodes that were asked for, NDCG@10 each.
	NDCG   float64
	Nodes  []int32
	ByNode []float64
}

// Mean is the mean NDCG over the questions of a part, each counting once; NaN where there are none.
func (r *Report) Mean(part Part) float64 {
	sum, n := 0.0, 0
	for _, s := range r.Scores {
		if s.Part == part {
			sum, n = sum+s.NDCG, n+1
		}
	}
	return sum / float64(n)
}

// Evaluate trains a [Trainer], and then scores the forecaster on the whole plan, from its beginning on.
func Evaluate(ctx context.Context, plan *Plan, f Forecaster) (*Report, error) {
	if t, ok := f.(Trainer); ok {
		if err := t.Train(ctx, plan.past()); err != nil {
			return nil, fmt.Errorf("%s: training: %w", plan.Name, err)
		}
	}
	return Score(ctx, plan, f)
}

// Score is [Evaluate] without training.
func Score(ctx context.Context, plan *Plan, f Forecaster) (*Report, error) {
	s := &scorer{Forecaster: f, ctx: ctx, classes: plan.Classes, report: &Report{Plan: plan.Name}}
	if err := plan.Walk(ctx, s); err != nil {
		return nil, err
	}
	return s.report, nil
}

// scorer is the listener that hands a forecaster all but the answers.
type scorer struct {
	Forecaster
	ctx           context.Context
	classes       int
	report        *Report
	scores, gains []float64
}

// mostScores bounds the scores that are asked for at once.
const mostScores = 1 << 21

func (s *scorer) Ask(q Question, answer Labels) error {
	result := QuestionScore{Question: q, Nodes: answer.Nodes, ByNode: make([]float64, 0, len(answer.Nodes))}
	rows := max(1, mostScores/s.classes)
	s.gains = slices.Grow(s.gains[:0], s.classes)[:s.classes]
	for nodes := range slices.Chunk(slices.Clone(answer.Nodes), rows) {
		n := len(nodes) * s.classes
		s.scores = slices.Grow(s.scores[:0], n)[:n]
		clear(s.scores)
		if err := s.Forecast(s.ctx, q.Time, nodes, s.scores); err != nil {
			return err
		}
		for k := range nodes {
			clear(s.gains)
			classes, weights := answer.Row(len(result.ByNode))
			for i, class := range classes {
				s.gains[class] = weights[i]
			}
			row := s.scores[k*s.classes : (k+1)*s.classes]
			score, err := NDCG(s.gains, row, TopK)
			if err != nil {
				return fmt.Errorf("node %d: %w", result.Nodes[len(result.ByNode)], err)
			}
			result.ByNode = append(result.ByNode, score)
		}
	}
	for _, score := range result.ByNode {
		result.NDCG += score / float64(len(result.ByNode))
	}
	if math.IsNaN(result.NDCG) {
		return invalid("no nodes are asked for")
	}
	s.report.Scores = append(s.report.Scores, result)
	return nil
}
