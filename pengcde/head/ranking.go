package head

import (
	"errors"
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/softmax"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Ranking forecasts the affinity of each node to each of a number of classes, the model's outputs, at a window's last
// snapshot. It computes logits for ranking from the states at the last input. The loss is their cross-entropy with
// Series.Affinities at that snapshot, -Σ_v a_v log softmax(y)_v, averaged over the nodes that have a row.
type Ranking struct {
	Sizes `json:"-"`
	// Pairs computes the logit of node u for class v from the states of both, readout(z_u)·z_v / sqrt(Width), where the
	// classes are the first nodes. Without Pairs every class has its own weights, as published.
	Pairs bool `json:"Pairs,omitempty"`
	// Residual adds the logits to prior ones at the last input (Series.Prior), and up to [PriorTerms] terms with
	// coefficients. The readout's last layer starts at zero, and the coefficients start where they fit the training
	// windows best.
	Residual bool `json:"Residual,omitempty"`
}

// PriorTerms is the largest number of terms of an entry of Series.Prior.
const PriorTerms = 3

// priorName is the parameter p [PriorTerms] of a residual readout, which adds x_0 + p·(x_1, ...) for prior values x.
// Its text is part of model files.
const priorName = "known"

// Names of the arrays of a ranking. Indices are into the logits [B, R, C] of R nodes, flattened over the batch.
const (
	askedInput        = "asked"         // [B, R] nodes whose logits are computed, b·n+u for node u of sample b
	priorIndicesInput = "prior indices" // [B, H], where the readout is residual
	priorLogitsInput  = "prior logits"  // [B, H, 1+PriorTerms]
	entriesInput      = "entries"       // [B, E] indices of the affinities in the loss
	valuesInput       = "values"        // [B, E], divided by the number of rows; 0 for padding
	totalsInput       = "totals"        // [B, R], the sums of rows, divided by their number
)

// Sized implements [Head].
func (h Ranking) Sized(s Sizes) (Head, error) {
	h.Sizes = s
	switch {
	case s.Width == 0:
		return nil, invalid("a ranking with a Network, which makes no logits of nodes: choose one")
	case h.Pairs && s.Outputs > s.Nodes:
		return nil, invalid("a ranking with Pairs has %d classes for %d nodes, want no more classes than nodes", s.Outputs,
			s.Nodes)
	}
	return h, s.noParity("a ranking")
}

func (h Ranking) readout() nn.Layer {
	if h.Pairs {
		return h.layer(h.Width)
	}
	return h.layer(h.Outputs)
}

// Params declares the parameters of the readout. A residual readout starts with only the prior logits.
func (h Ranking) Params() []nn.Param {
	params := h.readout().Params()
	if h.Residual {
		params = append(fromZero(params), nn.Param{Name: priorName, Dims: []int{PriorTerms}, Init: nn.Fill(0)})
	}
	return params
}

// Inputs implements [Head].
func (h Ranking) Inputs() (seen, targets []string) {
	seen = []string{askedInput}
	if h.Residual {
		seen = append(seen, priorIndicesInput, priorLogitsInput)
	}
	return seen, []string{Weights, entriesInput, valuesInput, totalsInput}
}

// Forecast builds the logits [B, R, C] of the nodes in the array "asked" from the states at the last save time.
func (h Ranking) Forecast(v nn.Values, z *Node, in Inputs) *Node {
	asked := in[askedInput]
	z = h.last(Squeeze(SliceAxis(z, 1, AxisElem(-1)), 1)) // [B, n, width]
	batch, rows := asked.Shape().Dim(0), asked.Shape().Dim(1)
	y := h.readout().Apply(v, Gather(Reshape(z, -1, h.Width), ExpandAxes(asked, -1))) // [B, R, classes or width]
	if h.Pairs {
		of := SliceAxis(z, 1, AxisRange(0, h.Outputs)) // [B, C, width]
		y = DivScalar(DotGeneral(y, []int{2}, []int{0}, of, []int{2}, []int{0}), math.Sqrt(float64(h.Width)))
	}
	if !h.Residual {
		return y
	}
	indices, values := in[priorIndicesInput], in[priorLogitsInput]
	begin, terms := Squeeze(SliceAxis(values, 2, AxisElem(0)), 2), SliceAxis(values, 2, AxisRange(1))
	added := Add(begin, DotGeneral(terms, []int{2}, nil, v.Get(priorName), []int{0}, nil)) // [B, H]
	flat := Scatter(Reshape(indices, -1, 1), Reshape(added, -1, 1), shapes.Make(y.DType(), batch*rows*h.Outputs, 1), false,
		false)
	return Add(y, Reshape(flat, batch, rows, h.Outputs))
}

// Loss implements [Head]: the mean over samples, weighted by the weight of the last save time, of each sample's mean
// over rows of -Σ_v a_v log softmax(y)_v.
func (h Ranking) Loss(_ nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	indices := in[entriesInput]
	flat := Reshape(y, -1, 1)
	hit := Reshape(Gather(flat, Reshape(indices, -1, 1)), indices.Shape().Dimensions...)
	largest := StopGradient(ReduceAndKeep(y, ReduceMax, 2))
	normal := Add(Log(ReduceSum(Exp(Sub(y, largest)), 2)), Squeeze(largest, 2)) // [B, R]
	each := Sub(ReduceSum(Mul(in[totalsInput], normal), 1), ReduceSum(Mul(in[valuesInput], hit), 1))
	last := Squeeze(SliceAxis(in[Weights], 1, AxisElem(-1)), 1)
	return Div(ReduceAllSum(Mul(each, last)), ReduceAllSum(last)), nil
}

// Check implements [Head].
func (h Ranking) Check(w dyngraph.Window) error {
	switch s := w.Series; {
	case w.Whole || s.Affinities == nil || s.Classes != h.Outputs:
		return invalid("a ranking of %d classes, and series %q has affinities at %d snapshots to %d classes (whole: %v): "+
			"want windows of a series with Affinities to as many classes", h.Outputs, s.Name, len(s.Affinities), s.Classes, w.Whole)
	case h.Residual && s.Prior == nil:
		return invalid("the model is Residual, and series %q has no prior logits: want Series.Prior", s.Name)
	case h.Residual && priorAt(w) != nil && priorAt(w).Terms > PriorTerms:
		return invalid("series %q has prior logits with %d terms, want at most %d", s.Name, priorAt(w).Terms, PriorTerms)
	}
	return nil
}

// Sample implements [Head].
func (h Ranking) Sample(w dyngraph.Window, training bool) (Sample, error) {
	s := Sample{Times: lastTime(w)}
	if h.Residual {
		s.Prior = priorAt(w)
	}
	if !training {
		return s, nil
	}
	s.Weights = []float64{1}
	if s.Affinities = w.Affinities(); s.Affinities.Rows() == 0 {
		return s, invalid("window at snapshot %d of series %q has no affinities at snapshot %d: leave it out", w.Start,
			w.Series.Name, w.Last())
	}
	return s, nil
}

// priorAt returns the prior logits at a window's last input.
func priorAt(w dyngraph.Window) *dyngraph.Affinities { return w.Series.Prior[w.Start+w.Inputs()-1] }

// Traits implements [Head].
func (h Ranking) Traits() Traits { return Traits{LastInput: true, Whole: true} }

// Start returns the coefficients of a residual readout. They minimise the mean cross-entropy of the training windows'
// rows, each divided by its sum, plus penalty/2 times the square of the coefficients.
func (h Ranking) Start(training []dyngraph.Window, check func(dyngraph.Window) error) (map[string][]float64, error) {
	if !h.Residual {
		return nil, nil
	}
	const penalty = 1e-4
	b, err := softmax.Fit(PriorTerms, penalty, func(s *softmax.Sums) error {
		for _, w := range training {
			if err := check(w); err != nil {
				return err
			}
			addPrior(s, w)
		}
		return nil
	})
	if errors.Is(err, softmax.ErrNoRows) { // no node has prior logits
		return nil, nil
	}
	if errors.Is(err, ErrInput) {
		return nil, err
	}
	if err != nil {
		return nil, invalid("prior logits (Series.Prior): %v", err)
	}
	return map[string][]float64{priorName: b}, nil
}
