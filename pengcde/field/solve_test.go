package field_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// solverOf returns a solver of a field whose args are its parameters and a control.
func solverOf(t testing.TB, backend *xla.Backend, f field.Field, form field.Form, config ode.Config) *ode.Solver {
	t.Helper()
	equation, _ := field.Equation(f, form)
	s, err := ode.New(backend, equation, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// formOf returns the form of the control of samples.
func formOf(t *testing.T, product equivariant.Product, samples ...field.Sample) field.Form {
	t.Helper()
	control, form, err := field.NewControl(dtypes.Float64, product, samples)
	if err != nil {
		t.Fatal(err)
	}
	xla.Free(control...)
	return form
}

// argsOf returns waves as parameters, and the control of samples.
func argsOf(t *testing.T, f field.Field, product equivariant.Product, samples ...field.Sample) []*tensors.Tensor {
	t.Helper()
	control, _, err := field.NewControl(dtypes.Float64, product, samples)
	if err != nil {
		t.Fatal(err)
	}
	var args []*tensors.Tensor
	for _, d := range f.Params() {
		args = append(args, host.Tensor(dtypes.Float64, waves(f)[d.Name].Data, d.Dims...))
	}
	return append(args, control...)
}

// For every field, each choice of memory gives the same gradient with respect to the initial state and each parameter.
// It agrees with central differences along a direction through all entries.
func TestGradientOfSolvesForEveryMemory(t *testing.T) {
	sample, z, n, p := clocked(t)
	backend := xlatest.Go(t)
	for name, f := range every(n, p) {
		t.Run(name, func(t *testing.T) {
			declared := f.Params()
			solver := solverOf(t, backend, f, formOf(t, equivariant.Sparse, sample),
				ode.Config{Method: ode.Heun, StepSize: ode.Constant{Step: 0.7}, Parameters: len(declared)})
			problem := ode.Problem{Z0: host.Tensor(dtypes.Float64, z, 1, n, len(z)/n), Times: [][]float64{{0.2, 1.3, 3.4}},
				Args: argsOf(t, f, equivariant.Sparse, sample)}
			size := int64(len(z)) * 8
			var want [][]float64
			var probe []float64
			for _, memory := range []ode.Memory{{}, {Host: true}, {Checkpoints: 1}, {Checkpoints: 2, Host: true},
				{Checkpoints: 3}, {Bytes: 2*size + 48}} {
				problem.Memory = memory
				solution, err := solver.Run(context.Background(), problem)
				if err != nil {
					t.Fatal(err)
				}
				probe = make([]float64, solution.Z.Size())
				for i := range probe {
					probe[i] = math.Sin(float64(3*i + 1))
				}
				g, err := solution.Pullback(context.Background(), host.Tensor(dtypes.Float64, probe,
					solution.Z.Shape().Dimensions...))
				if err != nil {
					t.Fatal(err)
				}
				got := [][]float64{host.Floats(g.Z0)}
				for i := range declared {
					got = append(got, host.Floats(g.Args[i]))
				}
				g.Free()
				solution.Close()
				if want == nil {
					want = got
				}
				for i := range got {
					fixture.Close(t, fmt.Sprintf("%+v: gradient %d", memory, i), got[i], want[i], 1e-12)
				}
			}
			problem.Memory, problem.Forget = ode.Memory{}, true
			along := func(what string, gradient []float64, x *tensors.Tensor, replace func(*ode.Problem, *tensors.Tensor)) {
				const h = 1e-6 // short, so that no ReLU turns on the way
				d, pulled, moves := direction(x.Size(), 1), 0.0, 0.0
				for i, v := range gradient {
					pulled += v * d[i]
				}
				for side, weight := range map[float64]float64{-1: -0.5, 1: 0.5} {
					moved := host.Floats(x)
					for i := range moved {
						moved[i] += side * h * d[i]
					}
					changed := problem
					changed.Args = slices.Clone(problem.Args)
					replace(&changed, host.Tensor(dtypes.Float64, moved, x.Shape().Dimensions...))
					solution, err := solver.Run(context.Background(), changed)
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range host.Floats(solution.Z) {
						moves += weight * probe[i] * v / h
					}
					solution.Close()
				}
				if scale := math.Max(1, math.Abs(moves)); !(math.Abs(pulled-moves) <= 1e-6*scale) {
					t.Errorf("gradient of %s: %.10g along a direction, differences %.10g", what, pulled, moves)
				}
			}
			along("z0", want[0], problem.Z0, func(p *ode.Problem, x *tensors.Tensor) { p.Z0 = x })
			for i, d := range declared {
				along(d.Name, want[1+i], problem.Args[i], func(p *ode.Problem, x *tensors.Tensor) { p.Args[i] = x })
			}
		})
	}
}

// Samples of one batch with different knots, graphs and values take the same steps to the same states as separately,
// and the gradient of the parameters is the sum of their gradients.
func TestSamplesOfGraphsAloneAndTogether(t *testing.T) {
	backend := xlatest.Go(t)
	const n, p = ringNodes, 2
	for name, f := range map[string]field.Field{"PENG, features": every(n, p)["PENG, features"],
		"Original": every(n, p)["Original"], "GNODE": every(n, p)["GNODE"]} {
		for _, product := range bothProducts {
			t.Run(fmt.Sprintf("%s, product %s", name, product), func(t *testing.T) {
				var samples []field.Sample
				var z []float64
				var times [][]float64
				for b := range 3 {
					s := oddGraph(t, n, p, [][2]int{{0, 1}, {1 + b, 4}, {5, 2 + b}, {6 - b, 6 - b}, {3, b}}, float64(b))
					samples = append(samples, s)
					z = append(z, direction(n*3, b)...)
					last := s.Knots[len(s.Knots)-1]
					times = append(times, []float64{s.Knots[0], 0.4 * last, last})
				}
				solver := solverOf(t, backend, f, formOf(t, product, samples...), ode.Config{Method: ode.Bosh3,
					Parameters: len(f.Params())})
				solve := func(z []float64, times [][]float64, samples []field.Sample) (*ode.Solution, *ode.Gradients) {
					t.Helper()
					problem := ode.Problem{Z0: host.Tensor(dtypes.Float64, z, len(samples), n, 3), Times: times,
						Args: argsOf(t, f, product, samples...)}
					for _, s := range samples {
						problem.StepTo = append(problem.StepTo, s.Changes())
					}
					solution, err := solver.Run(context.Background(), problem)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(solution.Close)
					g, err := solution.Pullback(context.Background(), host.Tensor(dtypes.Float64,
						slices.Repeat(direction(3*n*3, 1), len(samples)), len(samples), 3, n, 3))
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(g.Free)
					return solution, g
				}
				together, gradients := solve(z, times, samples)
				if together.Stats[0] == together.Stats[1] {
					t.Errorf("samples took as many steps (%+v): the test should have some that differ", together.Stats)
				}
				size, width := n*3, 3*n*3
				sums := make([][]float64, len(f.Params()))
				for b := range samples {
					alone, g := solve(z[b*size:(b+1)*size], times[b:b+1], samples[b:b+1])
					if alone.Stats[0] != together.Stats[b] {
						t.Errorf("sample %d: %+v alone, %+v in the batch", b, alone.Stats[0], together.Stats[b])
					}
					// Lists of neighbours are as wide as the batch wants, so sums are in another order, which moves
					// steps a little.
					fixture.Close(t, "steps", alone.StepTimes(0), together.StepTimes(b), 1e-8)
					fixture.Close(t, "states", host.Floats(alone.Z), host.Floats(together.Z)[b*width:(b+1)*width], 1e-8)
					fixture.Close(t, "gradient of z0", host.Floats(g.Z0), host.Floats(gradients.Z0)[b*size:(b+1)*size], 1e-7)
					for i := range sums {
						if sums[i] == nil {
							sums[i] = make([]float64, g.Args[i].Size())
						}
						for j, v := range host.Floats(g.Args[i]) {
							sums[i][j] += v
						}
					}
				}
				for i, d := range f.Params() {
					fixture.Close(t, "gradient of "+d.Name, host.Floats(gradients.Args[i]), sums[i], 1e-6)
				}
			})
		}
	}
}
