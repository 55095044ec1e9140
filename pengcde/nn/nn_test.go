package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

func TestDraw(t *testing.T) {
	params := append(Linear{Name: "l", In: 4, Out: 50}.Params(), RMSNorm{Name: "n", Size: 3}.Params()...)
	drawn, again, other := Draw(params, dtypes.Float64, 7), Draw(params, dtypes.Float64, 7),
		Draw(params, dtypes.Float64, 8)
	weight := host.Floats(drawn[0])
	if !slices.Equal(weight, host.Floats(again[0])) || slices.Equal(weight, host.Floats(other[0])) {
		t.Error("parameters must depend on the seed and on nothing else")
	}
	if low, high := slices.Min(weight), slices.Max(weight); low < -0.5 || high > 0.5 || low > -0.4 || high < 0.4 {
		t.Errorf("weights lie in [%.3f, %.3f], want them to fill ±1/sqrt(4)", low, high)
	}
	if gain, shift := host.Floats(drawn[2]), host.Floats(drawn[3]); !slices.Equal(gain, []float64{1, 1, 1}) ||
		!slices.Equal(shift, []float64{0, 0, 0}) {
		t.Errorf("norm starts with gain %v and shift %v, want 1 and 0", gain, shift)
	}
	if got := Count(params); got != 4*50+50+3+3 {
		t.Errorf("%d parameters", got)
	}
}

func TestNormal(t *testing.T) {
	const count = 10000
	x := host.Floats(Draw([]Param{{Name: "x", Dims: []int{count}, Init: Normal(2)}}, dtypes.Float64, 5)[0])
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / count
		square += v * v / count
	}
	// Four standard errors of both: 2/sqrt(count) and 4 sqrt(2/count).
	if !(math.Abs(mean) <= 0.08) || !(math.Abs(square-4) <= 0.23) {
		t.Errorf("mean %g and mean square %g, want 0 and 4", mean, square)
	}
}

func TestReLUHasNoSlopeAtZero(t *testing.T) {
	out, err := CallOnceN(xlatest.Backend(t).Compute, func(x *Node) []*Node {
		y := ReLU(x)
		return append([]*Node{y}, Gradient(ReduceAllSum(y), x)...)
	}, tensors.FromValue([]float64{-1, 0, 2}))
	if err != nil {
		t.Fatal(err)
	}
	if y, slope := host.Floats(out[0]), host.Floats(out[1]); !slices.Equal(y, []float64{0, 0, 2}) ||
		!slices.Equal(slope, []float64{0, 0, 1}) {
		t.Errorf("ReLU %v with slopes %v", y, slope)
	}
}

func TestRMSNorm(t *testing.T) {
	norm := RMSNorm{Name: "n", Size: 2}
	out, err := CallOnce(xlatest.Backend(t).Compute, func(x, gain, shift *Node) *Node {
		return norm.Apply(Bind(norm.Params(), []*Node{gain, shift}), x)
	}, tensors.FromValue([][]float64{{3, 4}, {0, 0}}), tensors.FromValue([]float64{1, 2}),
		tensors.FromValue([]float64{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt(12.5 + 1e-5)
	for i, want := range []float64{3 / root, 1 + 8/root, 0, 1} {
		if got := host.Floats(out)[i]; !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("entry %d: %.16g, want %.16g", i, got, want)
		}
	}
}

// Counts that overflow say so, and nothing beyond the bounds is drawn.
func TestBounds(t *testing.T) {
	huge := Param{Name: "huge", Dims: []int{1 << 40, 1 << 40}, Init: Fill(0)}
	if huge.Size() != math.MaxInt || Count([]Param{huge, huge}) != math.MaxInt {
		t.Errorf("sizes %d and %d, want the largest int", huge.Size(), Count([]Param{huge, huge}))
	}
	for _, params := range [][]Param{{huge}, {{Name: "a", Dims: []int{1}, Init: Fill(0)},
		{Name: "b", Dims: []int{MaxParameters}, Init: Fill(0)}}} {
		if err := Check(params); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), params[len(params)-1].Name) {
			t.Errorf("%v, want ErrInput with the largest", err)
		}
	}
	if err := Check([]Param{{Name: "x", Dims: []int{MaxParameters}, Init: Fill(0)}}); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	for name, f := range map[string]func(){
		"Draw":            func() { Draw([]Param{huge}, dtypes.Float32, 1) },
		"MLP":             func() { MLP{In: 1, Out: 1, Width: 1, Depth: 1 << 40}.Params() },
		"MLP of depth -1": func() { MLP{In: 1, Out: 1, Width: 1, Depth: -1}.Params() },
	} {
		if err := panics.Catch(f); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want a panic with ErrInput", name, err)
		}
	}
}

func TestBindNamesWhatIsMissing(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a parameter that is not bound was found")
		}
	}()
	Values{}.Get("field.bias")
}
