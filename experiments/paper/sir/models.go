package sir

import (
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// discreteIDs lists the rows that process the observations in discrete steps; the paper calls them recurrent, though
// only DCRNN is.
var discreteIDs = []string{"dcrnn", "astgcn", "stidgcn"}

// isDiscrete reports whether a row is one of [discreteIDs], with a remedy or without.
func isDiscrete(id string) bool {
	return slices.Contains(discreteIDs, strings.TrimSuffix(id, remedyOf(id).ending))
}

// blindIDs lists the rows that see only the first state, which says nothing about the class.
var blindIDs = []string{"constant", "gn-ode"}

const preciseNote = "PENG-CDE with adaptive steps: PENG-CDE with steps whose error is controlled and that end on " +
	"each observation, beside noise alone: what it loses is not for want of steps."

const steadyNote = catalogue.AffineName + " with constant steps: along cubics, with the steps of PENG-CDE, however " +
	"many observations there are. Adaptive steps end on each observation, next to which the features change."

// rows returns the models of a profile for trajectories with this sampling.
func (s sirSize) rows(at sampling) []experiments.Row {
	data := pengcde.Config{Nodes: sirSide * sirSide, Features: 3, Outputs: 2, Head: head.Class{}}
	equation := func(id string, layers int) experiments.Row {
		c, m := data, catalogue.Must(id)
		c.Field, c.Hidden, c.Layers, c.Step = m.Field, s.hidden, layers, s.step
		return experiments.NetworkRow(id, m.Name, c, s.training)
	}
	network := func(id string, w catalogue.Width) pengcde.Config {
		c := data
		c.Network, c.Inputs = catalogue.Must(id).Network(w, false), at.observations
		c.Normalise = dyngraph.Raw // they normalise the weights themselves
		return c
	}
	discrete := func(id string, w catalogue.Width) experiments.Row {
		return experiments.NetworkRow(id, catalogue.Must(id).Name, network(id, w), s.training)
	}
	ratio := experiments.BaselineRow(catalogue.RatioID, RemovedRatio{Threshold: sirThreshold})
	ratio.Note = ratioNote
	c := data
	adaptive := catalogue.Must(catalogue.PreciseID)
	c.Field, c.Hidden, c.Layers, c.Adaptive = adaptive.Field, s.hidden, s.layers, &ode.PID{}
	precise := experiments.NetworkRow(adaptive.ID, adaptive.Name, c, s.training)
	precise.Note = preciseNote
	c = data
	c.Hidden, c.Layers = s.hidden, s.layers
	c = pengcde.Recommended(c)
	affine := experiments.NetworkRow(catalogue.AffineID, catalogue.AffineName, c, train.Recommended(s.training))
	affine.Note = catalogue.AffineNote
	constant := data
	constant.Hidden, constant.Layers, constant.Step, constant.Path = s.hidden, s.layers, s.step, path.Hermite
	steady := experiments.NetworkRow(catalogue.SteadyID, catalogue.AffineName+" with constant steps",
		pengcde.Recommended(constant), train.Recommended(s.training))
	steady.Note = steadyNote
	all := []experiments.Row{
		ratio,
		equation("constant", s.layers),
		equation("gn-ode", s.layers),
		equation("stg-ncde", 1),
		equation("original", s.layers),
		equation("peng", s.layers),
		precise,
		affine,
		steady,
		discrete("dcrnn", s.dcrnn),
		discrete("astgcn", s.astgcn),
		discrete("stidgcn", s.stidgcn),
	}
	for _, r := range remedies {
		if slices.Contains(s.models, catalogue.AffineID) {
			all = append(all, r.apply(catalogue.AffineID, catalogue.AffineName, c, train.Recommended(s.training)),
				r.apply("dcrnn", catalogue.Must("dcrnn").Name, network("dcrnn", s.dcrnn), s.training))
		}
	}
	besideNoise := at.shape == 0 && slices.Contains(s.noisyAt, at.observations)
	return slices.DeleteFunc(all, func(m experiments.Row) bool {
		return !slices.Contains(s.models, m.ID) && !isRemedied(m.ID) || !at.plain() && slices.Contains(blindIDs, m.ID) ||
			onlyNoise(m.ID) && !besideNoise || m.ID == catalogue.SteadyID && at.noise != 0
	})
}

// onlyNoise reports whether a row is for the panels of noise alone.
func onlyNoise(id string) bool { return id == catalogue.PreciseID || isRemedied(id) }
