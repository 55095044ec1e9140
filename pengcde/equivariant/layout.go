package equivariant

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/internal/errs"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Layout says how the snapshots of a batch of graphs lie in memory. A row, for one snapshot, has the matrix entries, then
// what the maps need of them: row sums, column sums and diagonal for each node, total and trace. All are linear in the
// weights, so interpolating rows interpolates the statistics. [Layout.Fit] makes rows of symmetric snapshots shorter.
type Layout struct {
	patterns []*dyngraph.Pattern
	nodes    int
	buckets  *buckets // nil for dense
	// symmetric is for snapshots that are, see Fit: rows have no weights of edges from neighbours, and no column sums.
	symmetric bool
}

// Layout chooses that of a batch of graphs with equally many nodes; their patterns may differ. Errors wrap
// [dyngraph.ErrInvalid].
func (p Product) Layout(patterns []*dyngraph.Pattern) (Layout, error) {
	if len(patterns) == 0 {
		return Layout{}, fmt.Errorf("pengcde/equivariant: no graphs: %w", dyngraph.ErrInvalid)
	}
	if p < Auto || p > Sparse {
		return Layout{}, fmt.Errorf("pengcde/equivariant: %v, want Auto, Dense or Sparse: %w", p, dyngraph.ErrInvalid)
	}
	for b, pattern := range patterns {
		if b > 0 && pattern == patterns[b-1] {
			continue
		}
		if err := pattern.Validate(); err != nil {
			return Layout{}, errs.In(fmt.Sprintf("pengcde/equivariant: graph %d of the batch", b), err)
		}
	}
	l := Layout{patterns: patterns, nodes: patterns[0].Nodes}
	edges := 0
	for b, pattern := range patterns {
		if pattern.Nodes != l.nodes {
			return l, fmt.Errorf("pengcde/equivariant: graph %d of the batch has %d nodes, the first has %d: %w", b, pattern.Nodes, l.nodes, dyngraph.ErrInvalid)
		}
		edges = max(edges, pattern.Edges())
	}
	if p.Choose(l.nodes, edges) == Sparse {
		l.buckets = newBuckets(patterns)
	}
	return l, nil
}

// matrix is the number of matrix entries in a row: all n² of a dense layout, else those of the buckets.
func (l Layout) matrix() int {
	switch {
	case l.buckets == nil:
		return l.nodes * l.nodes
	case l.symmetric:
		return l.buckets.entries / 2
	}
	return l.buckets.entries
}

// Width is the length of a row.
func (l Layout) Width() int { return l.matrix() + statisticsWidth(l.nodes, l.symmetric) }

// statisticsWidth is the part of a row behind the matrix entries.
func statisticsWidth(nodes int, symmetric bool) int {
	if symmetric {
		return 2*nodes + 2
	}
	return 3*nodes + 2
}

// Rows makes the rows of the snapshots of every sample, [samples, snapshots, Width] of float32 or float64; there are equally many
// of each. Weights are as for [Layout.Row]; they and their sums are finite in the float type. Errors wrap
// [dyngraph.ErrInvalid].
func (l Layout) Rows(dtype dtypes.DType, snapshots [][][]float64) (*tensors.Tensor, error) {
	if len(snapshots) != len(l.patterns) || len(snapshots) == 0 {
		return nil, fmt.Errorf("pengcde/equivariant: snapshots of %d samples, want those of all %d graphs of a layout that Product.Layout made: %w",
			len(snapshots), len(l.patterns), dyngraph.ErrInvalid)
	}
	count, row := len(snapshots[0]), make([]float64, l.Width())
	for b, sample := range snapshots {
		if len(sample) != count || count == 0 {
			return nil, fmt.Errorf("pengcde/equivariant: %d snapshots of sample %d, %d of the first, want as many, at least 1: %w",
				len(sample), b, count, dyngraph.ErrInvalid)
		}
		for s, weights := range sample {
			if got, want := len(weights), l.patterns[b].Edges(); got != want {
				return nil, fmt.Errorf("pengcde/equivariant: %d weights in snapshot %d of sample %d, its pattern has %d edges: %w",
					got, s, b, want, dyngraph.ErrInvalid)
			}
		}
	}
	rows, tooLarge := tensors.FromShape(shapes.Make(dtype, len(snapshots), count, len(row))), beyond(dtype)
	for b, sample := range snapshots {
		for s, weights := range sample {
			clear(row)
			l.fill(row, b, weights)
			if i := slices.IndexFunc(row, tooLarge); i >= 0 {
				return nil, fmt.Errorf("pengcde/equivariant: snapshot %d of sample %d has a weight, or a sum of weights, of %g, want finite "+
					"numbers of %s: take a smaller unit of the weights, or a normalised control: %w", s, b, row[i], dtype,
					dyngraph.ErrInvalid)
			}
			nn.Set(rows, (b*count+s)*len(row), row)
		}
	}
	return rows, nil
}

// beyond tells the numbers that a float type cannot hold.
func beyond(dtype dtypes.DType) func(x float64) bool {
	largest := math.MaxFloat64
	if dtype == dtypes.Float32 {
		largest = math.MaxFloat32
	}
	return func(x float64) bool { return !(math.Abs(x) <= largest) }
}

// Row is the row of a snapshot of one sample of the batch, whose weights follow the sample's pattern. They must be symmetric
// where the layout was fitted to such.
func (l Layout) Row(sample int, weights []float64) []float64 {
	row := make([]float64, l.Width())
	l.fill(row, sample, weights)
	return row
}

// fill sets a row of zeros.
func (l Layout) fill(row []float64, sample int, weights []float64) {
	p, n := l.patterns[sample], l.nodes
	rest := row[l.matrix():]
	next := func(count int) (part []float64) {
		part, rest = rest[:count], rest[count:]
		return part
	}
	rows, columns := next(n), make([]float64, n)
	if !l.symmetric {
		columns = next(n)
	}
	diagonal, scalars := next(n), next(2)
	for e, w := range weights {
		from, to := int(p.From[e]), int(p.To[e])
		if l.buckets == nil {
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
	if l.buckets != nil {
		l.buckets.fill(row[:l.matrix()], sample, weights)
	}
}

// Tables are the tensors that [BindOperator] takes back as nodes: where neighbours are, and which entries are edges of the
// pattern. They are five bytes for each entry of the neighbour lists, one of n² for a dense layout.
func (l Layout) Tables() []*tensors.Tensor {
	if l.buckets != nil {
		return l.buckets.tables()
	}
	isEdge := make([]bool, len(l.patterns)*l.matrix())
	for b, p := range l.patterns {
		for e := range p.From {
			isEdge[(b*l.nodes+int(p.From[e]))*l.nodes+int(p.To[e])] = true
		}
	}
	return []*tensors.Tensor{tensors.FromFlatDataAndDimensions(isEdge, len(l.patterns), l.nodes, l.nodes)}
}
