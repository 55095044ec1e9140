package worlds

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/stats"
)

// usedMaps are the maps, besides the identity, whose weights on A the paper prints as large in the first layer.
var usedMaps = []equivariant.Map{equivariant.RowsOnRows, equivariant.RowsOnColumns, equivariant.TotalOnAll}

// weights returns a finder that tests whether the weights of these maps in the first layer of a model are larger in
// absolute value than the weights of the other maps, in the mean of a world.
func weights(model string) judge.Finder {
	return func(e judge.Evidence) (all []judge.Case, err error) {
		report, why := e.Usable("table1")
		var at []worldAt
		signed, size, others := make(map[equivariant.Map][]float64), make(map[equivariant.Map][]float64), []float64(nil)
		gap, planned := "", 0
		if report != nil {
			heat := report.Results.Where("dynamics", "heat").Where("model", model)
			gap, planned = heat.Gap(), len(heat)
			for _, result := range heat.Finished() {
				layers := result.Facts().Arrays[mapsOf[0]]
				if len(layers) == 0 {
					continue
				}
				at = append(at, whereOf(result))
				var rest []float64
				for i, name := range result.Spec.(world).maps {
					if w := layers[0][i]; slices.Contains(usedMaps, name) {
						signed[name], size[name] = append(signed[name], w), append(size[name], math.Abs(w))
					} else {
						rest = append(rest, math.Abs(w))
					}
				}
				others = append(others, stat.Mean(rest, nil))
			}
		}
		for _, name := range usedMaps {
			c := judge.Missing("", name.String(), why)
			if report != nil {
				c.Note = worldName(model) + " " + gap
			}
			if n := len(size[name]); n > 1 && 2*n >= planned && n == len(others) {
				finding, err := inWorlds(at, others, size[name], others, size[name])
				if err != nil {
					return nil, err
				}
				mean, half := stats.Clustered(seedsOf(at)).CI(signed[name])
				c.Finding, c.Tested = finding, true
				c.Note = fmt.Sprintf("weight %.3f ± %.3f (the paper: %.3f), its size %.3f, the "+
					"mean size of other maps %.3f, %d worlds", mean, half, paperWeight(name, firstLayer),
					stat.Mean(size[name], nil), stat.Mean(others, nil), n)
				if gap != "" {
					c.Left = []string{worldName(model) + " " + gap}
				}
			}
			all = append(all, c)
		}
		return all, nil
	}
}

// epochs tests how much longer an epoch of Pre-Mult takes than an epoch of PENG-CDE. The numbers of nodes are
// squares, because the graphs are grids.
func epochs(e judge.Evidence) (all []judge.Case, _ error) {
	for _, nodes := range catalogue.PublishedNodes {
		side := graphs.Side(nodes)
		preMult, peng := e.EpochSeconds["pre-mult"][side*side], e.EpochSeconds["peng"][side*side]
		paper := paperSeconds("pre-mult", nodes) / paperSeconds("peng", nodes)
		c := judge.Missing("", fmt.Sprintf("%d nodes", side*side),
			fmt.Sprintf("no epoch of both is measured; the paper: %.2f-fold with %d nodes", paper, nodes))
		if preMult > 0 && peng > 0 {
			c.Note = fmt.Sprintf("%.3g s to %.3g s, %.2f-fold (the paper: %.2f-fold with %d nodes on a GPU), on %s; level "+
				"is within a factor of %g", preMult, peng, preMult/peng, paper, nodes, e.EpochMachine, judge.LevelTime)
			switch r := preMult / peng; {
			case r > judge.LevelTime:
				c.Outcome = stats.Better
			case r < 1/judge.LevelTime:
				c.Outcome = stats.Worse
			default:
				c.Outcome = stats.NotShown
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// paperSeconds returns the paper's seconds per training epoch.
func paperSeconds(id string, nodes int) float64 {
	n, _ := catalogue.Published("epoch", id, fmt.Sprint(nodes))
	return n.Value
}
