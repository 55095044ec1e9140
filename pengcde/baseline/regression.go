package baseline

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/ridge"
)

// normalEquations holds X'X and X'y for each component of the target, over the rows where it was observed.
type normalEquations struct {
	inputs int // snapshots of a window
	xx     []*mat.SymDense
	xy     []*mat.VecDense
	rows   []int
}

func newNormalEquations(windows []dyngraph.Window, neighbours bool) (*normalEquations, error) {
	if len(windows) == 0 {
		return nil, invalid("ridge of no training windows, want at least one")
	}
	var n *normalEquations
	for _, w := range windows {
		x, err := regressors(w, neighbours)
		if err != nil {
			return nil, err
		}
		_, width := x.Dims()
		if n == nil {
			n = &normalEquations{inputs: w.Inputs(), rows: make([]int, w.Series.TargetSize)}
			for range n.rows {
				n.xx, n.xy = append(n.xx, mat.NewSymDense(width, nil)), append(n.xy, mat.NewVecDense(width, nil))
			}
		}
		target := w.Target()
		if len(target) != w.Series.Nodes()*len(n.rows) || n.xy[0].Len() != width || w.Inputs() != n.inputs {
			return nil, invalid("window at snapshot %d of series %q has %d targets and %d regressors, want %d and %d "+
				"as the first training window", w.Start, w.Series.Name, len(target), width,
				w.Series.Nodes()*len(n.rows), n.xy[0].Len())
		}
		n.add(x, target)
	}
	if k := slices.Index(n.rows, 0); k >= 0 {
		return nil, invalid("target %d is NaN at every node of %d training windows, want one observed at least", k,
			len(windows))
	}
	return n, nil
}

func (n *normalEquations) add(x *mat.Dense, target []float64) {
	for k := range n.rows {
		var observed []int
		for u := 0; u*len(n.rows) < len(target); u++ {
			if !math.IsNaN(target[u*len(n.rows)+k]) {
				observed = append(observed, u)
			}
		}
		if len(observed) == 0 {
			continue // gonum has no empty matrices
		}
		_, width := x.Dims()
		rows, y := mat.NewDense(len(observed), width, nil), mat.NewVecDense(len(observed), nil)
		for i, u := range observed {
			rows.SetRow(i, x.RawRowView(u))
			y.SetVec(i, target[u*len(n.rows)+k])
		}
		var xx mat.SymDense
		xx.SymOuterK(1, rows.T())
		n.xx[k].AddSym(n.xx[k], &xx)
		var xy mat.VecDense
		xy.MulVec(rows.T(), y)
		n.xy[k].AddVec(n.xy[k], &xy)
		n.rows[k] += len(observed)
	}
}

// solve returns the coefficients [width, targets] of (X'X + penalty rows I) b = X'y.
func (n *normalEquations) solve(penalty float64) (*mat.Dense, error) {
	coefficients := mat.NewDense(n.xy[0].Len(), len(n.rows), nil)
	for k, rows := range n.rows {
		b, ok := ridge.Solve(n.xx[k], n.xy[k], penalty*float64(rows))
		if !ok {
			return nil, invalid("ridge with penalty %g has no solution in floats: want a larger penalty, and values "+
				"of order 1", penalty)
		}
		coefficients.SetCol(k, b)
	}
	return coefficients, nil
}

// regressors returns the regressors of a window, a row for each node: its visible values, their means over nodes, with
// neighbours their means over the nodes that edges come from and over those that edges lead to, and 1.
func regressors(w dyngraph.Window, neighbours bool) (*mat.Dense, error) {
	if err := check("ridge", w); err != nil {
		return nil, err
	}
	visible := w.Visible()
	if visible == nil {
		return nil, invalid("ridge for the window at snapshot %d of series %q, which has no known values of "+
			"earlier targets: set Series.LastObserved, [snapshots][nodes x targets]", w.Start, w.Series.Name)
	}
	nodes, size := w.Series.Nodes(), w.Series.Quantities()
	part, parts := len(visible)*size, 2
	var sides []neighbourhood
	if neighbours {
		pattern, newest := w.Series.Pattern, w.Start+w.Inputs()-1 // the newest snapshot that the window shows
		if newest >= len(w.Series.Weights) || len(w.Series.Weights[newest]) != pattern.Edges() {
			return nil, invalid("ridge with neighbours at snapshot %d of series %q, which has no weights of its %d edges "+
				"there: set Series.Weights, [snapshots][edges], or leave Neighbours out", newest, w.Series.Name, pattern.Edges())
		}
		weights := w.Series.Weights[newest]
		sides = []neighbourhood{newNeighbourhood(pattern.To, pattern.From, weights, nodes),
			newNeighbourhood(pattern.From, pattern.To, weights, nodes)}
		parts += len(sides)
	}
	x := mat.NewDense(nodes, parts*part+1, nil)
	values, means := ridge.Fill(visible, size)
	for column, mean := range means {
		x.SetCol(column, values[column])
		x.SetCol(part+column, slices.Repeat([]float64{mean}, nodes))
		for i, side := range sides {
			x.SetCol((2+i)*part+column, side.means(values[column], mean))
		}
	}
	x.SetCol(parts*part, slices.Repeat([]float64{1}, nodes))
	return x, nil
}

// neighbourhood averages values over the neighbours of each node.
type neighbourhood struct {
	at, others []int32   // ends of edges
	shares     []float64 // of the edges in the mean of the node at
	alone      []bool    // nodes without neighbours
}

// newNeighbourhood returns the neighbours of the nodes at one end of edges with these weights: the nodes at the other
// end. An edge's share is its weight divided by the sum of the magnitudes of its node's weights. An edge from a node to
// itself has none.
func newNeighbourhood(at, others []int32, weights []float64, nodes int) neighbourhood {
	n := neighbourhood{at, others, make([]float64, len(weights)), make([]bool, nodes)}
	sums := make([]float64, nodes)
	for e, weight := range weights {
		if at[e] != others[e] {
			n.shares[e] = weight
			sums[at[e]] += math.Abs(weight)
		}
	}
	for u, sum := range sums {
		n.alone[u] = sum == 0
	}
	for e, u := range at {
		if !n.alone[u] {
			n.shares[e] /= sums[u]
		}
	}
	return n
}

// means returns the mean of the values of each node's neighbours, and alone for a node without any.
func (n neighbourhood) means(values []float64, alone float64) []float64 {
	means := make([]float64, len(values))
	for e, share := range n.shares {
		means[n.at[e]] += share * values[n.others[e]]
	}
	for u := range means {
		if n.alone[u] {
			means[u] = alone
		}
	}
	return means
}
