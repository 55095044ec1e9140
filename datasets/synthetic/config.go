package synthetic

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrConfig is wrapped by errors about an invalid configuration.
var ErrConfig = errors.New("invalid configuration of a data set")

// Config configures a data set. Family and Task are required; the zero values of the other fields mean the published
// constants.
type Config struct {
	// Family of graphs. Nodes are ordered by communities, except on a [graphs.Grid], see [graphs.Draw].
	Family graphs.Family
	Task   Task
	// Nodes is the number of nodes, by default 400; a grid has the next square number. Graphs is the number of
	// trajectories, by default 4.
	Nodes, Graphs int
	// Ticks is q, the number of observations that are not extrapolation, by default 100.
	Ticks int
	// Observations, if set instead of Ticks, is the exact number of observations, all for training. With 12 events at
	// least 15 are needed, and never fewer than 4.
	Observations int
	// Shape is k: the increments between Observations are Gamma(k) distributed, scaled so that the last is at Horizon.
	// The coefficient of variation of an increment is about 1/sqrt k. By default times are drawn from the pool.
	Shape float64
	// Horizon is the end of the pool of times, by default 5.
	Horizon float64
	// Amplitude replaces the task's amplitude.
	Amplitude Amplitude
	// Events is the number of events, by default 12; four fifths of them, rounded up, are in the first four fifths of
	// the observations.
	Events int
	// EventProbability is p, by default the task's: at an event each pair of nodes loses its edge with probability
	// 20 p and then gains one with probability p. That adds p n² edges, so large graphs stay sparse with p of the order
	// 1/n.
	EventProbability float64
	// Step of the simulation, by default [dynamics.DefaultStep].
	Step float64
	// Seed decides all draws. The graph of trajectory b is drawn by Seed + b, as published, so sets with neighbouring
	// seeds have graphs in common.
	Seed uint64
	// AsPublished repeats the published defect that states do not change before each event.
	AsPublished bool
}

func (c Config) withDefaults() Config {
	c.Nodes, c.Graphs = cmp.Or(c.Nodes, 400), cmp.Or(c.Graphs, 4)
	if c.Observations == 0 {
		c.Ticks = cmp.Or(c.Ticks, 100)
	}
	c.Events = cmp.Or(c.Events, 12)
	c.Horizon = cmp.Or(c.Horizon, 5)
	c.EventProbability = cmp.Or(c.EventProbability, c.Task.EventProbability, 0.001)
	c.Step, c.Amplitude = cmp.Or(c.Step, dynamics.DefaultStep), cmp.Or(c.Amplitude, c.Task.Amplitude)
	return c
}

// times is T, the number of observations.
func (c Config) times() int { return cmp.Or(c.Observations, c.Ticks+c.Ticks/5) }

// pool is the number of points that times are drawn from.
func (c Config) pool() int { return 10 * cmp.Or(c.Observations, c.Ticks) }

// early is the number of events in the first four fifths of the observations.
func (c Config) early() int { return (4*c.Events + 4) / 5 }

// fewest is the number of observations that [graphs.Schedule] needs: of T, floor(0.8 T)-2 for early events and the
// remaining fifth for late events.
func (c Config) fewest() int {
	early, late := c.early(), c.Events-c.early()
	return max((5*(early+2)+3)/4, 5*late-4)
}

func (c Config) check() error {
	invalid := func(format string, args ...any) error {
		return errs.New(ErrConfig, "datasets/synthetic: %s", fmt.Sprintf(format, args...))
	}
	low, high := c.Amplitude.Low, c.Amplitude.High
	switch {
	case c.Family == nil:
		return invalid("no family of graphs: set Config.Family")
	case c.Task.Dynamics.Rate == nil:
		return invalid("no dynamics: set Config.Task, as to Heat, or Task.Dynamics with a rate")
	case c.Task.Dynamics.States() > 1 && c.Task.Start == nil:
		return invalid("dynamics %q have %d channels, want Task.Start to make their states of the image",
			c.Task.Dynamics.Name, c.Task.Dynamics.States())
	case c.Nodes < 1 || c.Graphs < 1:
		return invalid("%d nodes and %d graphs, want at least 1 of each, or 0 for the default", c.Nodes, c.Graphs)
	case c.Observations != 0 && c.Ticks != 0:
		return invalid("%d observations and %d ticks, want one of them: ticks divide observations for training and "+
			"extrapolation", c.Observations, c.Ticks)
	case c.Events < 0:
		return invalid("%d events, want at least 1, or 0 for the default", c.Events)
	case c.Observations != 0 && (c.Observations < c.fewest() || c.Observations > maxTicks):
		return invalid("%d observations, want %d to %d for %d events, or 0 for ticks", c.Observations, c.fewest(), maxTicks,
			c.Events)
	case c.Shape != 0 && (!(c.Shape > 0) || math.IsInf(c.Shape, 1)):
		return invalid("increments of shape %g, want a positive finite number, or 0 for times of the pool", c.Shape)
	case c.Shape != 0 && c.Observations == 0:
		return invalid("increments of shape %g without a number of observations: set Config.Observations", c.Shape)
	case c.Observations == 0 && (c.Ticks < 2 || c.Ticks > maxTicks):
		return invalid("%d ticks, want 2 to %d, or 0 for the default", c.Ticks, maxTicks)
	case !(c.Horizon > 0) || math.IsInf(c.Horizon, 1) || !(c.Step > 0) || math.IsInf(c.Step, 1):
		return invalid("horizon %g and step %g, want positive finite numbers, or 0 for the default", c.Horizon, c.Step)
	case !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0):
		return invalid("amplitudes from %g to %g, want finite numbers that do not fall", low, high)
	case !(c.EventProbability > 0) || 20*c.EventProbability > 1:
		return invalid("event probability %g, want more than 0 and at most 1/20, since edges are dropped with 20 "+
			"times that", c.EventProbability)
	}
	return nil
}

// maxTicks keeps a typing error from filling the memory.
const maxTicks = 1_000_000
