package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Claim is one of the paper's, in our words.
type Claim struct {
	// ID is for links.
	ID string
	// Says is the claim, Printed where the paper has it.
	Says, Printed string
	// Studies are those whose runs judge it.
	Studies []string
	// Find says what the evidence shows, case by case.
	Find Finder
}

// Finder says what the evidence shows of a claim, case by case.
type Finder func(Evidence) ([]Case, error)

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
	Open           Verdict = "not shown either way"
	Untested       Verdict = "not yet tested"
)

// Verdicts lists them.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsOnlyWhere, DoesNotHold, Open, Untested} }

// Case is what stored runs say of a claim in one case: better is as claimed, worse against it.
type Case struct {
	// Group and Name name it, such as "heat" and "Original GN-CDE"; Group is "" where the claim has one.
	Group, Name string
	// Finding has the numbers in its note, or why there are none.
	Finding
	// Left says which runs the numbers lack.
	Left []string
	// Substitute says that the case is of other data than the paper's, so that the verdict does not count it.
	Substitute bool
	// tested has an outcome from its p value, to be corrected for all cases of the claim; but decided, where set.
	Tested  bool
	Decided Outcome
}

// says words outcomes for claims.
var says = map[Outcome]string{Better: "as claimed", Worse: "against it",
	NotShown: "not shown either way", NotTested: "not yet tested"}

// Says words the outcome.
func (c Case) Says() string { return says[c.Outcome] }

// Missing is a case without numbers.
func Missing(group, name, why string) Case {
	return Case{Group: group, Name: name, Finding: Finding{Note: why}}
}

// Judgement is the verdict on a claim, with what it is made of.
type Judgement struct {
	Claim
	Verdict Verdict
	Cases   []Case
	// Left says which runs the numbers lack.
	Left []string
}

// Judge makes the verdict on a claim.
func (c Claim) Judge(e Evidence) (Judgement, error) {
	cases, err := c.Find(e)
	if err == nil {
		err = CorrectCases(cases)
	}
	if err != nil {
		return Judgement{}, fmt.Errorf("experiments: claim %s: %w", c.ID, err)
	}
	j := Judgement{Claim: c, Cases: cases, Verdict: Untested}
	counts, counted := make(map[Outcome]int), 0
	for _, f := range cases {
		if f.Substitute {
			continue
		}
		counts[f.Outcome]++
		counted++
		for _, left := range f.Left {
			if f.Group != "" {
				left = f.Group + ": " + left
			}
			if !slices.Contains(j.Left, left) {
				j.Left = append(j.Left, left)
			}
		}
	}
	switch shown := counts[Better]; {
	case shown > 0 && shown == counted && j.Left == nil:
		j.Verdict = Holds
	case shown > 0:
		j.Verdict = HoldsOnlyWhere
	case counts[Worse] > 0:
		j.Verdict = DoesNotHold
	case counts[NotShown] > 0:
		j.Verdict = Open
	}
	return j, nil
}

// CorrectCases makes the outcomes of tests, with a correction for all cases of a claim, those not tested among them.
func CorrectCases(cases []Case) error {
	var tested []*Finding
	untested := 0
	for i := range cases {
		switch c := &cases[i]; {
		case c.Tested:
			tested = append(tested, &c.Finding)
		case c.Outcome == NotTested && !c.Substitute:
			untested++
		}
	}
	if err := Correct(tested, untested); err != nil {
		return err
	}
	for i := range cases {
		if c := &cases[i]; c.Tested {
			c.Outcome = cmp.Or(c.Decided, c.Outcome)
			c.Note += ", corrected p " + Probability(c.P)
		}
	}
	return nil
}

// CaseList names the cases of an outcome by group, such as "heat: Constant, GN-ODE; gene: all 2".
type CaseList struct {
	Outcome Outcome
	Names   string
	// Why says why cases are not tested; "" for other outcomes.
	Why string
}

// Says words the outcome.
func (c CaseList) Says() string { return says[c.Outcome] }

// Lists has the cases of each outcome that occurs, and of those not tested each reason.
func (j Judgement) Lists() (all []CaseList) {
	of := make(map[CaseList][]Case) // without names
	counts := make(map[string]int)  // by group
	for _, c := range j.Cases {
		counts[c.Group]++
		key := CaseList{Outcome: c.Outcome}
		if c.Outcome == NotTested {
			key.Why = c.Note
		}
		if of[key] == nil {
			all = append(all, key)
		}
		of[key] = append(of[key], c)
	}
	order := []Outcome{Better, Worse, NotShown, NotTested}
	slices.SortStableFunc(all, func(a, b CaseList) int {
		return slices.Index(order, a.Outcome) - slices.Index(order, b.Outcome)
	})
	for i, key := range all {
		all[i].Names = strings.Join(byGroup(of[key], counts), "; ")
	}
	return all
}

// Where names the cases in which a claim holds that does not hold in all.
func (j Judgement) Where() string {
	if lists := j.Lists(); j.Verdict == HoldsOnlyWhere {
		return lists[0].Names
	}
	return ""
}

// byGroup names cases by group; counts are of all cases of a group.
func byGroup(cases []Case, counts map[string]int) (groups []string) {
	names := make(map[string][]string)
	for _, c := range cases {
		if names[c.Group] == nil {
			groups = append(groups, c.Group)
		}
		names[c.Group] = append(names[c.Group], c.Name)
	}
	for i, group := range groups {
		some := names[group]
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
func (e Evidence) Usable(study string) (r *experiments.Report, why string) {
	r = e.Reports[study]
	switch {
	case r == nil || len(r.Results.Made()) == 0:
		return nil, "no run is stored"
	case !r.Comparable():
		return nil, fmt.Sprintf("profile %s compares no models", r.Profile)
	}
	return r, ""
}
