package paper

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// ranksAbove finds whether a row of node-affinity has a higher NDCG@10 than others, on the first data, which the paper
// has, and on others in its place.
func ranksAbove(model string, others []string, data ...string) func(Evidence) ([]Finding, error) {
	return func(e Evidence) (all []Finding, err error) {
		report, why := e.usable("node-affinity")
		for _, name := range data {
			if report != nil {
				if results := report.Results.Where("data", name); len(results) > 0 {
					some, err := affinityFindings(results, name, model, others)
					if err != nil {
						return nil, err
					}
					all = append(all, some...)
					continue
				}
				why = "these data of the Temporal Graph Benchmark do not come with the module"
			}
			for _, id := range others {
				all = append(all, Finding{Group: tradeNames[name], Case: affinityName(id), Outcome: Missing, Numbers: why})
			}
		}
		return all, nil
	}
}

// tradeNames say what data are.
var tradeNames = map[string]string{"tgbn-trade": "tgbn-trade", "tgbn-genre": "tgbn-genre",
	otherTrade: "other trade, of 69 countries"}

// otherTrade names data in place of the Temporal Graph Benchmark's.
const otherTrade = "agtpa-trade"

// affinityName returns the paper's name of a row, else its ID.
func affinityName(id string) string {
	for _, row := range publishedAffinity {
		if row.id == id {
			return row.name
		}
	}
	return id
}

// scoring is a protocol with the scores of a row, nil where runs are missing, and the test of their differences.
type scoring struct {
	protocol Protocol
	test     stats.Test
	scores   func(id string) []float64
}

// affinityFindings are on some data, by label times of the rotation and by seeds of the paper's windows.
func affinityFindings(results experiments.Results, data, model string, others []string) (all []Finding, err error) {
	turned := rotationOf(results)
	windows := results.Where("protocol", string(RandomWindows))
	bySeed := func(id string) []float64 {
		row := windows.Where("model", id)
		if len(row) == 0 || row.Gap() != "" {
			return nil
		}
		return row.Scores(testScore)
	}
	protocols := []scoring{{YearRotation, turned.test, turned.byTime}}
	if _, test, ok := overWindows(results); ok {
		protocols = append(protocols, scoring{RandomWindows, test, bySeed})
	}
	for _, by := range protocols {
		own := by.scores(model)
		var compared [][]float64
		var at []int
		for _, id := range others {
			f := Finding{Group: tradeNames[data] + ", " + by.protocol.name(), Case: affinityName(id), Outcome: Missing,
				Substitute: data == otherTrade}
			scores := by.scores(id)
			if len(own) > 1 && len(scores) == len(own) {
				compared, at = append(compared, negative(scores)), append(at, len(all))
			} else {
				for _, row := range []string{model, id} {
					gap := results.Where("protocol", string(by.protocol)).Where("model", row).Gap()
					if gap != "" && f.Numbers == "" {
						f.Numbers = affinityName(row) + " " + gap
					}
				}
			}
			all = append(all, f)
		}
		differences, err := stats.Compare(negative(own), compared, by.test)
		if err != nil {
			return nil, err
		}
		for k, d := range differences {
			f := &all[at[k]]
			f.Outcome, f.test = "", &d
			f.Numbers = fmt.Sprintf("NDCG@10 %+.4f ± %.4f", -d.Mean, d.HalfWidth)
		}
	}
	return all, nil
}

// negative turns scores, of which more is better, into what [stats.Compare] takes.
func negative(scores []float64) []float64 {
	errors := make([]float64, len(scores))
	for i, score := range scores {
		errors[i] = -score
	}
	return errors
}
