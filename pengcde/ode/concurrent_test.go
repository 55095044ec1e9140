package ode

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// A solve does not change its solver. Solves and pullbacks in several goroutines give the same results as in sequence,
// also if they differ in shapes and in the differentiated args, and before anything is compiled.
func TestOneSolverForManyGoroutines(t *testing.T) {
	field := func(_, z *Node, args []*Node) *Node {
		dz := Sin(z)
		for _, arg := range args {
			dz = Mul(dz, ConvertDType(arg, z.DType()))
		}
		return dz
	}
	for name, backend := range map[string]*xla.Backend{"go": xlatest.Go(t), "users'": xlatest.Backend(t)} {
		solve := func(s *Solver, i int) (string, error) {
			z0 := [][]float64{{1 + 0.1*float64(i), 0.5}, {0.2, -1}}[:1+i%2]
			p := Problem{Z0: tensors.FromValue(z0), Times: [][]float64{{0, 0.7, 1 + 0.2*float64(i%3)}},
				Memory: Memory{Checkpoints: i % 3}}
			for arg := range i % 4 { // float and integer args in turns
				if (arg+i)%2 == 0 {
					p.Args = append(p.Args, tensors.FromScalar(int32(1)))
				} else {
					p.Args = append(p.Args, tensors.FromScalar(0.8))
				}
			}
			solution, err := s.Run(context.Background(), p)
			if err != nil {
				return "", err
			}
			defer solution.Close()
			gradients, err := solution.Pullback(context.Background(), solution.Z)
			if err != nil {
				return "", err
			}
			defer gradients.Free()
			text := fmt.Sprint(tensors.MustCopyFlatData[float64](solution.Z), tensors.MustCopyFlatData[float64](gradients.Z0))
			for _, g := range gradients.Args {
				if g != nil {
					text += fmt.Sprint(" ", tensors.ToScalar[float64](g))
				} else {
					text += " none"
				}
			}
			return text, nil
		}
		const count = 12
		var want, got [count]string
		var errs [2 * count]error
		first, second := newSolverOn(t, backend, field, Config{}), newSolverOn(t, backend, field, Config{})
		var group sync.WaitGroup
		for i := range count {
			group.Go(func() { got[i], errs[i] = solve(second, i) })
		}
		group.Wait()
		for i := range count {
			want[i], errs[count+i] = solve(first, i)
		}
		if i := slices.IndexFunc(errs[:], func(err error) bool { return err != nil }); i >= 0 {
			t.Fatalf("%s: solve %d: %v", name, i%count, errs[i])
		}
		if got != want {
			t.Errorf("%s: at once %q, one after the other %q", name, got, want)
		}
	}
}
