package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// Steps are those that the library takes in a forward solve.
type Steps struct {
	// Ends are the ends of the accepted steps of each sample.
	Ends [][]float64
	// Stats counts them, and those that were rejected.
	Stats []ode.Stats
}

// Steps solves the case with a model's parameters by package ode alone, which tells the steps that the model does not; they
// are the same, since the programs are.
func (c *Case) Steps(ctx context.Context, backend *xla.Backend, model *pengcde.Model) (Steps, error) {
	samples, err := c.samples()
	if err != nil {
		return Steps{}, err
	}
	f, err := c.field()
	if err != nil {
		return Steps{}, err
	}
	solvers := make(map[field.Form]*ode.Solver)
	defer func() {
		for _, s := range solvers {
			s.Close()
		}
	}()
	solverOf := func(form field.Form) (*ode.Solver, error) {
		if solvers[form] != nil {
			return solvers[form], nil
		}
		derivative, params := field.Piecewise(f, form)
		solver, err := ode.NewPiecewise(backend, derivative, ode.Config{StepSize: *c.Config.Adaptive, Parameters: len(params)})
		if err == nil {
			solvers[form] = solver
		}
		return solver, err
	}
	var scratch xla.Buffers
	defer scratch.Free()
	dtype := dtypes.Float32
	if c.Float64 {
		dtype = dtypes.Float64
	}
	var args []*tensors.Tensor
	for _, p := range f.Params() {
		values, ok := model.Parameter(p.Name)
		if !ok || len(values) != p.Size() {
			return Steps{}, fmt.Errorf("bench: the model has no parameter %q of shape %v: was it made with the Config of the case? %w",
				p.Name, p.Dims, pengcde.ErrInput)
		}
		args = append(args, scratch.Own(host.Tensor(dtype, values, p.Dims...))...)
	}
	var steps Steps
	for part := range slices.Chunk(samples, c.Batch) {
		solution, err := c.solve(ctx, solverOf, dtype, args, model, part, len(steps.Ends))
		if err != nil {
			return Steps{}, fmt.Errorf("bench: %w", err)
		}
		steps.Stats = append(steps.Stats, solution.Stats...)
		for b := range part {
			steps.Ends = append(steps.Ends, solution.StepTimes(b)[1:])
		}
		solution.Close()
	}
	return steps, nil
}

// solve solves a part of the samples, those of the series from one on, with the parameters of a field.
func (c *Case) solve(ctx context.Context, solverOf func(field.Form) (*ode.Solver, error), dtype dtypes.DType, params []*tensors.Tensor, model *pengcde.Model,
	samples []field.Sample, from int) (*ode.Solution, error) {
	var scratch xla.Buffers
	defer scratch.Free()
	control, form, err := field.NewControl(dtype, equivariant.Auto, samples)
	if err != nil {
		return nil, err
	}
	problem := ode.Problem{Args: append(params[:len(params):len(params)], scratch.Own(control...)...),
		Continuous: true, Forget: true}
	weight, _ := model.Parameter("encoder.weight")
	bias, _ := model.Parameter("encoder.bias")
	var z0 []float64
	for b, s := range samples {
		problem.Times = append(problem.Times, s.Knots)
		if stops := c.stops(s); len(stops) > 0 {
			problem.StepTo = append(problem.StepTo, stops)
		}
		for _, x := range c.Series[from+b].Features[0] {
			for m := range weight {
				z0 = append(z0, weight[m]*x+bias[m])
			}
		}
	}
	problem.Z0 = scratch.Own(host.Tensor(dtype, z0, len(samples), c.Config.Nodes, hidden))[0]
	solver, err := solverOf(form)
	if err != nil {
		return nil, err
	}
	solution, err := solver.Run(ctx, problem)
	if err != nil {
		solution.Close() // a part is of no use here
		return nil, err
	}
	return solution, nil
}
