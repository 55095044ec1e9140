package pengcde

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"

	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/xla"
)

// groups lets the samples of a batch march side by side in groups, each on a core and with steps of its own. A batch
// that is not cut into parts is the equation's.
type groups struct {
	*equation
	count   int
	members []member // none before they are needed
}

// member computes for a group.
type member struct {
	*xla.Worker
	equation *equation
}

// part is a group's share of a batch.
type part struct {
	*batch
	first int     // of its samples in the whole
	share float64 // of its loss in the whole's
}

// grouped lets an equation compute in groups, at most so many (0 for one a core), where it can.
func grouped(e *equation, most int) network {
	count := e.backend.Cores()
	if most > 0 {
		count = min(count, most)
	}
	if count < 2 || e.head.Traits().Whole {
		return e
	}
	return &groups{equation: e, count: count}
}

func (g *groups) close() {
	for _, m := range g.members {
		_ = m.Do(m.equation.close) // else they were closed with the backend
	}
	g.members = nil
	g.equation.close()
}

// open opens the workers when they are first needed. Where they cannot be, there are no groups from then on.
func (g *groups) open() error {
	if len(g.members) > 0 || g.count < 2 {
		return nil
	}
	workers, err := g.backend.Workers(g.count)
	if err != nil {
		g.count = 1
		return nil
	}
	for _, w := range workers {
		own, err := newEquation(w.Backend, g.wiring)
		if err != nil {
			return err
		}
		g.members = append(g.members, member{w, own})
	}
	return nil
}

// setMemory bounds what solves keep.
func (g *groups) setMemory(m ode.Memory) {
	g.memory = m
	for _, one := range g.members {
		one.equation.memory = m
	}
}

// cut is how many samples each group has of so many: as equally many as can be, more first.
func (g *groups) cut(samples int) (sizes []int) {
	count := min(g.count, samples)
	for i := range count {
		size := samples / count
		if i < samples%count {
			size++
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// parts makes the parts of a batch of samples; nil where it is not cut.
func (g *groups) parts(cfg Config, samples []sample) (made []part, err error) {
	if err := g.open(); err != nil {
		return nil, err
	}
	sizes := g.cut(len(samples))
	if len(sizes) < 2 {
		return nil, nil
	}
	defer func() {
		if err != nil {
			freeParts(made)
		}
	}()
	total := 0.0
	for i, size := range sizes {
		p := part{first: len(samples) - sum(sizes[i:])}
		if p.batch, err = newBatch(g.members[i].Backend, cfg, samples[p.first:p.first+size]); err != nil {
			return made, err
		}
		for _, s := range samples[p.first : p.first+size] {
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

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

func freeParts(parts []part) {
	for _, p := range parts {
		p.free()
	}
}

// each runs f for every part at the same time, each on its worker with parameters of its own. It waits for all, and
// returns the first error in the order of the parts, of which the samples are counted in the whole batch.
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

// inWhole counts the samples of an error in the whole batch.
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
		if p.share == 0 { // only samples that fill a batch up
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
			for i := range slopes { // in one order, whichever was ready first
				if slopes[i] != nil {
					floats.Add(total, slopes[i][k])
				}
			}
			made.gradients = append(made.gradients, host.Tensor(p.DType(), total, p.Shape().Dimensions...))
		}
	}
	return made, nil
}

// predict cuts the samples into groups as for a batch.
func (g *groups) predict(ctx context.Context, m *Model, samples []sample, asked [][]float64) ([][]float64, error) {
	if err := g.open(); err != nil {
		return nil, err
	}
	sizes := g.cut(len(samples))
	if len(sizes) < 2 {
		return g.equation.predict(ctx, m, samples, asked)
	}
	parts := make([]part, len(sizes))
	for i := range parts {
		parts[i].first = len(samples) - sum(sizes[i:])
	}
	forecasts := make([][]float64, len(samples))
	err := g.each(m.params, parts, func(i int, e *equation, own []*tensors.Tensor) error {
		model, from, to := *m, parts[i].first, parts[i].first+sizes[i]
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

// equationOf is the equation of a network on the model's own backend; nil where it has none.
func equationOf(n network) *equation {
	switch n := n.(type) {
	case *equation:
		return n
	case *groups:
		return n.equation
	}
	return nil
}
