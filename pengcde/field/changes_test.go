package field_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/fixture/observed"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// changing returns the graph of a fixture, observed at 100 irregular knots with 10 changes.
func changing(sample field.Sample, seed uint64) field.Sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	sample.Knots = []float64{0}
	for range 99 {
		sample.Knots = append(sample.Knots, 5*rng.Float64())
	}
	slices.Sort(sample.Knots)
	sample.Index = make([]int, len(sample.Knots))
	for _, change := range []int{5, 13, 22, 31, 40, 52, 61, 70, 83, 91} {
		for k := change; k < len(sample.Knots); k++ {
			sample.Index[k] = (sample.Index[k] + 1) % len(sample.Snapshots)
		}
	}
	return sample
}

// cost is the total cost of solves and the largest of their errors, relative to the largest entry.
type cost struct {
	tries, rejected int
	worst           float64
}

// changingField is the field of a fixture along paths of some kind.
type changingField struct {
	name, fixture string
	field         func(hidden, layers int) field.Field
	kind          path.Kind
}

func changingFields() []changingField {
	peng := func(hidden, layers int) field.Field { return field.PENG{Hidden: hidden, Layers: layers, Parity: true} }
	gnode := func(hidden, layers int) field.Field { return field.GNODE{Hidden: hidden, Layers: layers} }
	return []changingField{
		{"hermite", "model_peng", peng, path.Hermite}, {"ramp", "model_peng", peng, path.Ramp},
		{"linear", "model_peng", peng, path.Linear},
		{"gn-ode", "model_gnode", gnode, path.Hermite},
	}
}

// stops returns the times that a model steps to: the knots next to changes, or the knots at which the field jumps.
func (c changingField) stops(sample field.Sample) []float64 {
	if c.fixture == "model_gnode" {
		return sample.Jumps()
	}
	return sample.Changes()
}

// changes measures the cost of changes of the graph in a solve with the default tolerances, with and without steps that
// end on the knots next to changes. It solves the samples of a fixture and of a number of series of irregular knots.
// The error is taken at the end, against a tight solve of the same path.
func changes(tb testing.TB, c changingField, irregular int) (plain, stopped cost) {
	tb.Helper()
	backend := xlatest.Go(tb)
	tb.Setenv(fixture.Env, "") // the figures hold for one file
	file := fixture.Load(tb, c.fixture)
	f := c.field(file.Get("hidden").Int(), file.Get("layers").Int())
	params := file.Get("params").Params()
	loose, tight := ode.Config{StepSize: ode.PID{}}, ode.Config{StepSize: ode.PID{RTol: 1e-6, ATol: 1e-8},
		MaxSteps: 1 << 20}
	type key struct {
		config ode.Config
		form   field.Form
	}
	solvers := make(map[key]*ode.Solver)
	samples := observed.Synthetic(tb, file)
	for seed := range irregular {
		samples = append(samples, changing(samples[0], uint64(1+seed)))
	}
	z0 := file.Get("field_z").Array().Data
	solve := func(config ode.Config, sample field.Sample, stops []float64) ([]float64, ode.Stats) {
		control, form, err := field.NewControl(dtypes.Float64, equivariant.Auto, []field.Sample{sample})
		if err != nil {
			tb.Fatal(err)
		}
		s := solvers[key{config, form}]
		if s == nil {
			s = solverOf(tb, backend, f, form, config)
			solvers[key{config, form}] = s
		}
		n := sample.Pattern.Nodes
		problem := ode.Problem{Z0: host.Tensor(dtypes.Float64, z0, 1, n, len(z0)/n), Forget: true,
			Times: [][]float64{{sample.Knots[0], sample.Knots[len(sample.Knots)-1]}}}
		for _, d := range f.Params() {
			problem.Args = append(problem.Args, host.Tensor(dtypes.Float64, params[d.Name].Data, d.Dims...))
		}
		problem.Args = append(problem.Args, control...)
		if stops != nil {
			problem.StepTo = [][]float64{stops}
			problem.Continuous = c.name == "hermite" || c.name == "ramp"
		}
		solution, err := s.Run(context.Background(), problem)
		if err != nil {
			tb.Fatal(err)
		}
		defer solution.Close()
		return host.Floats(solution.Z)[len(z0):], solution.Stats[0]
	}
	for _, sample := range samples {
		sample.GraphPath = c.kind
		want, _ := solve(tight, sample, c.stops(sample))
		for sum, stops := range map[*cost][]float64{&plain: nil, &stopped: c.stops(sample)} {
			got, stats := solve(loose, sample, stops)
			sum.tries, sum.rejected = sum.tries+stats.Accepted+stats.Rejected, sum.rejected+stats.Rejected
			sum.worst = max(sum.worst, fixture.Distance(got, want)/floats.Norm(want, math.Inf(1)))
		}
	}
	return plain, stopped
}

func (c cost) String() string {
	return fmt.Sprintf("%d tries, %d rejected (%.0f%%), largest relative error %.1e", c.tries, c.rejected,
		100*float64(c.rejected)/float64(c.tries), c.worst)
}

// With steps that end next to changes fewer tries are rejected, and no change is stepped over.
func TestStepsAtChanges(t *testing.T) {
	for _, c := range changingFields() {
		plain, stopped := changes(t, c, 1)
		t.Logf("%v: plain %v; step-to times %v", c.name, plain, stopped)
		if stopped.rejected >= plain.rejected || stopped.tries >= plain.tries || stopped.worst > plain.worst/5 {
			t.Errorf("%v: plain %v; step-to times %v: want fewer rejected, fewer tries and a fifth of the error", c.name, plain,
				stopped)
		}
	}
}

// BenchmarkStepsAtChanges reports the figures in docs/correctness.md.
func BenchmarkStepsAtChanges(b *testing.B) {
	for _, c := range changingFields() {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				plain, stopped := changes(b, c, 4)
				for name, c := range map[string]cost{"plain": plain, "stepto": stopped} {
					b.ReportMetric(float64(c.tries), name+"-tries")
					b.ReportMetric(float64(c.rejected), name+"-rejected")
					b.ReportMetric(c.worst, name+"-error")
				}
			}
		})
	}
}

// Missing features change nothing except where other values fill them or a mask marks them. Changes also works for a
// sample that is otherwise refused.
func TestChangesOfMissingFeatures(t *testing.T) {
	nan := math.NaN()
	gaps := [][]float64{{1}, {nan}, {nan}, {nan}, {nan}, {3}}
	for _, c := range []struct {
		name   string
		sample field.Sample
		mask   path.Mask
		want   []float64
	}{
		{"carried forward", field.Sample{Features: gaps, FeaturePath: path.Ramp}, path.NoMask, []float64{4, 5}},
		{"by a line", field.Sample{Features: gaps}, path.NoMask, []float64{0, 1, 2, 3, 4, 5}},
		{"observed at the ends", field.Sample{Features: gaps, FeaturePath: path.Ramp}, path.Observed,
			[]float64{0, 1, 2, 4, 5}},
		{"equal at both ends", field.Sample{Features: [][]float64{{2}, {nan}, {nan}, {2}, {2}, {nan}}}, path.NoMask, nil},
		{"too few indices", field.Sample{Index: []int{0, 0}}, path.NoMask, []float64{1, 2, 3}},
		{"an index below 0", field.Sample{Index: []int{-1, 0, 0, 0, 0, 0}, Snapshots: [][]float64{{1}}}, path.NoMask,
			[]float64{0, 1, 2}},
		{"too few features", field.Sample{Features: [][]float64{{0}, {1}}}, path.NoMask, []float64{0, 1, 2}},
	} {
		c.sample.Knots = []float64{0, 1, 2, 3, 4, 5}
		if c.sample.Index == nil {
			c.sample.Index = make([]int, 6)
		}
		if c.mask != path.NoMask || len(c.sample.Features) == 6 {
			var err error
			if c.sample.Features, err = path.Fill(c.sample.FeaturePath, c.mask, c.sample.Knots, c.sample.Features,
				1); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.sample.Changes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
