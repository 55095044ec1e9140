package head

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// Present is the name of an input of every [Head.Forecast] besides the arrays of its Batch: [B, S, n, 1], 1 for nodes
// that are present at a save time, else 0. It is missing if all nodes are present. States of absent nodes are 0; a head
// that takes a sum or a mean over nodes leaves them out.
const Present = "present"

// Names of the arrays that heads with targets compare forecasts with.
const (
	Targets = "targets" // [B, S, rows, q]; 0 if missing, see [MeanRows]
	Weights = "weights" // [B, S]
	Shares  = "shares"  // [B, S, rows, q], weight of each target in the mean at its time; absent if no target is missing
)

// Params declares the parameters of the readout.
func (s Sizes) Params() []nn.Param {
	if s.Width == 0 {
		return nil
	}
	return s.layer(s.Outputs).Params()
}

// Inputs implements [Head] for heads that compare forecasts with targets.
func (s Sizes) Inputs() (seen, targets []string) {
	return nil, []string{Targets, Weights, Shares}
}

// Check implements [Head]. It accepts every window.
func (s Sizes) Check(dyngraph.Window) error { return nil }

// Traits implements [Head].
func (s Sizes) Traits() Traits { return Traits{} }

// Forecasts implements [Head]. It returns the values unchanged.
func (s Sizes) Forecasts(_ dyngraph.Window, times, values []float64) dyngraph.Forecasts {
	return dyngraph.Forecasts{Times: times, Nodes: len(values) / (len(times) * s.Outputs), Outputs: s.Outputs,
		Values: values}
}

// batch returns the arrays of targets with the given number of rows for each time.
func (s Sizes) batch(samples []Sample, saves, rows int) []Array {
	var targets, weights []float64
	for _, one := range samples {
		if one.Targets == nil {
			one.Targets = make([]float64, saves*rows*s.Outputs)
		}
		targets, weights = append(targets, one.Targets...), append(weights, weightsOf(one, saves)...)
	}
	dims := []int{len(samples), saves, rows, s.Outputs}
	shares := sharesOf(targets, len(samples)*saves)
	arrays := []Array{{Floats: targets, Dims: dims}, {Floats: weights, Dims: dims[:2]}}
	if shares != nil {
		arrays = append(arrays, Array{Floats: shares, Dims: dims})
	}
	return arrays
}

func weightsOf(s Sample, saves int) []float64 {
	if s.Weights == nil {
		return make([]float64, saves)
	}
	return s.Weights
}

// sharesOf returns the weight of each target in the mean over the observed targets at its save time; saves is the
// number of save times of all samples together. It sets missing targets to 0, with weight 0. It returns nil if nothing
// is missing.
func sharesOf(targets []float64, saves int) []float64 {
	if !slices.ContainsFunc(targets, math.IsNaN) {
		return nil
	}
	share, size := make([]float64, len(targets)), len(targets)/saves
	for from := 0; from < len(targets); from += size {
		row, observed := targets[from:from+size], 0
		for _, y := range row {
			if !math.IsNaN(y) {
				observed++
			}
		}
		for i, y := range row {
			if math.IsNaN(y) {
				row[i] = 0
			} else {
				share[from+i] = 1 / float64(observed)
			}
		}
	}
	return share
}

// Mean returns the weighted mean, over samples and save times, of the losses in each, [B, S]. For a batch of several
// seeds it returns one mean for each seed, [seeds].
func Mean(seeds nn.Seeds, each, weights *Node) *Node {
	return Div(seeds.Sum(Mul(each, weights)), seeds.Sum(weights))
}

// MeanRows returns the mean [B, S] over rows and outputs of a loss of each target, [B, S, rows, q]. Missing targets are
// stored as 0, and are left out of the mean here.
func MeanRows(each *Node, in Inputs) *Node {
	if shares := in[Shares]; shares != nil {
		return ReduceSum(Mul(shares, each), 2, 3)
	}
	return ReduceMean(each, 2, 3)
}

// squares returns the mean square [B, S] of forecasts minus targets.
func squares(y *Node, in Inputs) *Node { return MeanRows(Square(Sub(y, in[Targets])), in) }

// checkShape panics if forecasts have another shape than targets, which a loss would broadcast.
func checkShape(y *Node, in Inputs) {
	if want := in[Targets].Shape(); !y.Shape().Equal(want) {
		panic(invalid("forecasts are %s, want %s as the targets", y.Shape(), want))
	}
}

// sampled returns a sample with the targets rows at times. Times without any observed target get weight 0.
func sampled(w dyngraph.Window, times []float64, rows [][]float64) (Sample, error) {
	s := Sample{Times: times, Targets: slices.Concat(rows...), Weights: make([]float64, len(rows))}
	for k, row := range rows {
		if slices.ContainsFunc(row, known) {
			s.Weights[k] = 1
		}
	}
	if !slices.Contains(s.Weights, 1) {
		return s, invalid("window at snapshot %d of series %q has no observed target, at snapshot %d all are NaN: leave it "+
			"out", w.Start, w.Series.Name, w.Last())
	}
	return s, nil
}

func known(y float64) bool { return !math.IsNaN(y) }

// lastTime returns the last of a window's forecast times.
func lastTime(w dyngraph.Window) []float64 {
	times := w.ForecastTimes()
	return times[len(times)-1:]
}

// fits returns an error unless there are targets, one for each output. source is the field of a series that has them.
func (s Sizes) fits(w dyngraph.Window, targets [][]float64, source string) error {
	switch {
	case targets == nil:
		return invalid("window at snapshot %d of series %q has no target, want Series.%s for its snapshots; windows of "+
			"Series.Latest are only for forecasts", w.Start, w.Series.Name, source)
	case w.Series.TargetSize != s.Outputs:
		return invalid("window at snapshot %d of series %q has %d Series.%s of each, the model makes %d: set Outputs or "+
			"TargetSize", w.Start, w.Series.Name, w.Series.TargetSize, source, s.Outputs)
	}
	return nil
}
