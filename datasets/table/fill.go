package table

import (
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// values are the targets [steps][nodes*targets], the features [steps][nodes*features] and the numbers of texts
// [steps][nodes*len(names)] of nodes, NaN where missing.
type values struct {
	targets, features int
	y, x, texts       [][]float64
	names             []texts // by column
}

// carried repeats the previous value if a value is missing; NaN if there is none.
func carried(rows [][]float64) [][]float64 {
	full := make([][]float64, len(rows))
	for i, row := range rows {
		full[i] = slices.Clone(row)
		for k, v := range row {
			if math.IsNaN(v) && i > 0 {
				full[i][k] = full[i-1][k]
			}
		}
	}
	return full
}

// centred replaces NaN by 0, the mean of standardised values.
func centred(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// fill puts standardised values into a series that has its times: features are the lags of targets, oldest first, and
// after them the node's own.
func (r *reader) fill(s *dyngraph.Series, v values) {
	n, lags, offset, q := len(r.names), r.c.lags(), r.c.offset(), v.targets
	newest := carried(v.y)
	y, x := v.y, v.x
	if !r.c.KeepGaps {
		y, x = newest, carried(v.x)
	}
	shown := func(value float64) float64 {
		if r.c.KeepGaps {
			return value
		}
		return centred(value)
	}
	for i := range s.Times {
		now := i + offset
		if q+v.features == 0 {
			s.Features = append(s.Features, slices.Repeat([]float64{1}, n))
			continue
		}
		row := make([]float64, 0, n*s.FeatureSize)
		for u := range n {
			for k := now - lags + 1; k <= now; k++ {
				for _, value := range y[k][u*q : (u+1)*q] {
					row = append(row, shown(value))
				}
			}
			for _, value := range x[now][u*v.features : (u+1)*v.features] {
				row = append(row, shown(value))
			}
		}
		s.Features = append(s.Features, row)
		if q == 0 {
			continue
		}
		known := make([]float64, n*q)
		for k, value := range newest[now] {
			known[k] = centred(value)
		}
		steps := r.c.targetSteps()
		targets := make([][]float64, steps)
		for k := range steps {
			if at := now + r.c.First - 1 + k; at < len(v.y) {
				targets[k] = v.y[at]
			} else {
				targets[k] = nans(n * q)
			}
		}
		means := recent(v.y[max(0, now-max(lags, 1)+1):now+1], known)
		s.Targets = append(s.Targets, byNode(targets, q))
		s.LastObserved = append(s.LastObserved, byNode(slices.Repeat([][]float64{known}, steps), q))
		s.RecentMean = append(s.RecentMean, byNode(slices.Repeat([][]float64{means}, steps), q))
	}
}

// byNode returns rows [steps][nodes*size] as one row, [nodes*steps*size].
func byNode(rows [][]float64, size int) []float64 {
	if len(rows) == 1 {
		return rows[0]
	}
	var all []float64
	for at := 0; at < len(rows[0]); at += size {
		for _, row := range rows {
			all = append(all, row[at:at+size]...)
		}
	}
	return all
}

// recent returns the mean of the observed values in a range of steps, or the newest value if there are none.
func recent(rows [][]float64, newest []float64) []float64 {
	means := make([]float64, len(newest))
	for k := range means {
		sum, count := 0.0, 0
		for _, row := range rows {
			if !math.IsNaN(row[k]) {
				sum += row[k]
				count++
			}
		}
		if means[k] = newest[k]; count > 0 {
			means[k] = sum / float64(count)
		}
	}
	return means
}
