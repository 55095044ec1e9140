package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/stats"
)

// usedMaps are those, beside the identity, whose weights on A the paper prints as large in the first layer.
var usedMaps = []equivariant.Map{equivariant.RowsOnRows, equivariant.RowsOnColumns, equivariant.TotalOnAll}

// meanDrawn is the mean size of the weights of maps at the start of training, drawn evenly from -1/15 to 1/15.
const meanDrawn = 1.0 / 30

// weights finds whether the maps gained weights: whether their mean size over worlds is above that of the start.
func (e Evidence) weights() (all []Finding, err error) {
	report, why := e.usable("table1")
	sizes := make(map[equivariant.Map][]float64)
	gap := ""
	if report != nil {
		heat := report.Results.Where("dynamics", "heat").Where("model", "peng")
		gap = heat.Gap()
		for _, result := range heat.Finished() {
			maps := result.Spec.(world).maps
			for _, name := range usedMaps {
				at := slices.Index(maps, name)
				if layers := result.Facts().Arrays[mapsOf[0]]; at >= 0 && len(layers) > 0 {
					sizes[name] = append(sizes[name], math.Abs(layers[0][at]))
				}
			}
		}
	}
	for _, name := range usedMaps {
		f := Finding{Case: name.String(), Outcome: Missing, Numbers: why}
		if report != nil {
			f.Numbers = "PENG-CDE " + gap
		}
		if len(sizes[name]) > 1 {
			mean, half := stats.MeanCI(sizes[name])
			f.Numbers = fmt.Sprintf("size of the weight %.3f ± %.3f over %d worlds, %.3f at the start (the paper: %.3f)",
				mean, half, len(sizes[name]), meanDrawn, publishedWeights[name][0])
			switch {
			case mean-half > meanDrawn:
				f.Outcome = AsClaimed
			case mean+half <= meanDrawn:
				f.Outcome = Against
			default:
				f.Outcome = Unshown
			}
			if gap != "" {
				f.Left = []string{"PENG-CDE " + gap}
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// epochs finds by how much an epoch of Pre-Mult takes longer than one of PENG-CDE. The numbers of nodes are those of
// square grids.
func (e Evidence) epochs() (all []Finding, _ error) {
	for i, nodes := range publishedNodes {
		side := graphs.Side(nodes)
		preMult, peng := e.EpochSeconds["pre-mult"][side*side], e.EpochSeconds["peng"][side*side]
		paper := publishedEpochs["pre-mult"][i] / publishedEpochs["peng"][i]
		f := Finding{Case: fmt.Sprintf("%d nodes", side*side), Outcome: Missing,
			Numbers: fmt.Sprintf("no epoch of both is measured; the paper: %.2f-fold with %d nodes", paper, nodes)}
		if preMult > 0 && peng > 0 {
			f.Numbers = fmt.Sprintf("%.3g s to %.3g s, %.2f-fold (the paper: %.2f-fold with %d nodes on a GPU), on %s; level "+
				"is within a factor of %g", preMult, peng, preMult/peng, paper, nodes, e.EpochMachine, levelTime)
			switch r := preMult / peng; {
			case r > levelTime:
				f.Outcome = AsClaimed
			case r < 1/levelTime:
				f.Outcome = Against
			default:
				f.Outcome = Unshown
			}
		}
		all = append(all, f)
	}
	return all, nil
}
