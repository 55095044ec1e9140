package ranking

import (
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
)

// Claims on trade are judged by paired scores, where more is better.
func TestClaimsOnTrade(t *testing.T) {
	_, r := rankings(t, experiments.Medium, func(run experiments.Run) float64 {
		wobble := 0.001*float64(run.Fold%3) + 0.0003*float64(run.Seed)
		switch run.Model.ID {
		case "peng":
			return 0.9 + wobble
		case "original":
			return 0.7 + 2*wobble
		case "stg-ncde":
			return 0.95 + 1.5*wobble
		case "peng-identities":
			return 0
		}
		return 0.5
	})
	e := judge.Evidence{Reports: map[string]*experiments.Report{"node-affinity": r}}
	const trade = "other trade, of 69 countries, "
	const both = trade + "rotation over label times and " + trade + "paper's windows: "
	studytest.Expect(t, Finders(), "trade", e, judge.Untested, "as claimed "+both+"GN-CDE",
		"against it "+both+"STG-NCDE", "not yet tested tgbn-trade: all 2")
	studytest.Expect(t, Finders(), "genre", e, judge.Untested, "do not come with the module")
	studytest.Expect(t, Finders(), "identities", e, judge.Untested, "PENG-CDE with source and target identities "+
		"missing, 24 of 24")
}
