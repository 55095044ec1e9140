package bench

import (
	"context"
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// BenchmarkStepsOfHeat counts what a sample of heat on 100 nodes takes, with parameters of 40 epochs: tries with and without steps
// that end where the graph changes, and the root mean square error of all states against a tight solve, relative to the largest.
func BenchmarkStepsOfHeat(b *testing.B) {
	ctx, backend := context.Background(), xlatest.Backend(b)
	c, err := NewCase(ctx, Setting{Nodes: 100, Float64: true})
	if err != nil {
		b.Fatal(err)
	}
	samples, err := c.samples()
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []struct {
		kind  string
		field field.Field
		stops func(field.Sample) []float64
	}{
		{"gn-ode", field.GNODE{Hidden: hidden, Layers: layers}, field.Sample.Jumps},
		{"adjacency", field.Adjacency{Hidden: hidden, Layers: layers}, field.Sample.Changes},
		{"original", field.Original{Hidden: hidden, Layers: layers}, field.Sample.Changes},
		{"peng", field.PENG{Hidden: hidden, Layers: layers}, field.Sample.Changes},
	} {
		b.Run(f.kind, func(b *testing.B) {
			config, training := c.Config, c.Train
			config.Field, training.Epochs, training.AdamW.LearningRate = f.field, 40, 1e-2
			model, err := pengcde.New(backend, config)
			if err != nil {
				b.Fatal(err)
			}
			defer model.Close()
			if _, err := model.Fit(ctx, c.windows(), nil, training); err != nil {
				b.Fatal(err)
			}
			equation, params := field.Piecewise(f.field)
			var args []*tensors.Tensor
			for _, p := range params {
				values, _ := model.Parameter(p.Name)
				args = append(args, nn.Tensor(dtypes.Float64, values, p.Dims...))
			}
			control, err := field.NewControl(dtypes.Float64, equivariant.Auto, samples)
			if err != nil {
				b.Fatal(err)
			}
			weight, _ := model.Parameter("encoder.weight")
			bias, _ := model.Parameter("encoder.bias")
			solve := func(control ode.PID, tensors []*tensors.Tensor, stopped bool) (states []float64, tries int) {
				solver, err := ode.NewPiecewise(backend, equation, ode.Config{Control: control, MaxSteps: 1 << 20})
				if err != nil {
					b.Fatal(err)
				}
				defer solver.Close()
				problem := ode.Problem{Args: append(args[:len(args):len(args)], tensors...), Forget: true, Continuous: f.kind != "gn-ode"}
				var z0 []float64
				for i, s := range samples {
					problem.Times = append(problem.Times, s.Knots)
					if stopped {
						problem.StepTo = append(problem.StepTo, f.stops(s))
					}
					for _, x := range c.Series[i].Features[0] {
						for m := range weight {
							z0 = append(z0, weight[m]*x+bias[m])
						}
					}
				}
				problem.Z0 = nn.Tensor(dtypes.Float64, z0, len(samples), c.Config.Nodes, hidden)
				solution, err := solver.Run(ctx, problem)
				if err != nil {
					b.Fatal(err)
				}
				defer solution.Close()
				for _, stats := range solution.Stats {
					tries += stats.Accepted + stats.Rejected
				}
				return nn.Floats(solution.Z), tries
			}
			for b.Loop() {
				want, _ := solve(ode.PID{RTol: 1e-8, ATol: 1e-10}, control, true)
				for name, stopped := range map[string]bool{"plain": false, "stepto": true} {
					got, tries := solve(ode.PID{}, control, stopped)
					largest, sum := 0.0, 0.0
					for i := range got {
						largest, sum = math.Max(largest, math.Abs(want[i])), sum+(got[i]-want[i])*(got[i]-want[i])
					}
					b.ReportMetric(float64(tries)/float64(len(samples)), name+"-tries")
					b.ReportMetric(math.Sqrt(sum/float64(len(got)))/largest, name+"-error")
				}
			}
		})
	}
}
