package affinity

import "context"

// Zero gives all classes the same score, so that they share their mean gain.
type Zero struct{ labelsOnly }

// Reset, Learn and Forecast do nothing.
func (Zero) Reset(Task)                                                  {}
func (Zero) Learn(Labels) error                                          { return nil }
func (Zero) Forecast(context.Context, float64, []int32, []float64) error { return nil }

// Mean forecasts the mean of all labels of each node.
type Mean struct {
	labelsOnly
	rows
	seen map[int32]float64
}

// Reset forgets all labels.
func (m *Mean) Reset(task Task) {
	m.rows.Reset(task)
	m.seen = make(map[int32]float64)
}

// Learn updates the means.
func (m *Mean) Learn(labels Labels) error {
	for u, next := range labels.rows() {
		m.seen[u]++
		m.average(u, next, m.seen[u])
	}
	return nil
}
