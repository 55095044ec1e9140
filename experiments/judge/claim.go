package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// Claim is one claim of the paper, in our words.
type Claim struct {
	// ID is used in links.
	ID string
	// Says states the claim; Printed tells where the paper states it.
	Says, Printed string
	// Studies names the studies whose runs judge the claim.
	Studies []string
	// Find returns what the evidence shows, case by case. Recommended, if not nil, does the same with the field of
	// pengcde.Recommended in place of the published one.
	Find, Recommended Finder
}

// Finder returns what the evidence shows about a claim, case by case.
type Finder func(Evidence) ([]Case, error)

// Evidence is the data that claims are judged by.
type Evidence struct {
	// Reports maps names of studies to reports; a study that is not in it counts as having no stored run.
	Reports map[string]*experiments.Report
	// EpochSeconds holds the seconds per training epoch, by model ID and number of nodes. EpochMachine is the machine
	// that measured them.
	EpochSeconds map[string]map[int]float64
	EpochMachine string
}

// Verdict is the conclusion from stored runs about a claim.
type Verdict string

const (
	Holds          Verdict = "holds"
	HoldsOnlyWhere Verdict = "holds only where"
	DoesNotHold    Verdict = "does not hold"
	Open           Verdict = "not shown either way"
	Untested       Verdict = "not yet tested"
)

// Verdicts lists all verdicts.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsOnlyWhere, DoesNotHold, Open, Untested} }

// Case is what stored runs show about a claim in one case: Better supports the claim, Worse contradicts it.
type Case struct {
	// Group and Name identify the case, such as "heat" and "Original GN-CDE". Group is "" if the claim has only one.
	Group, Name string
	// The note of Finding has the numbers, or why there are none.
	Finding
	// Left describes the runs that the numbers lack.
	Left []string
	// Substitute reports that the case uses other data than the paper, so the verdict does not count it.
	Substitute bool
	// Tested means that the outcome comes from the p value, corrected for all cases of the claim, unless Decided is
	// set.
	Tested  bool
	Decided stats.Outcome
}

// says words the outcomes of claims.
var says = map[stats.Outcome]string{stats.Better: "as claimed", stats.Worse: "against it",
	stats.NotShown: "not shown either way", stats.NotTested: "not yet tested"}

// Says returns the outcome in words.
func (c Case) Says() string { return says[c.Outcome] }

// Missing returns a case without numbers.
func Missing(group, name, why string) Case {
	return Case{Group: group, Name: name, Finding: Finding{Note: why}}
}

// Judgement is the verdict on a claim, with the cases behind it.
type Judgement struct {
	Claim
	Verdict Verdict
	Cases   []Case
	// Left describes the runs that the numbers lack.
	Left []string
}

// Judge returns the verdict on a claim.
func (c Claim) Judge(e Evidence) (Judgement, error) {
	cases, err := c.Find(e)
	if err == nil {
		err = CorrectCases(cases)
	}
	if err != nil {
		return Judgement{}, fmt.Errorf("experiments: claim %s: %w", c.ID, err)
	}
	j := Judgement{Claim: c, Cases: cases, Verdict: Untested}
	counts, counted := make(map[stats.Outcome]int), 0
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
	switch shown := counts[stats.Better]; {
	case shown > 0 && shown == counted && j.Left == nil:
		j.Verdict = Holds
	case shown > 0:
		j.Verdict = HoldsOnlyWhere
	case counts[stats.Worse] > 0:
		j.Verdict = DoesNotHold
	case counts[stats.NotShown] > 0:
		j.Verdict = Open
	}
	return j, nil
}

// CorrectCases sets the outcomes of tested cases, with a correction for all cases of a claim, including untested
// ones. Cases on other data than the paper's have a correction of their own, so that they do not change a verdict.
func CorrectCases(cases []Case) error {
	for _, substitute := range []bool{false, true} {
		var tested []*Finding
		untested := 0
		for i := range cases {
			switch c := &cases[i]; {
			case c.Substitute != substitute:
			case c.Tested:
				tested = append(tested, &c.Finding)
			case c.Outcome == stats.NotTested:
				untested++
			}
		}
		if err := Correct(tested, untested); err != nil {
			return err
		}
	}
	for i := range cases {
		if c := &cases[i]; c.Tested {
			c.Outcome = cmp.Or(c.Decided, c.Outcome)
			c.Note += ", corrected p " + Probability(c.P)
		}
	}
	return nil
}

// CaseList names the cases with one outcome by group, such as "heat: Constant, GN-ODE; gene: all 2".
type CaseList struct {
	Outcome stats.Outcome
	Names   string
	// Why is the reason why cases are not tested; "" for other outcomes.
	Why string
}

// Says returns the outcome in words.
func (c CaseList) Says() string { return says[c.Outcome] }

// Lists returns the cases of each outcome that occurs, and the untested cases by reason.
func (j Judgement) Lists() (all []CaseList) {
	of := make(map[CaseList][]Case) // keys without names
	counts := make(map[string]int)  // by group
	for _, c := range j.Cases {
		counts[c.Group]++
		key := CaseList{Outcome: c.Outcome}
		if c.Outcome == stats.NotTested {
			key.Why = c.Note
		}
		if of[key] == nil {
			all = append(all, key)
		}
		of[key] = append(of[key], c)
	}
	order := []stats.Outcome{stats.Better, stats.Worse, stats.NotShown, stats.NotTested}
	slices.SortStableFunc(all, func(a, b CaseList) int {
		return slices.Index(order, a.Outcome) - slices.Index(order, b.Outcome)
	})
	for i, key := range all {
		all[i].Names = strings.Join(byGroup(of[key], counts), "; ")
	}
	return all
}

// Where names the cases in which a claim holds, if it does not hold in all.
func (j Judgement) Where() string {
	if lists := j.Lists(); j.Verdict == HoldsOnlyWhere {
		return lists[0].Names
	}
	return ""
}

// InWords returns the verdict with the number of cases behind it, and the cases in which the claim holds, if it does
// not hold in all.
func (j Judgement) InWords() string {
	of, counted := make(map[stats.Outcome][]Case), 0
	for _, c := range j.Cases {
		if !c.Substitute {
			of[c.Outcome] = append(of[c.Outcome], c)
			counted++
		}
	}
	text := string(j.Verdict)
	behind := map[Verdict]stats.Outcome{HoldsOnlyWhere: stats.Better, DoesNotHold: stats.Worse, Open: stats.NotShown,
		Untested: stats.NotTested}[j.Verdict]
	share := fmt.Sprintf("%d of %d cases", len(of[behind]), counted)
	switch {
	case j.Verdict == HoldsOnlyWhere:
		text = fmt.Sprintf("holds in %s: %s", share, strings.Join(byGroup(of[behind], nil), "; "))
		if len(of[behind]) == counted {
			text += "; runs are missing or diverged"
		}
	case len(of[behind]) < counted && j.Verdict == DoesNotHold:
		text += ": against it in " + share
	case len(of[behind]) < counted && j.Verdict == Open:
		text += " in " + share
	}
	var others []string
	for _, o := range []stats.Outcome{stats.Worse, stats.NotShown, stats.NotTested} {
		if count := len(of[o]); count > 0 && o != behind {
			others = append(others, fmt.Sprintf("%d %s", count, says[o]))
		}
	}
	if others != nil {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}

// byGroup names cases by group, such as "heat and gene: GN-ODE"; counts gives the number of all cases of a group.
func byGroup(cases []Case, counts map[string]int) (groups []string) {
	names := make(map[string][]string)
	for _, c := range cases {
		if names[c.Group] == nil {
			groups = append(groups, c.Group)
		}
		names[c.Group] = append(names[c.Group], c.Name)
	}
	var texts []string
	with := make(map[string][]string) // the groups of a text
	for _, group := range groups {
		some := names[group]
		text := strings.Join(some, ", ")
		if group != "" && len(some) > 1 && len(some) == counts[group] {
			text = fmt.Sprintf("all %d", len(some))
		}
		if with[text] == nil {
			texts = append(texts, text)
		}
		with[text] = append(with[text], group)
	}
	for i, text := range texts {
		if groups := Enumerate(with[text]); groups != "" {
			texts[i] = groups + ": " + text
		}
	}
	return texts
}

// Usable returns the report of a study if its models may be compared, and otherwise the reason why not.
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
