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

// Claims are the paper's claims, in its order. Each is judged from stored runs alone.
func Claims() (all []judge.Claim) {
	finders := worlds.Finders()
	maps.Copy(finders, sir.Finders())
	maps.Copy(finders, series.Finders())
	maps.Copy(finders, ranking.Finders())
	for _, row := range catalogue.Table("claims.csv", claimsText) {
		all = append(all, judge.Claim{ID: row[0], Studies: strings.Fields(row[1]), Printed: row[2], Says: row[3],
			Find: finders[row[0]]})
	}
	return all
}

// JudgedBy says how claims are judged, for a page that shows verdicts.
const JudgedBy = "A verdict is computed from stored runs, case by case. The difference from a rival is shown by a " +
	"paired test, at 0.05 after Holm's correction for all cases of a claim, those not run among them. Simulated worlds, " +
	"that is families of graphs with a seed, are compared by signed ranks of the ratio of errors. Worlds of one seed " +
	"share times, events and the start of training, which ranks do not count, and there are few seeds: so a " +
	"difference is shown only where every seed's worlds have it in the mean. A model that diverged in a world has " +
	"the largest loss there; the percentages leave that world out. Series and trade are compared by differences " +
	"over seeds or tested windows, whose variance counts what they share; with few windows such tests reject too " +
	"often, so a p near 0.05 is a hint. How much lower an error is than the Original's is judged on graphs of the " +
	"published size alone, against the interval of what the paper prints. Changes of accuracy and of time are " +
	"judged over seeds by 95% intervals; seconds of an epoch by a factor of 1.25. A claim holds where all its " +
	"cases are as claimed and no run is left out; it holds only where some are; it does not hold where none is " +
	"and in some the opposite is shown. Where runs show nothing either way, it is not shown; where there are " +
	"none, not yet tested. Cases on other data than the paper's are listed, and count for no verdict."
