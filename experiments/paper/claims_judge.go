package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/stats"
)

// Evidence is what claims are judged by.
type Evidence struct {
	// Reports has the reports on studies, by name; a study without one counts as having no stored run.
	Reports map[string]*experiments.Report
	// EpochSeconds are the seconds of a training epoch, by ID of the model and number of nodes; EpochMachine is the
	// machine that they were measured on.
	EpochSeconds map[string]map[int]float64
	EpochMachine string
}

// Verdict is what stored runs say of a claim.
type Verdict string

const (
	Holds          Verdict = "holds"
	HoldsOnlyWhere Verdict = "holds only where"
	DoesNotHold    Verdict = "does not hold"
	NotShown       Verdict = "not shown either way"
	NotTested      Verdict = "not yet tested"
)

// Verdicts lists them.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsOnlyWhere, DoesNotHold, NotShown, NotTested} }

// Outcome is what the runs of one case say.
type Outcome string

const (
	AsClaimed Outcome = "as claimed"
	Against   Outcome = "against it"
	Unshown   Outcome = "not shown either way"
	Missing   Outcome = "not yet tested"
)

// Finding is what stored runs say of a claim in one case.
type Finding struct {
	// Group and Case name it, such as "heat" and "Original GN-CDE"; Group is "" where the claim has one.
	Group, Case string
	Outcome     Outcome
	// Numbers are the numbers behind the outcome, or say why it is [Missing].
	Numbers string
	// Left says which runs the numbers lack.
	Left []string
	// Substitute says that the case is of other data than the paper's, so that the verdict does not count it.
	Substitute bool
	// test, where not nil, makes the outcome as soon as it is corrected for all cases of the claim: below 0 is as
	// claimed.
	test *stats.Difference
}

// Judgement is the verdict on a claim, with what it is made of.
type Judgement struct {
	Claim
	Verdict  Verdict
	Findings []Finding
	// Left says which runs the numbers lack.
	Left []string
}

// Judge makes the verdict on a claim.
func (c Claim) Judge(e Evidence) (Judgement, error) {
	findings, err := c.find(e)
	if err != nil {
		return Judgement{}, fmt.Errorf("experiments: claim %s: %w", c.ID, err)
	}
	if err := correct(findings); err != nil {
		return Judgement{}, fmt.Errorf("experiments: claim %s: %w", c.ID, err)
	}
	j := Judgement{Claim: c, Findings: findings, Verdict: NotTested}
	counts, cases := make(map[Outcome]int), 0
	for _, f := range findings {
		if f.Substitute {
			continue
		}
		counts[f.Outcome]++
		cases++
		for _, left := range f.Left {
			if f.Group != "" {
				left = f.Group + ": " + left
			}
			if !slices.Contains(j.Left, left) {
				j.Left = append(j.Left, left)
			}
		}
	}
	switch shown := counts[AsClaimed]; {
	case shown > 0 && shown == cases && j.Left == nil:
		j.Verdict = Holds
	case shown > 0:
		j.Verdict = HoldsOnlyWhere
	case counts[Against] > 0:
		j.Verdict = DoesNotHold
	case counts[Unshown] > 0:
		j.Verdict = NotShown
	}
	return j, nil
}

// correct makes the outcomes of tests, after Holm's correction for all cases of a claim. Missing cases count as if
// they showed nothing, so that no correction depends on which runs are stored.
func correct(findings []Finding) error {
	var p []float64
	var tested []*Finding
	for i := range findings {
		switch f := &findings[i]; {
		case f.test != nil:
			tested = append(tested, f)
			p = append(p, f.test.P)
		case f.Outcome == Missing && !f.Substitute:
			p = append(p, 1)
		}
	}
	// Those that are missing come last among equals, which does not matter to Holm.
	slices.SortStableFunc(tested, func(a, b *Finding) int { return cmp.Compare(a.test.P, b.test.P) })
	slices.Sort(p)
	corrected, err := stats.Holm(p)
	if err != nil {
		return err
	}
	for i, f := range tested {
		f.test.Corrected = corrected[i]
		if f.Outcome == "" {
			f.Outcome = outcomeOf(*f.test)
		}
		f.Numbers += ", corrected p " + judge.Probability(f.test.Corrected)
	}
	return nil
}

// outcomeOf judges the claim that the errors of a model are below the errors of a rival.
func outcomeOf(d stats.Difference) Outcome {
	switch {
	case d.Better(judge.Level):
		return AsClaimed
	case d.Worse(judge.Level):
		return Against
	}
	return Unshown
}

// CaseList names the cases of an outcome by group, such as "heat: Constant, GN-ODE; gene: all 2".
type CaseList struct {
	Outcome Outcome
	Names   string
	// Why says why cases are [Missing]; "" for other outcomes.
	Why string
}

// Cases lists the cases of each outcome that occurs, and [Missing] ones by their reason.
func (j Judgement) Cases() (all []CaseList) {
	of := make(map[CaseList][]Finding) // without names
	counts := make(map[string]int)     // by group
	for _, f := range j.Findings {
		counts[f.Group]++
		key := CaseList{Outcome: f.Outcome}
		if f.Outcome == Missing {
			key.Why = f.Numbers
		}
		if of[key] == nil {
			all = append(all, key)
		}
		of[key] = append(of[key], f)
	}
	order := []Outcome{AsClaimed, Against, Unshown, Missing}
	slices.SortStableFunc(all, func(a, b CaseList) int {
		return slices.Index(order, a.Outcome) - slices.Index(order, b.Outcome)
	})
	for i, key := range all {
		all[i].Names = strings.Join(byGroup(of[key], counts), "; ")
	}
	return all
}

// byGroup names cases by group; counts are of all cases of a group.
func byGroup(findings []Finding, counts map[string]int) (groups []string) {
	cases := make(map[string][]string)
	for _, f := range findings {
		if cases[f.Group] == nil {
			groups = append(groups, f.Group)
		}
		cases[f.Group] = append(cases[f.Group], f.Case)
	}
	for i, group := range groups {
		some := cases[group]
		switch text := strings.Join(some, ", "); {
		case group == "":
			groups[i] = text
		case len(some) > 1 && len(some) == counts[group]:
			groups[i] = fmt.Sprintf("%s: all %d", group, len(some))
		default:
			groups[i] = group + ": " + text
		}
	}
	return groups
}

// usable is the report of a study, where models may be compared by it; else why not.
func (e Evidence) usable(study string) (r *experiments.Report, why string) {
	r = e.Reports[study]
	switch {
	case r == nil || len(r.Results.Made()) == 0:
		return nil, "no run is stored"
	case !r.Comparable():
		return nil, fmt.Sprintf("profile %s compares no models", r.Profile)
	}
	return r, ""
}
