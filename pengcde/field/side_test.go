package field_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/xla"
)

// At a knot a field has the limit from the requested side: where the graph changes, where a line turns, and where the
// paths start to be held.
func TestSidesOfKnots(t *testing.T) {
	backend := xlatest.Go(t)
	windowed := fixture.Load(t, "pgt_peng")
	sample := observed.Windowed(t, windowed)
	n, p := sample.Pattern.Nodes, windowed.Get("p").Int()
	z := windowed.Get("field_z").Array().Data
	hidden := len(z) / n
	for _, c := range []struct {
		name  string
		field field.Field
		path  path.Kind
		jumps bool
	}{
		{"GN-ODE", field.GNODE{Hidden: hidden, Layers: 2}, path.Hermite, true},
		{"GN-ODE, one graph late", field.GNODE{Hidden: hidden, Layers: 2, Lag: true}, path.Hermite, true},
		{"PENG, straight lines", field.PENG{Hidden: hidden, Layers: 2, Features: p}, path.Linear, true},
		{"PENG, cubics", field.PENG{Hidden: hidden, Layers: 2, Features: p}, path.Hermite, false},
		{"PENG, spline", field.PENG{Hidden: hidden, Layers: 2, Features: p}, path.Natural, false},
		{"Original, ramp", field.Original{Hidden: hidden, Layers: 2, Features: p}, path.Ramp, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample
			s.GraphPath, s.FeaturePath, s.Hold = c.path, c.path, true
			control, form, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{s})
			if err != nil {
				t.Fatal(err)
			}
			equation, params := field.Piecewise(c.field, form)
			program, err := xla.NewProgram(backend, "side", func(in []*Node) []*Node {
				return []*Node{equation(in[0], in[1],
					in[2], in[3:])}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer program.Close()
			slope := func(time, side float64) []float64 {
				inputs := []any{[]float64{time}, []float64{side}, host.Tensor(dtypes.Float64, z, 1, n, hidden)}
				for _, tensor := range nn.Draw(params, dtypes.Float64, 5) {
					inputs = append(inputs, tensor)
				}
				for _, tensor := range control {
					inputs = append(inputs, tensor)
				}
				out, err := program.Call(inputs...)
				if err != nil {
					t.Fatal(err)
				}
				defer xla.Free(out...)
				return host.Floats(out[0])
			}
			const near = 1e-8
			jumped := false
			for k, knot := range s.Knots[1:] {
				left, right := slope(knot, -1e-16), slope(knot, 1e-16)
				fixture.Close(t, "from the left", left, slope(knot-near, 0), 1e-5)
				fixture.Close(t, "from the right", right, slope(knot+near, 0), 1e-5)
				if last := k == len(s.Knots)-2; !last {
					jumped = jumped || !slices.EqualFunc(left, right, func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 })
				}
			}
			if jumped != c.jumps {
				t.Errorf("the field jumps at knots: %t, want %t", jumped, c.jumps)
			}
		})
	}
}
