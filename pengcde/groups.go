package pengcde

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// groups computes an equation with the samples of a batch split into groups. The groups are solved concurrently, each
// on its own core or GPU and with its own steps. A batch that is not split goes to the equation itself.
type groups struct {
	*equation
	count   int
	notices io.Writer // nil is os.Stderr
	members []member  // empty until first needed
}

// member is a worker with its own compiled equation.
type member struct {
	*xla.Worker
	equation *equation
}

// part holds the samples of one group of a batch.
type part struct {
	*batch
	first int     // index of its first sample in the batch
	share float64 // weight of its loss in the loss of the batch
}

// grouped returns an equation that computes in up to most groups (0 means one for each core or GPU), or the equation
// itself if it cannot be split.
func grouped(e *equation, most int, notices io.Writer) network {
	count := e.backend.MostWorkers()
	if most > 0 {
		count = min(count, most)
	}
	if count < 2 || e.head.Traits().Whole {
		return e
	}
	return &groups{equation: e, count: count, notices: notices}
}

func (g *groups) close() {
	for _, m := range g.members {
		_ = m.Do(m.equation.close) // on an error they were closed with the backend
	}
	g.members = nil
	g.equation.close()
}

// open opens the workers on first use. If that fails, it says so once, and no groups are used from then on.
func (g *groups) open() error {
	if len(g.members) > 0 || g.count < 2 {
		return nil
	}
	workers, err := g.backend.Workers(g.count)
	if err != nil {
		fmt.Fprintf(cmp.Or[io.Writer](g.notices, os.Stderr), "pengcde: batches are not split into %d groups: %v\n", g.count,
			err)
		g.count = 1
		return nil
	}
	var members []member
	for _, w := range workers {
		own, err := newEquation(w.Backend, g.wiring)
		if err != nil {
			for _, m := range members {
				_ = m.Do(m.equation.close)
			}
			return err
		}
		members = append(members, member{w, own})
	}
	g.members = members
	return nil
}

// setMemory sets the memory bound of all solves.
func (g *groups) setMemory(m ode.Memory) {
	g.memory = m
	for _, one := range g.members {
		one.equation.memory = m
	}
}

// bounds returns the first sample of each group and, at the end, the number of samples. The groups' sizes differ by at
// most one, larger first.
func (g *groups) bounds(samples int) []int {
	count := min(g.count, samples)
	bounds := make([]int, count+1)
	for i := range count {
		bounds[i+1] = bounds[i] + (samples+count-1-i)/count
	}
	return bounds
}

// parts splits samples into the parts of a batch; nil if they are not split.
func (g *groups) parts(cfg Config, samples []sample) (made []part, err error) {
	if err := g.open(); err != nil {
		return nil, err
	}
	bounds := g.bounds(len(samples))
	if len(bounds) < 3 { // one group
		return nil, nil
	}
	defer func() {
		if err != nil {
			freeParts(made)
		}
	}()
	total := 0.0
	for i, end := range bounds[1:] {
		p, own := part{first: bounds[i]}, samples[bounds[i]:end]
		if p.batch, err = newBatch(g.members[i].Backend, cfg, own); err != nil {
			return made, err
		}
		for _, s := range own {
			p.share += floats.Sum(s.taken.Weights)
		}
		total += p.share
		made = append(made, p)
	}
	for i := range made {
		made[i].share /= total
	}
	return made, nil
}

func freeParts(parts []part) {
	for _, p := range parts {
		p.free()
	}
}

// each runs f concurrently for all parts, each on its worker with its own copy of the parameters. It waits for all, and
// returns the first error in the order of the parts. Sample indices in the error refer to the whole batch.
func (g *groups) each(params []*tensors.Tensor, parts []part,
	f func(i int, e *equation, params []*tensors.Tensor) error) error {
	values := make([][]float64, len(params))
	for i, p := range params {
		values[i] = host.Floats(p)
	}
	failures := make([]error, len(parts))
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			var err error
			closed := g.members[i].Do(func() {
				own := make([]*tensors.Tensor, len(params))
				for k, p := range params {
					own[k] = host.Tensor(p.DType(), values[k], p.Shape().Dimensions...)
				}
				defer xla.Free(own...)
				if caught := panics.Catch(func() { err = f(i, g.members[i].equation, own) }); caught != nil {
					err = caught
				}
			})
			failures[i] = cmp.Or(closed, err)
		})
	}
	all.Wait()
	for i, err := range failures {
		if err != nil {
			return inWhole(err, parts[i].first)
		}
	}
	return nil
}

// inWhole shifts the sample indices of an error from a part to the whole batch.
func inWhole(err error, first int) error {
	var failure *ode.Failure
	var input *ode.InputError
	var start *startError
	switch {
	case errors.As(err, &failure):
		failure.Sample += first
		for _, other := range failure.Also {
			other.Sample += first
		}
	case errors.As(err, &input):
		input.Sample += first
	case errors.As(err, &start):
		start.sample += first
	}
	return err
}

func (g *groups) evaluate(ctx context.Context, params []*tensors.Tensor, b *batch, why purpose) (*evaluation,
	error) {
	if b.parts == nil {
		return g.equation.evaluate(ctx, params, b, why)
	}
	loss := make([]float64, len(b.parts))
	slopes := make([][][]float64, len(b.parts)) // by part and parameter
	made := &evaluation{stats: make([]ode.Stats, len(b.times))}
	err := g.each(params, b.parts, func(i int, e *equation, own []*tensors.Tensor) error {
		p := b.parts[i]
		if p.share == 0 { // only padding
			return nil
		}
		ofPart, err := e.evaluate(ctx, own, p.batch, why)
		if err != nil {
			return err
		}
		defer xla.Free(ofPart.gradients...)
		copy(made.stats[p.first:], ofPart.stats)
		loss[i] = p.share * ofPart.losses[0]
		for _, x := range ofPart.gradients {
			entries := host.Floats(x)
			floats.Scale(p.share, entries)
			slopes[i] = append(slopes[i], entries)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if made.losses = []float64{floats.Sum(loss)}; why != forLoss {
		for k, p := range params {
			total := make([]float64, p.Size())
			for i := range slopes { // in a fixed order, so that rounding is reproducible
				if slopes[i] != nil {
					floats.Add(total, slopes[i][k])
				}
			}
			made.gradients = append(made.gradients, host.Tensor(p.DType(), total, p.Shape().Dimensions...))
		}
	}
	return made, nil
}

// predict splits the samples into groups as for a batch.
func (g *groups) predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error) {
	if err := g.open(); err != nil {
		return nil, err
	}
	bounds := g.bounds(len(samples))
	if len(bounds) < 3 {
		return g.equation.predict(ctx, m, samples, asked)
	}
	parts := make([]part, len(bounds)-1)
	for i := range parts {
		parts[i].first = bounds[i]
	}
	forecasts := make([][]float64, len(samples))
	err := g.each(m.params, parts, func(i int, e *equation, own []*tensors.Tensor) error {
		model, from, to := *m, bounds[i], bounds[i+1]
		model.backend, model.network, model.params = g.members[i].Backend, e, own
		made, err := e.predict(ctx, &model, samples[from:to], asked[from:to])
		copy(forecasts[from:], made)
		return err
	})
	if err != nil {
		return nil, err
	}
	return forecasts, nil
}

// equationOf returns the equation of a network on the model's own backend; nil for a network in discrete steps.
func equationOf(n network) *equation {
	switch n := n.(type) {
	case *equation:
		return n
	case *groups:
		return n.equation
	}
	return nil
}
