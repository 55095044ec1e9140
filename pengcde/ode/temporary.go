package ode

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// Temporary estimates the bytes that the compiled programs of a step and of its pullback need while one of them runs,
// beside those of [Plan]: see [xla.Program.Temporary]. However many steps there are, it is the same. It builds both
// graphs, and compiles nothing.
func (s *Solver) Temporary(p Problem) (int64, error) {
	if _, _, err := s.check(p); err != nil {
		return 0, err
	}
	state := p.Z0.Shape()
	batch, stages := state.Dimensions[0], s.method.stages()
	each := shapes.Make(dtypes.Float64, batch)
	var args, sums []shapes.Shape
	for _, arg := range p.Args {
		args = append(args, arg.Shape())
	}
	for _, i := range differentiated(s, p.Args) {
		sums = append(sums, args[i])
	}
	most, err := s.step.Temporary(append([]shapes.Shape{each, each, each, state, state, each, each}, args...)...)
	if err != nil || p.Forget {
		return most, err
	}
	parts := shapes.Make(state.DType, append([]int{batch, stages}, state.Dimensions[1:]...)...)
	pullback, err := s.vectorJacob.Temporary(append(append([]shapes.Shape{each, each, each, each, state, state, parts},
		args...), sums...)...)
	return max(most, pullback), err
}
