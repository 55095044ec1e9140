package synthetic

import (
	"context"
	"fmt"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Generate draws and simulates a data set. Its errors wrap [ErrConfig], [graphs.ErrInvalid], [dynamics.ErrStep],
// [dynamics.ErrNotFinite], [dynamics.ErrGrowth], and the errors of ctx.
func Generate(ctx context.Context, c Config) (*Set, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	events, err := c.drawEvents()
	if err != nil {
		return nil, err
	}
	s := &Set{}
	if c.Observations > 0 {
		s.divide(c.Observations, c.Observations, nil)
	} else {
		s.divide(c.Ticks, c.times(), drawInterpolation(c.Ticks, stream(c.Seed, splitStream, 0)))
	}
	for b := range c.Graphs {
		t, err := c.trajectory(ctx, b, events)
		if err != nil {
			return nil, fmt.Errorf("datasets/synthetic: %s on %s, trajectory %d: %w", c.Task.Dynamics.Name,
				c.Family.Name(), b, err)
		}
		s.Trajectories = append(s.Trajectories, t)
	}
	return s, nil
}

// drawEvents draws when the events of all trajectories happen.
func (c Config) drawEvents() ([]int, error) {
	schedule := graphs.Schedule{Early: c.early(), Late: c.Events - c.early()}
	events, err := schedule.Draw(c.times(), stream(c.Seed, scheduleStream, 0))
	if err != nil {
		return nil, errs.New(ErrConfig, "datasets/synthetic: %w", err)
	}
	return events, nil
}

// trajectory draws and simulates trajectory b.
func (c Config) trajectory(ctx context.Context, b int, events []int) (Trajectory, error) {
	t, start, err := draw(c, b, events)
	if err == nil {
		err = t.simulate(ctx, c, start)
	}
	return t, err
}

// draw draws trajectory b without its values, and the initial states.
func draw(c Config, b int, events []int) (t Trajectory, start []float64, err error) {
	graph, err := graphs.Draw(c.Family, c.Nodes, stream(c.Seed+uint64(b), graphStream, 0))
	if err != nil {
		return t, nil, err
	}
	t = Trajectory{Events: events, Index: graphs.InForce(events, c.times())}
	if times := stream(c.Seed, timeStream, b); c.Shape == 0 {
		t.Times = drawTimes(c, times)
	} else if t.Times, err = drawIncrements(c, times); err != nil {
		return t, nil, err
	}
	change := graphs.Events{Drop: 20 * c.EventProbability, Add: c.EventProbability}
	t.Pattern, t.Snapshots, err = change.Apply(graph, len(events), stream(c.Seed+uint64(b), eventStream, 0))
	if err != nil {
		return t, nil, err
	}
	start = drawImage(graph.Nodes, c.Amplitude, stream(c.Seed, imageStream, b))
	if c.Task.Start != nil {
		start = c.Task.Start(start)
	}
	return t, start, nil
}

// simulate sets the values.
func (t *Trajectory) simulate(ctx context.Context, c Config, start []float64) (err error) {
	t.Values, err = dynamics.Simulate(ctx, dynamics.Problem{
		Dynamics: c.Task.Dynamics, Start: start, Times: t.Times, Pattern: t.Pattern,
		Snapshots: t.Snapshots, Index: t.Index, Frozen: c.AsPublished, Step: c.Step,
	})
	return err
}
