package affinity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/softmax"
)

// LogLinear forecasts shares by a softmax over classes whose logits are linear in known values, the same for all nodes
// and classes. With l(a) = log(1 + a/0.0001) the logit of a class is
//
//	l(newest) + b·(l(before) - l(newest), l(mean) - l(newest), trend of the class)
//
// where newest, before and mean are the newest label, the label before it and their [MovingAverage] of 7. The trend is
// the change, over the last two label times, of the mean of l over the nodes that have labels. A node thus partly
// reverts to its earlier labels, and all nodes share the gains and losses of a class. The coefficients minimise the
// cross-entropy of the labels, divided for each node by their sum, plus Penalty/2 |b|², by Newton's method. Classes
// without any earlier weight at a node have the logit 0.
type LogLinear struct {
	history
	// Penalty is the strength of the penalty; 0 means 0.0001.
	Penalty float64 `json:"Penalty"`

	b      []float64
	levels []map[int32]float64 // mean of l by class at the last label times, newest last
}

const logTerms = 3

// Reset forgets all labels.
func (m *LogLinear) Reset(task Task) {
	m.history.Reset(task)
	m.levels = nil
}

// Learn adds labels to the history.
func (m *LogLinear) Learn(labels Labels) error {
	level := make(map[int32]float64)
	for _, r := range labels.rows() {
		for i, class := range r.classes {
			level[class] += math.Log1p(r.weights[i]/logScale) / float64(len(labels.Nodes))
		}
	}
	m.levels = append(m.levels, level)
	m.levels = m.levels[max(0, len(m.levels)-3):]
	return m.history.Learn(labels)
}

// trend returns the trend of a class, or 0 before the third label time.
func (m *LogLinear) trend(class int32) float64 {
	if len(m.levels) < 3 {
		return 0
	}
	return m.levels[2][class] - m.levels[0][class]
}

// each calls call for each class in the history of a node, with l of the newest value and the terms.
func (m *LogLinear) each(u int32, call func(class int32, newest float64, terms [logTerms]float64)) {
	m.history.each(u, func(class int32, newest, before, mean float64) {
		l := math.Log1p(newest / logScale)
		call(class, l, [logTerms]float64{math.Log1p(before/logScale) - l, math.Log1p(mean/logScale) - l, m.trend(class)})
	})
}

// Prior returns the prior logits for [dyngraph.Series] of nodes that have had labels: the forecast's after training,
// before it l(newest) and the terms, whose coefficients a model then fits. nodes must increase; nil means all nodes.
func (m *LogLinear) Prior(nodes []int32) *dyngraph.Affinities {
	if nodes == nil {
		nodes = slices.Sorted(maps.Keys(m.nodes))
	}
	a := &dyngraph.Affinities{Start: []int{0}}
	if m.b == nil {
		a.Terms = logTerms
	}
	for _, u := range nodes {
		if _, found := m.nodes[u]; !found {
			continue
		}
		a.Nodes = append(a.Nodes, u)
		m.each(u, func(class int32, newest float64, terms [logTerms]float64) {
			a.Classes, a.Values = append(a.Classes, class), append(a.Values, m.logit(newest, terms))
			a.Values = append(a.Values, terms[:a.Terms]...)
		})
		a.Start = append(a.Start, len(a.Classes))
	}
	return a
}

// Forecast writes logits, or the logits of the newest weights before training.
func (m *LogLinear) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for k, u := range nodes {
		m.each(u, func(class int32, newest float64, terms [logTerms]float64) {
			scores[k*m.classes+int(class)] = m.logit(newest, terms)
		})
	}
	return nil
}

// logit returns the logit of a class, or l of the newest weight before training.
func (m *LogLinear) logit(newest float64, terms [logTerms]float64) float64 {
	for i, b := range m.b {
		newest += b * terms[i]
	}
	return newest
}

// Train fits the coefficients to the training questions.
func (m *LogLinear) Train(ctx context.Context, past *Plan) error {
	penalty := cmp.Or(m.Penalty, 1e-4)
	if !(penalty > 0) || math.IsInf(penalty, 1) {
		return invalid("a log-linear model with the penalty %g, want a positive number", m.Penalty)
	}
	m.b = nil
	b, err := softmax.Fit(logTerms, penalty, func(sums *softmax.Sums) error {
		return past.Walk(ctx, &newton{m, sums})
	})
	if errors.Is(err, softmax.ErrNoRows) {
		return invalid("a log-linear model without a node of training that has labels twice")
	}
	if err != nil {
		return fmt.Errorf("affinity: log-linear model with the penalty %g: %w", penalty, err)
	}
	m.b = b
	return nil
}

// newton collects the training questions for Newton's method.
type newton struct {
	*LogLinear
	*softmax.Sums
}

func (s *newton) Ask(q Question, answer Labels) error {
	if q.Part != Train {
		return nil
	}
	for u, row := range answer.rows() {
		total := floats.Sum(row.weights)
		if total == 0 {
			continue
		}
		r := softmax.Row{Others: s.classes}
		s.each(u, func(class int32, newest float64, terms [logTerms]float64) {
			r.Logits, r.Terms = append(r.Logits, newest), append(r.Terms, terms[:])
			r.Shares = append(r.Shares, row.at(class)/total)
			r.Others--
		})
		s.Add(r)
	}
	return nil
}
