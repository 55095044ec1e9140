package field_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// In the middle of an interval a linear path and a ramp have the same value, and derivatives 1 and 3/2 of the slope. So
// the field at a ramp equals the field at a linear path of observations spread by that factor around the same middle.
func TestPathOfASample(t *testing.T) {
	backend := xlatest.Go(t)
	f := fixture.Load(t, "pgt_peng")
	sample := observed.Windowed(t, f)
	sample.Index = nil
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: f.Get("layers").Int(), Features: f.Get("p").Int()}
	z, params := f.Get("field_z").Array().Data, f.Get("params").Params()
	middle := []float64{0.5 * (sample.Knots[1] + sample.Knots[2])}
	at := func(graph, features path.Kind, s field.Sample) []float64 {
		s.GraphPath, s.FeaturePath = graph, features
		return evaluate(t, backend, peng, params, s, equivariant.Auto, middle, z, false)[0]
	}
	apart := func(rows [][]float64) [][]float64 {
		out := slices.Clone(rows)
		out[1], out[2] = slices.Clone(rows[1]), slices.Clone(rows[2])
		for i := range rows[1] {
			mean, half := (rows[1][i]+rows[2][i])/2, (rows[2][i]-rows[1][i])/2
			out[1][i], out[2][i] = mean-1.5*half, mean+1.5*half
		}
		return out
	}
	graphs, features := sample, sample
	graphs.Snapshots, features.Features = apart(sample.Snapshots), apart(sample.Features)
	fixture.Close(t, "ramp of graphs", at(path.Ramp, path.Linear, sample), at(path.Linear, path.Linear, graphs), 1e-11)
	fixture.Close(t, "ramp of features", at(path.Linear, path.Ramp, sample), at(path.Linear, path.Linear, features), 1e-11)

	// A rectilinear path stays, then moves: a quarter and three quarters into the part of the interval 1.
	h := sample.Knots[2] - sample.Knots[1]
	start := path.Lengthen(sample.Knots, sample.Knots[1:2])[0]
	still := sample
	still.Snapshots, still.Features = slices.Repeat(sample.Snapshots[1:2], len(sample.Knots)),
		slices.Repeat(sample.Features[1:2], len(sample.Knots))
	timeless := sample // its time channel all but stands still
	for _, t := range sample.Knots {
		timeless.Clock = append(timeless.Clock, 1e-14*t)
	}
	want, moves := at(path.Linear, path.Linear, still), at(path.Linear, path.Linear, timeless)
	middle = []float64{start + 0.5*h}
	fixture.Close(t, "rectilinear while time moves", at(path.Rectilinear, path.Rectilinear, sample), want, 1e-12)
	middle = []float64{start + 1.5*h}
	fixture.Close(t, "rectilinear while the value moves", at(path.Rectilinear, path.Rectilinear, sample), moves, 1e-10)

	// On two knots a spline is a line.
	short := sample
	short.Knots, short.Snapshots, short.Features = sample.Knots[:2], sample.Snapshots[:2], sample.Features[:2]
	middle = []float64{0.3*sample.Knots[0] + 0.7*sample.Knots[1]}
	fixture.Close(t, "spline on two knots", at(path.Hermite, path.Natural, short), at(path.Linear, path.Linear, short),
		1e-12)
	fixture.Close(t, "spline of graphs", at(path.Natural, path.Ramp, short), at(path.Linear, path.Ramp, short), 1e-12)
}

// Held rectilinear paths stay constant from the end of their longer axis on.
func TestHoldRectilinear(t *testing.T) {
	backend := xlatest.Go(t)
	f := fixture.Load(t, "pgt_peng")
	sample := observed.Windowed(t, f)
	sample.GraphPath, sample.FeaturePath, sample.Hold = path.Rectilinear, path.Rectilinear, true
	last := len(sample.Knots) - 1
	constant := sample
	constant.GraphPath, constant.FeaturePath = path.Linear, path.Linear
	constant.Snapshots, constant.Features = slices.Repeat(sample.Snapshots[last:], last+1),
		slices.Repeat(sample.Features[last:], last+1)
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: f.Get("layers").Int(), Features: f.Get("p").Int()}
	z, params := f.Get("field_z").Array().Data, f.Get("params").Params()
	end := path.Lengthen(sample.Knots, sample.Knots[last:])[0]
	held := evaluate(t, backend, peng, params, sample, equivariant.Auto, []float64{end + 0.7}, z, false)
	want := evaluate(t, backend, peng, params, constant, equivariant.Auto, []float64{sample.Knots[last] - 0.1}, z, false)
	fixture.Close(t, "held", held[0], want[0], 1e-13)
	moving := evaluate(t, backend, peng, params, sample, equivariant.Auto, []float64{end - 0.1}, z, false)
	if slices.Equal(moving[0], want[0]) {
		t.Error("the path is held before its end")
	}
}

// Filled values and mask channels are features like others; missing ones are refused by name.
func TestMissingFeatures(t *testing.T) {
	backend := xlatest.Go(t)
	f := fixture.Load(t, "pgt_peng")
	sample := observed.Windowed(t, f)
	p := f.Get("p").Int()
	gaps := slices.Clone(sample.Features)
	gaps[1] = slices.Clone(gaps[1])
	gaps[1][p] = math.NaN()
	whole := sample
	var err error
	if whole.Features, err = path.Fill(path.Hermite, path.Counted, sample.Knots, gaps, sample.Pattern.Nodes); err != nil {
		t.Fatal(err)
	}
	peng := field.PENG{Hidden: f.Get("hidden").Int(), Layers: 1, Features: path.Counted.Width(p)}
	params := make(map[string]fixture.Array)
	for i, d := range peng.Params() {
		a := fixture.Array{Dims: d.Dims, Data: make([]float64, d.Size())}
		for j := range a.Data {
			a.Data[j] = math.Sin(float64(i + 3*j + 1))
		}
		params[d.Name] = a
	}
	z := f.Get("field_z").Array().Data
	if dz := evaluate(t, backend, peng, params, whole, equivariant.Auto, []float64{0.8}, z,
		false)[0]; slices.ContainsFunc(dz, math.IsNaN) {
		t.Errorf("with filled values dz/dt is %v", dz)
	}
	missing := sample
	missing.Features = gaps
	_, _, err = field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{missing})
	if !errors.Is(err, field.ErrInput) || !errors.Is(err, path.ErrValues) || !strings.Contains(err.Error(), "sample 0") ||
		!strings.Contains(err.Error(), "feature 0 of node 1") || !strings.Contains(err.Error(), "path.Fill") {
		t.Errorf("a missing feature: %v, want ErrValues that names it and path.Fill", err)
	}
	if _, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{whole, sample}); !errors.Is(err,
		field.ErrInput) {
		t.Errorf("samples of which one has a mask's channels: %v, want field.ErrInput", err)
	}
	whole.GraphPath, whole.FeaturePath = path.Hermite, path.Hermite
	unset := whole
	unset.GraphPath, unset.FeaturePath = "", ""
	_, form, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{whole, unset})
	if err != nil {
		t.Fatal(err)
	}
	if _, other, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{unset, whole}); other != form {
		t.Errorf("paths left out make the form %+v (%v), Hermite ones %+v", other, err, form)
	}
	for name, change := range map[string]func(*field.Sample){
		"unknown kind":       func(s *field.Sample) { s.GraphPath = "cubic" },
		"half a rectilinear": func(s *field.Sample) { s.GraphPath = path.Rectilinear },
	} {
		s := whole
		change(&s)
		if _, _, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{s}); !errors.Is(err,
			field.ErrInput) {
			t.Errorf("%s: %v, want field.ErrInput", name, err)
		}
	}
}
