package head

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Corrected is [Nodes] with a linear autoregression added, which the readout of the states corrects: see [Linear].
type Corrected struct {
	Nodes  `json:"Nodes"`
	Linear Linear `json:"Linear"`
}

// linearName is the name of the coefficients in files, [outputs, 2·Values+1].
const linearName = "linear"

// Names of the arrays of a linear part.
const (
	regressorsInput = "regressors" // [B, n, width]
	priorInput      = "prior"      // [q, width]
	penaltyInput    = "penalty"    // []
)

// Sized implements [Head].
func (h Corrected) Sized(s Sizes) (Head, error) {
	if _, err := h.Nodes.Sized(s); err != nil {
		return nil, err
	}
	h.Sizes = s
	if s.Width == 0 || h.At == AtEach {
		return nil, invalid("a linear part with a Network or forecasts at each snapshot: it forecasts nodes at the " +
			"end of a window")
	}
	linear, err := h.Linear.check(s.Outputs)
	if err != nil {
		return nil, err
	}
	h.Linear = *linear
	return h, s.noParity("a linear part")
}

// Params declares the parameters of a readout whose last layer starts at zero, and the coefficients of the linear part.
func (h Corrected) Params() []nn.Param {
	return append(fromZero(h.Nodes.Params()), nn.Param{Name: linearName, Dims: []int{h.Outputs, h.Linear.width()},
		Init: nn.Fill(0)})
}

// Inputs implements [Head].
func (h Corrected) Inputs() (seen, targets []string) {
	_, targets = h.Nodes.Inputs()
	return []string{regressorsInput}, append([]string{priorInput, penaltyInput}, targets...)
}

// Forecast implements [Head].
func (h Corrected) Forecast(v nn.Values, z *Node, in Inputs) *Node {
	y := h.read(v, z)
	linear := v.Product(in[regressorsInput], v.Get(linearName), 1)
	return Add(Sub(y, meanOver(in[Present], y)), ExpandAxes(linear, 1))
}

// meanOver returns the mean of y [B, S, n, q] over the nodes that are present, all if present is nil: [B, S, 1, q].
func meanOver(present, y *Node) *Node {
	if present == nil {
		return ReduceAndKeep(y, ReduceMean, 2)
	}
	count := ReduceAndKeep(present, ReduceSum, 2)
	return Div(ReduceAndKeep(Mul(y, present), ReduceSum, 2), Max(count, OnesLike(count)))
}

// Loss implements [Head]. The penalty pulls the coefficients, [q, width] or [S, q, width] for several seeds, to the
// prior.
func (h Corrected) Loss(v nn.Values, y *Node, in Inputs) (loss, penalty *Node) {
	loss, _ = h.Nodes.Loss(v, y, in)
	b, prior := v.Get(linearName), in[priorInput]
	apart := ReduceAllSum(Square(Sub(b, ExpandLeftToRank(prior, b.Rank()))))
	return loss, Mul(in[penaltyInput], DivScalar(apart, float64(prior.Shape().Dim(0))))
}

// Sample implements [Head].
func (h Corrected) Sample(w dyngraph.Window, training bool) (Sample, error) {
	regressors, err := h.Linear.regressors(w)
	if err != nil {
		return Sample{}, err
	}
	s, err := h.Nodes.Sample(w, training)
	s.Regressors = regressors
	return s, err
}

// Batch implements [Head].
func (h Corrected) Batch(samples []Sample, saves int) (seen, targets []Array, err error) {
	_, targets, err = h.Nodes.Batch(samples, saves)
	var regressors []float64
	for _, s := range samples {
		regressors = append(regressors, s.Regressors...)
	}
	width := h.Linear.width()
	prior := make([]float64, h.Outputs*width)
	copy(prior, h.Linear.Prior)
	return []Array{{Floats: regressors, Dims: []int{len(samples), h.Sizes.Nodes, width}}},
		append([]Array{{Floats: prior, Dims: []int{h.Outputs, width}}, {Floats: []float64{h.Linear.Penalty}}},
			targets...), err
}

// Start returns the coefficients that [Linear.Solve] fits to the training windows.
func (h Corrected) Start(training []dyngraph.Window, check func(dyngraph.Window) error) (map[string][]float64,
	error) {
	for _, w := range training {
		if err := check(w); err != nil {
			return nil, err
		}
	}
	b, err := h.Linear.solve(training, h.Outputs, func(w dyngraph.Window) []float64 {
		y := slices.Clone(w.Target())
		if h.Residual && len(y) == h.Sizes.Nodes*h.Outputs {
			floats.Sub(y, recent(w))
		}
		return y
	})
	if err != nil {
		return nil, err
	}
	return map[string][]float64{linearName: b}, nil
}
