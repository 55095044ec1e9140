package table

import "math"

// grid gathers values, of which each snapshot has some at places that are numbered as they appear.
type grid struct {
	how  Aggregate
	rows []gridRow
	// started is how many rows hold values, widest how many one does at most. New rows have room for that many.
	started, widest int
}

// gridRow is that of one snapshot. Values are NaN where there is none; counts are for Mean, when for Last.
type gridRow struct {
	values []float64
	counts []uint32
	when   []instant
}

// outcome is what became of a value.
type outcome uint8

const (
	added outcome = iota
	repeated
	overflowed
)

// row is that of a snapshot, with at least so many places.
func (g *grid) row(snapshot, places int) *gridRow {
	for snapshot >= len(g.rows) {
		g.rows = append(g.rows, gridRow{})
	}
	r := &g.rows[snapshot]
	if more := places - len(r.values); more > 0 {
		g.widest = max(g.widest, places)
		if r.values == nil {
			g.started++
			r.values = make([]float64, 0, g.widest)
		}
		for range more {
			r.values = append(r.values, math.NaN())
		}
		if g.how == Mean {
			r.counts = append(r.counts, make([]uint32, more)...)
		}
		if g.how == Last {
			r.when = append(r.when, make([]instant, more)...)
		}
	}
	return r
}

// add takes a value, which is not NaN, at a place.
func (r *gridRow) add(how Aggregate, at int, value float64, when instant) outcome {
	old := r.values[at]
	first := math.IsNaN(old)
	switch how {
	case Unique:
		if !first {
			return repeated
		}
	case Last:
		if !first && when < r.when[at] {
			return added
		}
		r.when[at] = when
	default:
		if !first {
			value += old
		}
		if how == Mean {
			r.counts[at]++
		}
		if math.IsInf(value, 0) {
			return overflowed
		}
	}
	r.values[at] = value
	return added
}

// finish divides sums where means are wanted.
func (g *grid) finish() {
	for _, r := range g.rows {
		for i, n := range r.counts {
			if n > 1 {
				r.values[i] /= float64(n)
			}
		}
	}
}
