package equivariant

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/host"
)

// Snapshots lays out the snapshots of a batch of graphs in memory. It returns their form, the rows [samples, snapshots,
// width] of float32 or float64, which [Form.Matrix] takes after interpolation, and its tables.
//
// Every sample has its own pattern, and weights on its edges. All samples have the same number of nodes and of
// snapshots. Weights and their sums must be finite in the float type. If all snapshots are symmetric, rows hold both
// directions of an edge once. Sparse matrices are laid out in the given capacity, see [NeighbourCapacity]. Errors wrap
// [dyngraph.ErrInvalid].
func (p Product) Snapshots(dtype dtypes.DType, capacity NeighbourCapacity, patterns []*dyngraph.Pattern,
	snapshots [][][]float64) (form Form, rows *tensors.Tensor, tables []*tensors.Tensor, err error) {
	l, err := p.layout(capacity, patterns)
	if err != nil {
		return form, nil, nil, err
	}
	if err := l.check(snapshots); err != nil {
		return form, nil, nil, err
	}
	l = l.fit(snapshots)
	if rows, err = l.rows(dtype, snapshots); err != nil {
		return form, nil, nil, err
	}
	return l.Form, rows, l.tables(), nil
}

// layout is the memory layout of the snapshots of a batch of graphs. A row holds one snapshot: the matrix entries, then
// the statistics for the maps: row sums, column sums and diagonal for each node, total and trace. All are linear in the
// weights, so interpolating rows interpolates the sums.
type layout struct {
	Form
	patterns []*dyngraph.Pattern
	buckets  *buckets // nil for dense
	directed bool     // whether other batches of the same programs are not symmetric
}

// layout chooses the layout of a batch of graphs. It is not symmetric yet, see fit.
func (p Product) layout(capacity NeighbourCapacity, patterns []*dyngraph.Pattern) (layout, error) {
	if len(patterns) == 0 {
		return layout{}, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: no graphs")
	}
	if err := p.Check(); err != nil {
		return layout{}, err
	}
	edges := 0
	for b, pattern := range patterns {
		if b > 0 && pattern == patterns[b-1] {
			continue
		}
		if err := pattern.Validate(); err != nil {
			return layout{}, errs.In(fmt.Sprintf("pengcde/equivariant: graph %d of the batch", b), err)
		}
		if pattern.Nodes != patterns[0].Nodes {
			return layout{}, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: graph %d of the batch has %d nodes, the "+
				"first has %d, want graphs of other sizes in batches of their own", b, pattern.Nodes, patterns[0].Nodes)
		}
		edges = max(edges, pattern.Edges())
	}
	if capacity.most != nil && capacity.most[0] != patterns[0].Nodes {
		return layout{}, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: a NeighbourCapacity for graphs of %d nodes, "+
			"and the graphs of the batch have %d, want one of graphs with as many", capacity.most[0], patterns[0].Nodes)
	}
	l := layout{Form: Form{Nodes: patterns[0].Nodes}, patterns: patterns}
	if p.Choose(l.Nodes, edges) == Sparse {
		l.Sparse, l.buckets, l.directed = true, newBuckets(patterns, capacity, p.bucketCost()), capacity.directed
		l.Used = capacity.most != nil
	}
	return l, nil
}

// check returns an error if snapshots, [samples][J][edges], do not fit the layout.
func (l layout) check(snapshots [][][]float64) error {
	if len(snapshots) != len(l.patterns) {
		return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: snapshots of %d samples, want one sample for "+
			"each of the %d graphs", len(snapshots), len(l.patterns))
	}
	for b, sample := range snapshots {
		if len(sample) != len(snapshots[0]) || len(sample) == 0 {
			return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: %d snapshots of sample %d, %d of the first, want as "+
				"many, at least 1", len(sample), b, len(snapshots[0]))
		}
		for s, weights := range sample {
			if got, want := len(weights), l.patterns[b].Edges(); got != want {
				return errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: %d weights in snapshot %d of sample %d, its "+
					"pattern has %d edges", got, s, b, want)
			}
		}
	}
	return nil
}

// matrix returns the number of matrix entries in a row.
func (l layout) matrix() int {
	switch {
	case !l.Sparse:
		return l.Nodes * l.Nodes
	case l.Symmetric:
		return l.buckets.entries / 2
	}
	return l.buckets.entries
}

// width returns the length of a row.
func (l layout) width() int { return l.matrix() + l.statistics() }

// rows returns the rows of every sample's snapshots, which must be checked before.
func (l layout) rows(dtype dtypes.DType, snapshots [][][]float64) (*tensors.Tensor, error) {
	switch {
	case dtype != dtypes.Float32 && dtype != dtypes.Float64:
		return nil, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: snapshots of %s, want float32 or float64", dtype)
	case !l.Sparse && l.Nodes > maxDense:
		return nil, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: a dense matrix of %d nodes, want at most %d: choose "+
			"Sparse", l.Nodes, maxDense)
	}
	count, row := len(snapshots[0]), make([]float64, l.width())
	rows, tooLarge := tensors.FromShape(shapes.Make(dtype, len(snapshots), count, len(row))), beyond(dtype)
	for b, sample := range snapshots {
		for s, weights := range sample {
			clear(row)
			l.fill(row, b, weights)
			if i := slices.IndexFunc(row, tooLarge); i >= 0 {
				return nil, errs.New(dyngraph.ErrInvalid, "pengcde/equivariant: snapshot %d of sample %d has a weight, or a "+
					"sum of weights, of %g, want finite numbers of %s: fill in missing ones, take a smaller unit of the "+
					"weights, or normalise them", s, b, row[i], dtype)
			}
			host.Set(rows, (b*count+s)*len(row), row)
		}
	}
	return rows, nil
}

// maxDense bounds the nodes of a dense matrix, whose snapshots then have 4 GiB of float32.
const maxDense = 1 << 15

// beyond reports numbers that a float type cannot hold.
func beyond(dtype dtypes.DType) func(x float64) bool {
	largest := math.MaxFloat64
	if dtype == dtypes.Float32 {
		largest = math.MaxFloat32
	}
	return func(x float64) bool { return !(math.Abs(x) <= largest) }
}

// fill writes a sample's weights to a row of zeros. The weights must be symmetric if the layout is.
func (l layout) fill(row []float64, sample int, weights []float64) {
	p, n := l.patterns[sample], l.Nodes
	rest := row[l.matrix():]
	next := func(count int) (part []float64) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	rows, columns := next(n), make([]float64, n)
	if !l.Symmetric {
		columns = next(n)
	}
	diagonal, scalars := next(n), next(2)
	for e, w := range weights {
		from, to := int(p.From[e]), int(p.To[e])
		if !l.Sparse {
			row[from*n+to] = w
		}
		rows[from] += w
		columns[to] += w
		scalars[0] += w
		if from == to {
			diagonal[from] += w
			scalars[1] += w
		}
	}
	if l.Sparse {
		l.buckets.fill(row[:l.matrix()], sample, weights)
	}
}

// tables returns the indices of neighbours and the marks of entries that are edges of the pattern. They take five bytes
// for each entry of the neighbour lists, or one byte for each of the n² entries of a dense layout.
func (l layout) tables() []*tensors.Tensor {
	if l.Sparse {
		return l.buckets.tables()
	}
	isEdge := make([]bool, len(l.patterns)*l.matrix())
	for b, p := range l.patterns {
		for e := range p.From {
			isEdge[(b*l.Nodes+int(p.From[e]))*l.Nodes+int(p.To[e])] = true
		}
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(isEdge, len(l.patterns), l.Nodes, l.Nodes)}
}
