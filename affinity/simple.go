package affinity

import (
	"context"
)

// Zero gives all classes the same score, so that they share their mean gain.
type Zero struct{ labelsOnly }

// Reset, Learn and Forecast do nothing.
func (Zero) Reset(Task)                                                  {}
func (Zero) Learn(Labels) error                                          { return nil }
func (Zero) Forecast(context.Context, float64, []int32, []float64) error { return nil }

// Mean forecasts the mean of all labels of each node.
type Mean struct {
	labelsOnly
	mean rows
	seen map[int32]float64
}

// Reset forgets all labels.
func (m *Mean) Reset(task Task) {
	m.mean, m.seen = rows{task.Classes, make(map[int32]row)}, make(map[int32]float64)
}

// Learn updates the means.
func (m *Mean) Learn(labels Labels) error {
	for k, u := range labels.Nodes {
		_, classes, weights := labels.Row(k)
		m.seen[u]++
		m.mean.of[u] = m.mean.of[u].decay(row{classes, weights}, m.seen[u])
	}
	return nil
}

// Forecast writes the means.
func (m *Mean) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	m.mean.forecast(nodes, scores)
	return nil
}
