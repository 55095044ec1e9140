package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper"
)

// table1 returns a part of the study of that name in a profile, with errors of some models in 12 worlds of heat.
func table1(t *testing.T, profile experiments.Profile, errors map[string]float64) *experiments.Part {
	t.Helper()
	study, err := paper.ByName("table1")
	if err != nil {
		t.Fatal(err)
	}
	r := &experiments.Report{Study: study, Profile: profile}
	for id, e := range errors {
		for block := range 12 {
			score := e * math.Pow(10, float64(block%4)) * (1 + 0.01*float64((block+len(id))%5))
			r.Results = append(r.Results, experiments.Result{
				Run: experiments.Run{Model: experiments.Row{ID: id, Name: id}, Seed: uint64(block / 4),
					Keys: map[string]string{"dynamics": "heat", "family": fmt.Sprint("family ", block%4)}},
				Record: &experiments.Record{Facts: &experiments.Facts{Scores: map[string]float64{"test": score}}}})
		}
	}
	r.All = r.Results
	return &experiments.Part{Report: r}
}

// A claim is judged by profile full where its runs test a case, else by the document's profile, for the published and
// the recommended field apart.
func TestClaimsOfTwoProfiles(t *testing.T) {
	d := &Document{Profile: experiments.Medium, Parts: []*experiments.Part{
		table1(t, experiments.Full, map[string]float64{"peng": 1, "recommended": 0.5, "constant": 1, "gn-ode": 0.2}),
		table1(t, experiments.Medium, map[string]float64{"peng": 0.5, "recommended": 1, "constant": 1, "gn-ode": 1,
			"dcrnn": 1, "astgcn": 1, "stidgcn": 1, "stg-ncde": 1}),
	}}
	claims, err := d.claims()
	if err != nil {
		t.Fatal(err)
	}
	of := make(map[string]judged)
	for _, c := range claims {
		of[c.ID] = c
	}
	untouched, rivals := of["untouched"], of["rivals"]
	if untouched.Profile != experiments.Full || untouched.Verdict != judge.DoesNotHold || untouched.Own == nil ||
		untouched.Own.Verdict != judge.HoldsOnlyWhere || untouched.Recommended.Verdict != judge.HoldsOnlyWhere {
		t.Errorf("untouched in profile %s: %s", untouched.Profile, untouched.InWords())
	}
	const want = "profile full: does not hold: against it in 1 of 8 cases (1 not shown either way, 6 not yet " +
		"tested). Profile medium: holds in 2 of 8 cases: heat: gn-ode, constant (6 not yet tested)"
	if got := untouched.InWords(); got != want {
		t.Errorf("untouched is %q, want %q", got, want)
	}
	var by []string
	for _, v := range untouched.ByField() {
		by = append(by, v.By)
	}
	if got := strings.Join(by, "; "); got != "published field, profile full; published field, profile medium; "+
		"recommended field, profile full; recommended field, profile medium" {
		t.Errorf("untouched by field: %s", got)
	}
	if rivals.Profile != experiments.Medium || rivals.Own != nil || rivals.Verdict != judge.HoldsOnlyWhere {
		t.Errorf("rivals in profile %s: %s", rivals.Profile, rivals.InWords())
	}
	if len(untouched.Links) != 1 || untouched.Links[0].ID != "table1-profile-full" || rivals.Links[0].ID != "table1" {
		t.Errorf("links %v and %v", untouched.Links, rivals.Links)
	}
	wealth := table1(t, experiments.Medium, map[string]float64{"peng": 1, "constant": 2})
	wealth.Report.Study = experiments.Study{Name: "table-wealth", Title: "Wealth"}
	claims, err = (&Document{Profile: experiments.Medium, Parts: append(d.Parts[:2:2], wealth)}).claims()
	at := slices.IndexFunc(claims, func(c judged) bool { return c.ID == "untouched" })
	if got := claims[at].InWords(); err != nil || !strings.HasPrefix(got, "profile full (Wealth: medium): ") ||
		!strings.Contains(got, ". Profile medium: ") {
		t.Errorf("%v: with a study that has no runs in profile full untouched is %q", err, got)
	}
	table, err := d.claimsTable()
	if err != nil || !strings.Contains(table, want) || strings.Contains(table, "An epoch of Pre-Mult") {
		t.Errorf("%v:\n%s", err, table)
	}
}
