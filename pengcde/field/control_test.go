package field_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/fixture"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// direction has no entry that is 0.
func direction(n, turn int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = math.Cos(float64(1+turn) * (1.1 + 0.7*float64(i)))
	}
	return d
}

// The gradient of a solve with respect to the values of the control agrees with central differences, along directions
// through all entries of the rows of snapshots and of the node features, and of one edge's weight, in both products,
// and of an undirected edge's weight where the graph is undirected.
func TestGradientOfControlValues(t *testing.T) {
	directed, z, n, p := clocked(t)
	directed.Clock = nil
	symmetric := undirected(t, directed)
	backend := xlatest.Go(t)
	times := [][]float64{{0.2, 1.3, 3.4}}
	for _, c := range []struct {
		name   string
		sample field.Sample
	}{
		{"PENG, features", directed}, {"Original, features", directed}, {"Adjacency, features", directed},
		{"PreMult, features", directed}, {"GNODE", directed},
		{"PENG, features", symmetric}, {"Original", symmetric},
	} {
		f, drives, sample := every(n, p)[c.name], strings.HasSuffix(c.name, "features"), c.sample
		for _, product := range bothProducts {
			t.Run(fmt.Sprintf("%s, product %s, %d edges", c.name, product, sample.Pattern.Edges()), func(t *testing.T) {
				control, form, err := field.NewControl(dtypes.Float64, product, []field.Sample{sample})
				if err != nil {
					t.Fatal(err)
				}
				equation, declared := field.Equation(f, form)
				solver, err := ode.New(backend, equation, ode.Config{StepSize: ode.Constant{Step: 0.8}})
				if err != nil {
					t.Fatal(err)
				}
				defer solver.Close()
				var args []*tensors.Tensor
				for _, d := range declared {
					args = append(args, host.Tensor(dtypes.Float64, waves(f)[d.Name].Data, d.Dims...))
				}
				args = append(args, control...)
				problem := ode.Problem{Z0: host.Tensor(dtypes.Float64, z, 1, n, len(z)/n), Times: times, Args: args,
					Memory: ode.Memory{Checkpoints: 2}}
				solution, err := solver.Run(context.Background(), problem)
				if err != nil {
					t.Fatal(err)
				}
				defer solution.Close()
				probe := make([]float64, solution.Z.Size())
				for i := range probe {
					probe[i] = math.Sin(float64(3*i + 1))
				}
				g, err := solution.Pullback(context.Background(), host.Tensor(dtypes.Float64, probe,
					solution.Z.Shape().Dimensions...))
				if err != nil {
					t.Fatal(err)
				}
				defer g.Free()
				const rows, features = 3, 4 // indices in a control without a clock
				got, want := map[string][]float64{}, map[string][]float64{}
				along := func(what string, arg int, direction []float64) {
					var pulled, moves float64
					for j, v := range host.Floats(g.Args[arg]) {
						pulled += v * direction[j]
					}
					for side, weight := range fivePoint {
						const h = 1e-6 // short, so that no ReLU turns on the way
						moved := host.Floats(args[arg])
						for j := range moved {
							moved[j] += side * h * direction[j]
						}
						changed := problem
						changed.Args = slices.Clone(args)
						changed.Args[arg] = host.Tensor(dtypes.Float64, moved, args[arg].Shape().Dimensions...)
						changed.Memory, changed.Forget = ode.Memory{}, true
						solution, err := solver.Run(context.Background(), changed)
						if err != nil {
							t.Fatal(err)
						}
						for i, v := range host.Floats(solution.Z) {
							moves += weight * probe[i] * v / h
						}
						solution.Close()
					}
					got[what], want[what] = append(got[what], pulled), append(want[what], moves)
				}
				for turn := range 2 {
					along("rows", len(declared)+rows, direction(args[len(declared)+rows].Size(), turn))
					if drives {
						along("features", len(declared)+features, direction(args[len(declared)+features].Size(), turn))
					}
				}
				// One edge's weight, or an undirected edge's, by the entries of the rows that it makes.
				one := sample
				one.Snapshots = make([][]float64, len(sample.Snapshots))
				for j := range one.Snapshots {
					one.Snapshots[j] = make([]float64, sample.Pattern.Edges())
				}
				at := sample.Pattern.Edges() / 2
				for sample.Pattern.From[at] == sample.Pattern.To[at] {
					at++
				}
				if one.Snapshots[1][at] = 1; sample.Pattern == symmetric.Pattern {
					one.Snapshots[1][opposite(sample.Pattern, at)] = 1
				}
				unit, _, err := field.NewControl(dtypes.Float64, product, []field.Sample{one})
				if err != nil {
					t.Fatal(err)
				}
				along("an edge's weight", len(declared)+rows, host.Floats(unit[rows]))
				for what := range want {
					fixture.Close(t, "gradient of "+what, got[what], want[what], 1e-6)
				}
			})
		}
	}
}
