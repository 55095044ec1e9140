package ode

import (
	"context"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// Whether it is solved separately or in a batch, a sample takes the same steps to the same states and has the same
// gradient, to the last bit. This holds on a backend that computes each row alike for any batch size. The gradient of
// shared inputs is the sum over samples.
func TestSamplesAloneAreTheSameToTheLastBit(t *testing.T) {
	s := newSolver(t, pendulum, Config{})
	stepTo := [][]float64{{0.2}, {0.25, 1.7}, {-0.5, 0.3, 3}}
	n := 2 * len(irregular[0])
	probe := cosines(3 * n)
	for name, control := range map[string]StepSize{
		"integral": PID{RTol: 1e-5, ATol: 1e-7}, "automatic": PID{P: 0.4, I: 0.3, First: Automatic},
		"constant": Constant{0.13},
	} {
		for _, memory := range []Memory{{}, {Checkpoints: 2}, {Checkpoints: 3, Host: true}} {
			s.control.StepSize = control
			solve := func(p Problem, probe []float64) (*Solution, *Gradients) {
				t.Helper()
				p.Memory = memory
				sol := run(t, s, p)
				g, err := sol.Pullback(context.Background(), tensors.FromFlatDataAndDimensions(append([]float64{}, probe...),
					sol.Z.Shape().Dimensions...))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(g.Free)
				return sol, g
			}
			batch := swinging.problem(irregular)
			batch.StepTo = stepTo
			together, gradients := solve(batch, probe)
			if together.Stats[0] == together.Stats[2] {
				t.Errorf("%s: samples took as many steps each (%+v): the test should have some that differ", name, together.Stats)
			}
			shared := make([][]float64, 2)
			for b := range irregular {
				one := swinging
				one.z0 = swinging.z0[2*b : 2*b+2]
				single := one.problem(irregular[b : b+1])
				single.StepTo = stepTo[b : b+1]
				alone, g := solve(single, probe[b*n:b*n+n])
				if alone.Stats[0] != together.Stats[b] {
					t.Errorf("%s, sample %d: %+v alone, %+v in the batch", name, b, alone.Stats[0], together.Stats[b])
				}
				closeTo(t, name+": steps", alone.StepTimes(0), together.StepTimes(b), 0)
				closeTo(t, name+": states", nnFloats(alone.Z), nnFloats(together.Z)[b*n:b*n+n], 0)
				closeTo(t, name+": gradient of z0", nnFloats(g.Z0), nnFloats(gradients.Z0)[2*b:2*b+2], 0)
				for i, arg := range g.Args {
					for j, v := range nnFloats(arg) {
						if shared[i] == nil {
							shared[i] = make([]float64, arg.Size())
						}
						shared[i][j] += v
					}
				}
			}
			for i, arg := range gradients.Args {
				closeTo(t, name+": gradient of what samples share", nnFloats(arg), shared[i], 1e-11)
			}
		}
	}
}
