package xla_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// powers builds a repetition of x <- A x / max |A x|: (go on, left, x, A) -> (go on, left, x).
func powers(in []*Node) []*Node {
	left, x, a := Sub(in[1], OnesLike(in[1])), in[2], in[3]
	x = Squeeze(DotGeneral(a, []int{1}, nil, ExpandAxes(x, -1), []int{0}, nil), -1)
	x = Div(x, BroadcastToDims(ReduceAllMax(Abs(x)), x.Shape().Dimensions...))
	return []*Node{GreaterThan(left, ZerosLike(left)), left, x}
}

// A loop gives the same as a loop in Go, whether the device or the host repeats it.
func TestLoop(t *testing.T) {
	for _, backend := range []*xla.Backend{xlatest.Backend(t), xlatest.Go(t)} {
		t.Run(backend.Name(), func(t *testing.T) {
			p, err := xla.NewLoop(backend, "powers", powers)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			a := [][]float64{{2, 1, 0}, {1, 3, 1}, {0, 1, 4}}
			for _, repetitions := range []int32{1, 2, 17} {
				want := []float64{1, -2, 3}
				for range repetitions {
					next, most := make([]float64, 3), 0.0
					for i, row := range a {
						for j, v := range row {
							next[i] += v * want[j]
						}
						most = max(most, next[i], -next[i])
					}
					for i := range next {
						want[i] = next[i] / most
					}
				}
				out, err := p.Call(true, repetitions, xla.Donate(tensors.FromValue([]float64{1, -2, 3})), a)
				if err != nil {
					t.Fatal(err)
				}
				if goOn, left := tensors.ToScalar[bool](out[0]), tensors.ToScalar[int32](out[1]); goOn || left != 0 {
					t.Errorf("%d repetitions: stopped with go on %t, %d left", repetitions, goOn, left)
				}
				for i, x := range tensors.MustCopyFlatData[float64](out[2]) {
					if d := x - want[i]; d > 1e-14 || d < -1e-14 {
						t.Errorf("%d repetitions: entry %d is %.17g, want %.17g", repetitions, i, x, want[i])
					}
				}
				xla.Free(out...)
			}
		})
	}
}

// A recorder is told of each repetition.
func TestLoopRecorded(t *testing.T) {
	for _, backend := range []*xla.Backend{xlatest.Backend(t), xlatest.Go(t)} {
		p, err := xla.NewLoop(backend, "counted", powers)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		calls := 0
		stop, err := xla.Record(xla.Recorder{Called: func(string) { calls++ }})
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Call(true, int32(100), []float64{1, 1, 1}, [][]float64{{1, 2, 0}, {3, 4, 0}, {0, 0, 1}})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		xla.Free(out...)
		if calls != 100 {
			t.Errorf("%s: %d calls for a loop of 100 repetitions", backend.Name(), calls)
		}
	}
}

// Other programs cannot have the name of a loop, by which its text is known.
func TestLoopName(t *testing.T) {
	for _, name := range []string{"loop of steps", "loop_of_steps"} {
		if _, err := xla.NewProgram(xlatest.Go(t), name, powers); err == nil || !strings.Contains(err.Error(), "loop of ") {
			t.Errorf("%q: error %v, want one about the name", name, err)
		}
	}
}

// What cannot be repeated is refused when the graph is built.
func TestLoopRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		fn   func(in []*Node) []*Node
		want string
	}{
		"no condition": {func(in []*Node) []*Node { return in[1:2] }, "want the shape of the input"},
		"not a bool": {func(in []*Node) []*Node { return []*Node{ConvertDType(in[0], dtypes.Int32)} },
			"want the shape of the input"},
		"logged":      {func(in []*Node) []*Node { in[1].SetLogged("count"); return in }, "remove SetLogged"},
		"nothing":     {func([]*Node) []*Node { return nil }, "Bool scalar"},
		"no counter":  {func(in []*Node) []*Node { return in[:1] }, "which counts"},
		"other shape": {func(in []*Node) []*Node { return []*Node{in[0], ExpandAxes(in[1], 0)} }, "output 1 is"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := xla.NewLoop(xlatest.Go(t), "refused", c.fn)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			_, err = p.Call(true, int32(3))
			var build *xla.BuildError
			if !errors.As(err, &build) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want a BuildError with %q", err, c.want)
			}
		})
	}
}
