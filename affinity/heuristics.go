package affinity

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
)

// row is a sparse row of numbers, sorted by class.
type row struct {
	classes []int32
	weights []float64
}

// merge combines the numbers of two rows class by class. A missing class counts as 0.
func (r row) merge(other row, combine func(a, b float64) float64) (all row) {
	for i, k := 0, 0; i < len(r.classes) || k < len(other.classes); {
		class, a, b := int32(math.MaxInt32), 0.0, 0.0
		if i < len(r.classes) {
			class = r.classes[i]
		}
		if k < len(other.classes) {
			class = min(class, other.classes[k])
		}
		if i < len(r.classes) && r.classes[i] == class {
			a = r.weights[i]
			i++
		}
		if k < len(other.classes) && other.classes[k] == class {
			b = other.weights[k]
			k++
		}
		all.classes, all.weights = append(all.classes, class), append(all.weights, combine(a, b))
	}
	return all
}

// decay returns ((w-1) r + next) / w, as in the reference implementations of TGB.
func (r row) decay(next row, w float64) row {
	return r.merge(next, func(a, b float64) float64 { return (a*(w-1) + b) / w })
}

// mixed returns part r + (1-part) other.
func (r row) mixed(part float64, other row) row {
	return r.merge(other, func(a, b float64) float64 { return part*a + (1-part)*b })
}

// at returns the number of a class.
func (r row) at(class int32) float64 {
	if i, found := slices.BinarySearch(r.classes, class); found {
		return r.weights[i]
	}
	return 0
}

// rows holds the rows of nodes, which are its forecasts.
type rows struct {
	classes int
	of      map[int32]row
}

// Reset forgets all rows.
func (r *rows) Reset(task Task) { *r = rows{task.Classes, make(map[int32]row)} }

// Forecast writes the rows of nodes to scores. Nodes without a row keep 0.
func (r *rows) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for k, u := range nodes {
		for i, class := range r.of[u].classes {
			scores[k*r.classes+int(class)] = r.of[u].weights[i]
		}
	}
	return nil
}

// average updates the moving average of a node, which begins with its first row.
func (r *rows) average(u int32, next row, w float64) {
	if before, found := r.of[u]; found {
		next = before.decay(next, w)
	}
	r.of[u] = next
}

// PersistentForecast repeats the last labels of each node, and forecasts 0 before the first: Persistent Forecast (L).
type PersistentForecast struct {
	labelsOnly
	rows
}

// Learn stores the labels.
func (p *PersistentForecast) Learn(labels Labels) error {
	maps.Insert(p.of, labels.rows())
	return nil
}

// MovingAverage forecasts the exponential moving average of the labels y of each node, Moving Average (L): m = y at
// first, then ((W-1) m + y) / W.
type MovingAverage struct {
	labelsOnly
	// Window is W, 1 or more; 0 means 7.
	Window float64 `json:"Window"`
	rows
}

// Learn updates the averages.
func (m *MovingAverage) Learn(labels Labels) error {
	w, err := window7(m.Window)
	if err != nil {
		return err
	}
	for u, next := range labels.rows() {
		m.average(u, next, w)
	}
	return nil
}

func window7(w float64) (float64, error) {
	w = cmp.Or(w, 7)
	if !(w >= 1) || math.IsInf(w, 1) {
		return 0, invalid("a moving average over %g labels, want 1 or more", w)
	}
	return w, nil
}
