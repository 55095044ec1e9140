package path_test

import (
	"fmt"
	"math"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// A value is observed at three times and missing at one. Half-way through the last interval the ramp is half-way up.
func Example() {
	backend, err := xla.Open(xla.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer backend.Close()
	times := []float64{0, 1, 3, 4}
	features, err := path.Fill(path.Ramp, path.NoMask, times, [][]float64{{2}, {math.NaN()}, {2}, {6}}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	knots, err := path.Knots(path.Ramp, [][]float64{times})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		x, dx := path.Locate(path.Ramp, in[2:], in[1], nil).Eval(in[0])
		return []*Node{x, dx}
	}, tensors.FromValue([][][]float64{features}), tensors.FromValue([]float64{3.5}), knots[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("X =", tensors.MustCopyFlatData[float64](out[0]), "X' =", tensors.MustCopyFlatData[float64](out[1]))
	// Output: X = [4] X' = [6]
}

// With a mask a count of observations stands beside each feature.
func ExampleFill() {
	gaps := [][]float64{{1}, {math.NaN()}, {7}, {math.NaN()}}
	features, err := path.Fill(path.Linear, path.Counted, []float64{0, 1, 2, 3}, gaps, 1)
	fmt.Println(features, err)
	_, err = path.Fill(path.Linear, path.Counted, []float64{0, 1}, [][]float64{gaps[1], gaps[3]}, 1)
	fmt.Println(strings.ReplaceAll(err.Error(), ": ", ":\n"))
	// Output:
	// [[1 1] [4 1] [7 2] [7 2]] <nil>
	// pengcde/path:
	// feature 0 of node 0:
	// never observed at 2 knots, want one value at least:
	// give it one (such as 0) or leave the feature out
}

// A rectilinear path is solved along an axis twice as long: its positions for the times at which a state is wanted.
func ExampleLengthen() {
	fmt.Println(path.Lengthen([]float64{0, 1, 3}, []float64{0, 0.5, 1, 2, 3}))
	// Output: [0 0.5 2 3 6]
}
