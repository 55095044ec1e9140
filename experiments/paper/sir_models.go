package paper

import (
	"slices"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/sequence"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// discreteIDs are the rows that go through the observations in discrete steps; the paper calls them recurrent, though
// only DCRNN is.
var discreteIDs = []string{"dcrnn", "astgcn", "stidgcn"}

// blindIDs are the rows that see of the states the first alone, which says nothing about the class.
var blindIDs = []string{"constant", "gn-ode"}

// preciseID is the row that shows what steps cost: PENG-CDE with steps whose error is controlled and that end on each
// observation, beside one whose steps are as long however much happens between them.
const preciseID = "peng-precise"

const preciseNote = "PENG-CDE with adaptive steps: PENG-CDE with steps whose error is controlled and that end on each " +
	"observation, beside noise alone: what it loses is not for want of steps."

// rows are the models of a profile for trajectories that are observed in some way.
func (s sirSize) rows(at sampling) []experiments.Model {
	data := pengcde.Config{Nodes: sirSide * sirSide, Features: 3, Outputs: 2, Head: head.Class{}}
	equation := func(id, name string, f field.Field, layers int) experiments.Model {
		c := data
		c.Field, c.Hidden, c.Layers, c.Step = f, s.hidden, layers, s.step
		return experiments.Network(id, name, c, s.training)
	}
	discrete := func(id, name string, n sequence.Network) experiments.Model {
		c := data
		c.Network, c.Inputs, c.Normalise = n, at.observations, dyngraph.Raw // they normalise the weights themselves
		return experiments.Network(id, name, c, s.training)
	}
	ratio := experiments.Forecast(ratioID, removedRatio{Threshold: sirThreshold})
	ratio.Note = ratioNote
	c := data
	c.Field, c.Hidden, c.Layers, c.Adaptive = field.PENG{}, s.hidden, s.layers, &ode.PID{}
	precise := experiments.Network(preciseID, "PENG-CDE with adaptive steps", c, s.training)
	precise.Note = preciseNote
	c = data
	c.Hidden, c.Layers = s.hidden, s.layers
	affine := experiments.Network(affineID, affineName, pengcde.Recommended(c), train.Recommended(s.training))
	affine.Note = affineNote
	all := []experiments.Model{
		ratio,
		equation("constant", "Constant", field.Constant{}, s.layers),
		equation("gn-ode", "GN-ODE", field.GNODE{}, s.layers),
		equation("stg-ncde", "STG-NCDE", baseline.STGNCDE{}, 1),
		equation("original", "Original GN-CDE", field.Original{}, s.layers),
		equation("peng", "PENG-CDE", field.PENG{}, s.layers),
		precise,
		affine,
		discrete("dcrnn", "DCRNN", baseline.DCRNN{Hidden: s.dcrnn.hidden, Layers: s.dcrnn.layers}),
		discrete("astgcn", "ASTGCN", baseline.ASTGCN{Filters: s.astgcn.hidden, Polynomials: s.astgcn.layers}),
		discrete("stidgcn", "STIDGCN", baseline.STIDGCN{Channels: s.stidgcn.hidden}),
	}
	return slices.DeleteFunc(all, func(m experiments.Model) bool {
		return !slices.Contains(s.models, m.ID) || !at.plain() && slices.Contains(blindIDs, m.ID) ||
			m.ID == preciseID && (at.shape != 0 || !slices.Contains(s.noisyAt, at.observations))
	})
}
