package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Evidence is what claims are judged by.
type Evidence struct {
	// Reports are those of the studies, by name; of one that is not there nothing is stored.
	Reports map[string]*experiments.Report
	// EpochSeconds are those of a training epoch, by ID of the model and number of nodes; EpochMachine is what they were
	// measured on.
	EpochSeconds map[string]map[int]float64
	EpochMachine string
}

// Verdict is what stored runs say of a claim.
type Verdict string

const (
	Holds          Verdict = "holds"
	HoldsOnlyWhere Verdict = "holds only where"
	DoesNotHold    Verdict = "does not hold"
	NotTested      Verdict = "not yet tested"
)

// Verdicts lists them.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsOnlyWhere, DoesNotHold, NotTested} }

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
	// Numbers are what the outcome is made of, or what is missing.
	Numbers string
	// Left says which runs the numbers lack.
	Left []string
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
	j := Judgement{Claim: c, Findings: findings, Verdict: NotTested}
	counts := make(map[Outcome]int)
	for _, f := range findings {
		counts[f.Outcome]++
		for _, left := range f.Left {
			if !slices.Contains(j.Left, left) {
				j.Left = append(j.Left, left)
			}
		}
	}
	switch shown := counts[AsClaimed]; {
	case shown > 0 && shown == len(findings) && j.Left == nil:
		j.Verdict = Holds
	case shown > 0:
		j.Verdict = HoldsOnlyWhere
	case counts[Against] > 0:
		j.Verdict = DoesNotHold
	}
	return j, nil
}

// CaseList names the cases of an outcome by group, such as "heat: Constant, GN-ODE; gene: all 2".
type CaseList struct {
	Outcome Outcome
	Names   string
	// Why says of cases that are [Missing] what is.
	Why string
}

// Cases are those of each outcome that occurs; those of [Missing] by what is missing.
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
