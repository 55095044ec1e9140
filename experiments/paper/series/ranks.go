package series

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
)

// rankedSplits are the splits with nearly independent blocks; windows of the other splits overlap.
var rankedSplits = []Split{Random, PurgedRotation}

// forecastRanks returns the diagrams of a forecasting study, by split: first for all series together, then for each.
// Each model has one row in them, with the published hyperparameters.
func forecastRanks(r *experiments.Report, all []comparison) (drawn catalogue.Drawn) {
	if !r.Comparable() {
		return drawn
	}
	for _, split := range rankedSplits {
		of := slices.DeleteFunc(slices.Clone(all), func(c comparison) bool { return c.split != split })
		if len(of) > 1 {
			figure, err := catalogue.CriticalDifference(fmt.Sprintf("%s, all countries, %s: models by test error",
				r.Study.Name, split.inTitles()), forecastBlocks(of))
			drawn.Add(fmt.Sprintf("%s-together-%s-ranks", r.Study.Name, split), figure, err)
		}
		for _, c := range of {
			figure, err := catalogue.CriticalDifference(fmt.Sprintf("%s, %s: models by test error",
				c.study.title(), split.inTitles()), forecastBlocks([]comparison{c}))
			drawn.Add(fmt.Sprintf("%s-%s-ranks", strings.ReplaceAll(c.study.title(), ", ", "-"), split), figure, err)
		}
	}
	return drawn
}

// forecastBlocks makes blocks of comparisons on one split: seeds of the random split, otherwise tested windows.
func forecastBlocks(of []comparison) catalogue.Blocks {
	b := catalogue.Blocks{Names: make(map[string]string), Each: "a tested window of a series",
		Dependence: "Runs for the windows of a series share training windows, and windows near each other are alike: " +
			"blocks depend on each other, and p is too small. The corrected p values of the table count that."}
	if of[0].split == Random {
		b.Each = "a series with a seed, which splits it"
		b.Dependence = "Splits of a series share windows: blocks depend on each other, and p is too small. The corrected p " +
			"values of the table count that."
	}
	at := make(map[string]map[string]float64) // by block and model
	for _, c := range of {
		for _, row := range c.rows {
			if row.variant != standard {
				continue
			}
			if b.Names[row.ID] == "" {
				b.Names[row.ID], b.Models = row.Name, append(b.Models, row.ID)
			}
			blocks, errors := row.blocks, row.errors
			if c.split == Random { // also for a row that lacks seeds
				blocks, errors = nil, row.Scores("test")
				for _, result := range row.Results {
					blocks = append(blocks, int(result.Seed))
				}
			}
			for i, e := range errors {
				block := fmt.Sprintf("%s, %d", c.heading(), blocks[i])
				if at[block] == nil {
					at[block], b.Matrix.Blocks = make(map[string]float64), append(b.Matrix.Blocks, block)
				}
				at[block][row.ID] = e
			}
		}
	}
	for _, block := range b.Matrix.Blocks {
		var row []float64
		for _, id := range b.Models {
			e, ok := at[block][id]
			if !ok {
				e = math.NaN()
			}
			row = append(row, e)
		}
		b.Values = append(b.Values, row)
	}
	return b
}
