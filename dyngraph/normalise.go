package dyngraph

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Normalisation selects the control matrix C of a snapshot with weighted adjacency A; "" is [NormalisedLaplacian].
type Normalisation string

const (
	// NormalisedLaplacian is C = I - diag(o)^-1/2 (A+I) diag(q)^-1/2, with o the row sums (out) and q the column sums
	// (in) of A+I. Entries have order 1 or less, and C is directed as A is. Every node gains a self-loop of 1, so the
	// unit of the weights matters: if those from a node sum to far less than 1, C hardly depends on them.
	NormalisedLaplacian Normalisation = "normalised"
	// Log is C_ij = log(1 + A_ij).
	Log Normalisation = "log"
	// Raw is C = A. States, and the error of a solve, grow to the order of the sums of its entries.
	Raw Normalisation = "raw"
	// NormalisedAdjacency is C = diag(o)^-1/2 (A+I) diag(q)^-1/2 with o and q as in NormalisedLaplacian. Its row and
	// column sums are near 1, where the Laplacian's are near 0, so maps that take sums see the whole graph.
	NormalisedAdjacency Normalisation = "adjacency"
	// MeanDegree is C = A / d, with d the mean over nodes of the sums of |A_uv| over v in the first snapshot that has
	// edges. Entries have order 1 over the degree. All snapshots have the same unit, so C' is A' / d.
	MeanDegree Normalisation = "mean degree"
)

// Check returns an error for an unknown normalisation; the error wraps [ErrInvalid].
func (k Normalisation) Check() error {
	known := []Normalisation{NormalisedLaplacian, Log, Raw, NormalisedAdjacency, MeanDegree}
	if k != "" && !slices.Contains(known, k) {
		return invalid("normalisation %q, want one of %q", k, known)
	}
	return nil
}

// Apply returns the control matrices of snapshots [T][edges], on the pattern or, for the two normalised kinds, on the
// pattern with all self-loops. The input is not changed. Errors wrap [ErrInvalid].
func (k Normalisation) Apply(p *Pattern, weights [][]float64) (*Pattern, [][]float64, error) {
	if err := errors.Join(k.Check(), p.Validate()); err != nil {
		return nil, nil, err
	}
	if fault := p.weightFault(weights); fault != "" {
		return nil, nil, invalid("%s", fault)
	}
	switch k {
	case Raw:
		return p, weights, nil
	case Log:
		logs, err := p.logarithms(weights)
		return p, logs, err
	case NormalisedAdjacency:
		return p.symmetric(weights, 0, 1)
	case MeanDegree:
		divided, err := p.overDegree(weights)
		return p, divided, err
	}
	return p.symmetric(weights, 1, -1)
}

// weightFault describes the first fault of the weights of snapshots. It returns "" if there is none.
func (p *Pattern) weightFault(weights [][]float64) string {
	for i, row := range weights {
		if len(row) != p.Edges() {
			return fmt.Sprintf("weights of snapshot %d hold %d entries, want %d", i, len(row), p.Edges())
		}
		if repeats(weights, i) {
			continue
		}
		for e, w := range row {
			if !finite(w) {
				return fmt.Sprintf("snapshot %d: weight of edge %d -> %d is %g, want a finite number (0 where the "+
					"edge is absent)", i, p.From[e], p.To[e], w)
			}
		}
	}
	return ""
}

// MeanDegreeOf returns the number by which [MeanDegree] divides the snapshots; 1 if no snapshot has an edge.
func (p *Pattern) MeanDegreeOf(weights [][]float64) float64 {
	for _, row := range weights {
		sum := 0.0
		for _, w := range row {
			sum += math.Abs(w) / float64(p.Nodes)
		}
		if sum > 0 {
			return sum
		}
	}
	return 1
}

// repeats reports whether row i shares its memory with the row before it, as if the graph did not change.
func repeats(rows [][]float64, i int) bool {
	return i > 0 && len(rows[i]) > 0 && &rows[i][0] == &rows[i-1][0]
}

// converted returns what convert makes of each row. Rows that share memory share it in the result.
func converted(rows [][]float64, convert func(i int, row []float64) ([]float64, error)) ([][]float64, error) {
	made := make([][]float64, len(rows))
	for i, row := range rows {
		if repeats(rows, i) {
			made[i] = made[i-1]
			continue
		}
		var err error
		if made[i], err = convert(i, row); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// overDegree divides the rows by the mean degree.
func (p *Pattern) overDegree(weights [][]float64) ([][]float64, error) {
	degree := p.MeanDegreeOf(weights)
	return converted(weights, func(i int, row []float64) ([]float64, error) {
		divided := make([]float64, len(row))
		for e, w := range row {
			if divided[e] = w / degree; !finite(divided[e]) {
				return nil, invalid("weight %g of edge %d -> %d in snapshot %d over the mean degree %g overflows, want "+
					"weights of one unit in all snapshots", w, p.From[e], p.To[e], i, degree)
			}
		}
		return divided, nil
	})
}

func (p *Pattern) logarithms(weights [][]float64) ([][]float64, error) {
	return converted(weights, func(i int, row []float64) ([]float64, error) {
		logs := make([]float64, len(row))
		for e, w := range row {
			if w <= -1 {
				return nil, invalid("weight %g of edge %d -> %d in snapshot %d has no log(1+w), want "+
					"weights above -1", w, p.From[e], p.To[e], i)
			}
			logs[e] = math.Log1p(w)
		}
		return logs, nil
	})
}

// symmetric returns identity I + sign diag(o)^-1/2 (A+I) diag(q)^-1/2.
func (p *Pattern) symmetric(weights [][]float64, identity, sign float64) (*Pattern, [][]float64, error) {
	looped, index, loop := p.withLoops()
	controls, err := converted(weights, func(i int, row []float64) ([]float64, error) {
		out, in := slices.Repeat([]float64{1}, p.Nodes), slices.Repeat([]float64{1}, p.Nodes)
		for e, w := range row {
			out[p.From[e]] += w
			in[p.To[e]] += w
		}
		for u := range out {
			if !(out[u] > 0 && in[u] > 0) {
				return nil, invalid("node %d of snapshot %d has degrees %g out and %g in with its "+
					"self-loop, want positive ones: negative weights need another normalisation", u, i, out[u], in[u])
			}
			if math.IsInf(out[u], 1) || math.IsInf(in[u], 1) {
				return nil, invalid("node %d of snapshot %d has degrees %g out and %g in: the sum "+
					"of its weights overflows, want a smaller unit of the weights", u, i, out[u], in[u])
			}
		}
		c := make([]float64, looped.Edges())
		for u, e := range loop {
			c[e] = identity + sign/geometricMean(out[u], in[u])
		}
		for e, w := range row {
			c[index[e]] += sign * w / geometricMean(out[p.From[e]], in[p.To[e]])
		}
		return c, nil
	})
	return looped, controls, err
}

// geometricMean returns the geometric mean of two positive numbers, whose product may overflow.
func geometricMean(a, b float64) float64 {
	if ab := a * b; !math.IsInf(ab, 1) {
		return math.Sqrt(ab)
	}
	return math.Sqrt(a) * math.Sqrt(b)
}

// withLoops adds all self-loops. It also returns the new index of each edge of p, and of the loop of each node.
func (p *Pattern) withLoops() (looped *Pattern, index, loop []int) {
	from, to := make([]int, 0, p.Edges()+p.Nodes), make([]int, 0, p.Edges()+p.Nodes)
	for e := range p.From {
		from, to = append(from, int(p.From[e])), append(to, int(p.To[e]))
	}
	for u := range p.Nodes {
		from, to = append(from, u), append(to, u)
	}
	looped, index, _ = NewPattern(p.Nodes, from, to) // valid, since p is
	return looped, index[:p.Edges()], index[p.Edges():]
}
