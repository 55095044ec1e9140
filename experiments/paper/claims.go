package paper

import (
	_ "embed" // for the list of claims
	"maps"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/ranking"
	"github.com/peng-cde/pengcde-go/experiments/paper/series"
	"github.com/peng-cde/pengcde-go/experiments/paper/sir"
	"github.com/peng-cde/pengcde-go/experiments/paper/worlds"
)

//go:embed claims.csv
var claimsText string

// Claims returns the paper's claims in its order. They are judged only from stored runs.
func Claims() (all []judge.Claim) {
	finders := worlds.Finders()
	maps.Copy(finders, sir.Finders())
	maps.Copy(finders, series.Finders())
	maps.Copy(finders, ranking.Finders())
	recommended := worlds.RecommendedFinders()
	for _, row := range catalogue.Table("claims.csv", claimsText) {
		all = append(all, judge.Claim{ID: row[0], Studies: strings.Fields(row[1]), Printed: row[2], Says: row[3],
			Find: finders[row[0]], Recommended: recommended[row[0]]})
	}
	return all
}

// JudgedBy explains how claims are judged, for a page that shows verdicts.
var JudgedBy = prose.Text("judged by")
