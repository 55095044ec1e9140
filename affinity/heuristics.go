package affinity

import (
	"cmp"
	"context"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// row is a sparse row of numbers: classes increase.
type row struct {
	classes []int32
	weights []float64
}

// decay is ((w-1) r + next) / w, as in the reference implementations of TGB.
func (r row) decay(next row, w float64) row {
	var sum row
	for i, k := 0, 0; i < len(r.classes) || k < len(next.classes); {
		class, weight := int32(math.MaxInt32), 0.0
		if i < len(r.classes) {
			class = r.classes[i]
		}
		if k < len(next.classes) {
			class = min(class, next.classes[k])
		}
		if i < len(r.classes) && r.classes[i] == class {
			weight = r.weights[i] * (w - 1)
			i++
		}
		if k < len(next.classes) && next.classes[k] == class {
			weight += next.weights[k]
			k++
		}
		sum.classes, sum.weights = append(sum.classes, class), append(sum.weights, weight/w)
	}
	return sum
}

// rows are those of the nodes that have one.
type rows struct {
	classes int
	of      map[int32]row
}

// forecast writes them; other nodes keep their 0.
func (r rows) forecast(nodes []int32, scores []float64) {
	for k, u := range nodes {
		for i, class := range r.of[u].classes {
			scores[k*r.classes+int(class)] = r.of[u].weights[i]
		}
	}
}

// PersistentForecast repeats the last labels of each node, and is 0 before the first: Persistent Forecast (L).
type PersistentForecast struct{ last rows }

// Reset forgets all labels.
func (p *PersistentForecast) Reset(task Task) { p.last = rows{task.Classes, make(map[int32]row)} }

// Observe ignores events.
func (*PersistentForecast) Observe([]dyngraph.Event) error { return nil }

// Learn keeps the labels.
func (p *PersistentForecast) Learn(labels Labels) error {
	for k, u := range labels.Nodes {
		classes, weights := labels.Row(k)
		p.last.of[u] = row{classes, weights}
	}
	return nil
}

// Forecast writes the last labels.
func (p *PersistentForecast) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	p.last.forecast(nodes, scores)
	return nil
}

// MovingAverage is the exponential moving average of the labels y of each node, Moving Average (L): m = y at first,
// then ((W-1) m + y) / W.
type MovingAverage struct {
	// Window is W, 1 or more; 0 means 7.
	Window float64
	mean   rows
}

// Reset forgets all labels.
func (m *MovingAverage) Reset(task Task) { m.mean = rows{task.Classes, make(map[int32]row)} }

// Observe ignores events.
func (*MovingAverage) Observe([]dyngraph.Event) error { return nil }

// Learn moves the averages.
func (m *MovingAverage) Learn(labels Labels) error {
	w, err := window7(m.Window)
	if err != nil {
		return err
	}
	for k, u := range labels.Nodes {
		classes, weights := labels.Row(k)
		next := row{classes, weights}
		if before, found := m.mean.of[u]; found {
			next = before.decay(next, w)
		}
		m.mean.of[u] = next
	}
	return nil
}

// Forecast writes the averages.
func (m *MovingAverage) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	m.mean.forecast(nodes, scores)
	return nil
}

func window7(w float64) (float64, error) {
	w = cmp.Or(w, 7)
	if !(w >= 1) || math.IsInf(w, 1) {
		return 0, invalid("a moving average over %g labels, want 1 or more", w)
	}
	return w, nil
}
