package field_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/xla"
)

// evaluate returns the field at z [n*hidden] and several times for one sample, time after time. With gradient it
// appends the gradient of a fixed combination of its entries with respect to the parameters.
func evaluate(t *testing.T, backend *xla.Backend, f field.Field, params map[string]fixture.Array, s field.Sample,
	product equivariant.Product, times, z []float64, gradient bool) [][]float64 {
	t.Helper()
	batch := len(times)
	control, form, err := field.NewControl(dtypes.Float64, product, slices.Repeat([]field.Sample{s}, batch))
	if err != nil {
		t.Fatal(err)
	}
	n := s.Pattern.Nodes
	inputs := []any{
		tensors.FromFlatDataAndDimensions(slices.Clone(times), batch),
		tensors.FromFlatDataAndDimensions(slices.Repeat(z, batch), batch, n, len(z)/n),
	}
	equation, declared := field.Equation(f, form)
	for _, p := range declared {
		array, ok := params[p.Name]
		if !ok {
			t.Fatalf("no values for parameter %q", p.Name)
		}
		inputs = append(inputs, host.Tensor(dtypes.Float64, array.Data, p.Dims...))
	}
	for _, c := range control {
		inputs = append(inputs, c)
	}
	out, err := CallOnceN(backend.Compute, func(in []*Node) []*Node {
		args := in[2:]
		dz := equation(in[0], in[1], args)
		out := []*Node{dz}
		if gradient {
			probe := Sin(ConvertDType(IotaFull(dz.Graph(), dz.Shape()), dz.DType()))
			out = append(out, Gradient(ReduceAllSum(Mul(probe, dz)), args[:len(declared)]...)...)
		}
		return out
	}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(out))
	for i, x := range out {
		values[i] = tensors.MustCopyFlatData[float64](x)
	}
	return values
}

// closeEach compares each time on its own scale: want is [times, n, hidden].
func closeEach(t *testing.T, got []float64, want fixture.Array, tolerance float64) {
	t.Helper()
	size := want.Size() / want.Dims[0]
	for i := range want.Dims[0] {
		fixture.Close(t, fmt.Sprintf("field at time %d", i), got[i*size:(i+1)*size], want.Row(i).Data, tolerance)
	}
}

func TestFixtureModelPengField(t *testing.T) {
	f := fixture.Load(t, "model_peng")
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: f.Get("layers").Int(), Parity: true}
	sample := observed.Synthetic(t, f)[0]
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		got := evaluate(t, xlatest.Backend(t), peng, f.Get("params").Params(), sample, product, f.Get("field_t").Array().Data,
			f.Get("field_z").Array().Data, false)
		closeEach(t, got[0], f.Get("field_f").Array(), 1e-12)
	}
}

func TestFixtureModelConstField(t *testing.T) {
	f := fixture.Load(t, "model_const")
	constant := field.Constant{Hidden: f.Get("hidden").Int()}
	sample := observed.Synthetic(t, f)[0]
	got := evaluate(t, xlatest.Backend(t), constant, f.Get("params").Params(), sample, equivariant.Auto,
		f.Get("field_t").Array().Data, f.Get("field_z").Array().Data, false)
	closeEach(t, got[0], f.Get("field_f").Array(), 1e-15)
}

func TestFixturePGTPengField(t *testing.T) {
	f := fixture.Load(t, "pgt_peng")
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: f.Get("layers").Int(), Features: f.Get("p").Int(),
		Parity: true}
	sample := observed.Windowed(t, f)
	for _, product := range []equivariant.Product{equivariant.Dense, equivariant.Sparse} {
		got := evaluate(t, xlatest.Backend(t), peng, f.Get("params").Params(), sample, product, f.Get("field_t").Array().Data,
			f.Get("field_z").Array().Data, false)
		closeEach(t, got[0], f.Get("field_dz").Array(), 1e-12)
	}
}

// A held control stays at its last value, with derivative 0.
func TestHold(t *testing.T) {
	f := fixture.Load(t, "pgt_peng")
	sample := observed.Windowed(t, f)
	sample.Hold = true
	constant := sample
	last := len(sample.Knots) - 1
	constant.Snapshots, constant.Features = nil, nil
	for range sample.Knots {
		constant.Snapshots = append(constant.Snapshots, sample.Snapshots[last])
		constant.Features = append(constant.Features, sample.Features[last])
	}
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: f.Get("layers").Int(), Features: f.Get("p").Int()}
	z, params := f.Get("field_z").Array().Data, f.Get("params").Params()
	held := evaluate(t, xlatest.Backend(t), peng, params, sample, equivariant.Auto, []float64{sample.Knots[last] + 0.7}, z,
		false)
	want := evaluate(t, xlatest.Backend(t), peng, params, constant, equivariant.Auto, []float64{sample.Knots[last] - 0.1},
		z, false)
	fixture.Close(t, "held", held[0], want[0], 1e-13)
}

func TestControlErrors(t *testing.T) {
	pattern, _, err := dyngraph.NewPattern(2, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	good := field.Sample{Knots: []float64{0, 1}, Pattern: pattern, Snapshots: [][]float64{{1}, {2}}}
	with := func(change func(*field.Sample)) field.Sample {
		s := good
		change(&s)
		return s
	}
	for name, s := range map[string]field.Sample{
		"knots decrease":     with(func(s *field.Sample) { s.Knots = []float64{1, 0} }),
		"a snapshot short":   with(func(s *field.Sample) { s.Snapshots = s.Snapshots[:1] }),
		"weights of another": with(func(s *field.Sample) { s.Snapshots = [][]float64{{1, 2}, {3, 4}} }),
		"no such snapshot":   with(func(s *field.Sample) { s.Index = []int{0, 2} }),
		"features short":     with(func(s *field.Sample) { s.Features = [][]float64{{1, 2}} }),
		"features of 3/2":    with(func(s *field.Sample) { s.Features = [][]float64{{1, 2, 3}, {1, 2, 3}} }),
		"no graph":           with(func(s *field.Sample) { s.Pattern = nil }),
	} {
		if _, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{s}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	other := with(func(s *field.Sample) { s.Knots = []float64{0, 1, 2}; s.Index = []int{0, 0, 1} })
	if _, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{good, other}); !errors.Is(err,
		dyngraph.ErrInvalid) {
		t.Errorf("samples of different length: %v, want ErrInvalid", err)
	}
	larger, _, err := dyngraph.NewPattern(3, []int{0}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	other = with(func(s *field.Sample) { s.Pattern = larger })
	if _, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{good, other}); !errors.Is(err,
		dyngraph.ErrInvalid) {
		t.Errorf("samples of different numbers of nodes: %v, want ErrInvalid", err)
	}
}
