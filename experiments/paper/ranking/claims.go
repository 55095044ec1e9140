package ranking

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// ranksAbove returns a finder that tests whether a row of node-affinity has a higher NDCG@10 than the others. The
// first data are the paper's; the other data substitute for them.
func ranksAbove(model string, others []string, data ...string) judge.Finder {
	return func(e judge.Evidence) (all []judge.Case, err error) {
		report, why := e.Usable("node-affinity")
		for _, name := range data {
			if report != nil {
				if results := report.Results.Where("data", name); len(results) > 0 {
					some, err := affinityCases(results, name, model, others)
					if err != nil {
						return nil, err
					}
					all = append(all, some...)
					continue
				}
				why = "these data of the Temporal Graph Benchmark do not come with the module"
			}
			for _, id := range others {
				all = append(all, judge.Missing(tradeNames[name], affinityName(id), why))
			}
		}
		return all, nil
	}
}

// tradeNames maps data to their names.
var tradeNames = map[string]string{"tgbn-trade": "tgbn-trade", "tgbn-genre": "tgbn-genre",
	otherTrade: "other trade, of 69 countries"}

// otherTrade names the data that replace the Temporal Graph Benchmark's.
const otherTrade = "agtpa-trade"

// affinityName returns the paper's name of a row, else its ID.
func affinityName(id string) string { return catalogue.PublishedName("tgb", id) }

// affinityCases returns the cases on one data set, by label times for the rotation and by seeds for the paper's
// windows.
func affinityCases(results experiments.Results, data, model string, others []string) (all []judge.Case, err error) {
	turned, err := rotationOf(results)
	if err != nil {
		return nil, err
	}
	windows, err := shuffledOf(results)
	if err != nil {
		return nil, err
	}
	protocols := []scoring{{YearRotation, turned.test, turned.row}}
	if windows != nil {
		protocols = append(protocols, scoring{RandomWindows, windows.test, func(id string) judge.Row {
			return bySeed(results.Where("protocol", string(RandomWindows)).Where("model", id))
		}})
	}
	for _, by := range protocols {
		row := func(id string) judge.Row {
			row := by.row(id)
			row.Name = affinityName(id)
			return row
		}
		rivals := make([]judge.Row, len(others))
		for i, id := range others {
			rivals[i] = row(id)
		}
		findings, err := judge.Beside(row(model), rivals, by.test)
		if err != nil {
			return nil, err
		}
		for i, f := range findings {
			c := judge.Case{Group: tradeNames[data] + ", " + by.protocol.name(), Name: rivals[i].Name, Finding: f,
				Substitute: data == otherTrade}
			if c.Tested = f.Outcome != stats.NotTested; c.Tested {
				c.Note = fmt.Sprintf("NDCG@10 %+.4f ± %.4f", f.Difference, f.Half)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// bySeed returns the scores of a row by seed.
func bySeed(runs experiments.Results) judge.Row {
	row := judge.Row{Gap: runs.Gap(), Better: figures.Higher}
	if row.Gap != "" {
		return row
	}
	for _, run := range runs {
		row.Blocks = append(row.Blocks, int(run.Seed))
	}
	row.Errors = runs.Scores(testScore)
	return row
}

// scoring is a protocol with the scores of a row and the test of their differences.
type scoring struct {
	protocol Protocol
	test     stats.Test
	row      func(id string) judge.Row
}

// Finders maps the IDs of the claims on rankings to their finders.
func Finders() map[string]judge.Finder {
	return map[string]judge.Finder{
		"trade": ranksAbove("peng", []string{"original", "stg-ncde"}, "tgbn-trade", otherTrade),
		"genre": ranksAbove("peng", []string{"original", "stg-ncde", catalogue.PersistentID, "moving-average"},
			"tgbn-genre"),
		"identities": ranksAbove("peng-identities", []string{"peng"}, "tgbn-trade", otherTrade),
	}
}
