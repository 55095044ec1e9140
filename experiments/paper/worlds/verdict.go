package worlds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/stats"
)

// Verdict says how the study's first subject compares with its rivals, which models have the lowest errors and which
// diverged. The matrix compares the subjects with their rivals, details has all numbers.
func (w Worlds) Verdict(r *experiments.Report) (text string, matrix, details *figures.Table, err error) {
	stored, planned := r.Count()
	if stored == 0 {
		return "", nil, nil, nil
	}
	contests := w.contests(r.Results)
	leaders := lowest(contests)
	text = cmp.Or(leaders, "No model is best yet: in no world do two models have all their seeds.") + diverged(r.Results)
	if stored < planned {
		text += fmt.Sprintf(" Stored runs: %d of %d planned.", stored, planned)
	}
	if leaders == "" || !r.Comparable() {
		return text, nil, nil, nil
	}
	m, err := w.matrix(r)
	if err != nil || len(m.Lines) == 0 {
		return text, nil, nil, err
	}
	return summary(m, contests) + text, m.Table(), m.Details(), nil
}

// mostNamed is the number of rivals that a summary names one by one.
const mostNamed = 3

// summary says how the first subject of a matrix compares over each set of several worlds with a tested rival, and how
// many rivals are undecided or not tested. Of many better or worse ones it names the nearest and the farthest.
func summary(m judge.Matrix, contests []contest) (text string) {
	for at, c := range contests {
		if !c.several || c.additional {
			continue
		}
		compared, all := make(map[stats.Outcome][]judge.Line), 0
		for _, l := range m.Lines {
			if o := l.Findings[at].Outcome; l.Row == m.Lines[0].Row {
				compared[o], all = append(compared[o], l), all+1
			}
		}
		untested := len(compared[stats.NotTested])
		rivals := all - untested
		var parts []string
		for _, o := range []stats.Outcome{stats.Better, stats.Worse} {
			lines := compared[o]
			slices.SortStableFunc(lines, func(a, b judge.Line) int {
				return cmp.Compare(math.Abs(a.Findings[at].Difference), math.Abs(b.Findings[at].Difference))
			})
			var changed []string
			for _, l := range lines {
				changed = append(changed, fmt.Sprintf("%s (%s)", l.Rival, m.Write(l.Findings[at].Difference, 0)))
			}
			switch {
			case len(lines) > mostNamed:
				count := fmt.Sprintf("%d of %d", len(lines), rivals)
				if len(lines) == rivals {
					count = "all " + strconv.Itoa(rivals)
				}
				parts = append(parts, fmt.Sprintf("%s than %s tested models, from %s to %s", o, count, changed[0],
					changed[len(changed)-1]))
			case len(lines) > 0:
				parts = append(parts, string(o)+" than "+judge.Enumerate(changed))
			}
		}
		says, undecided := m.Lines[0].Row+" is "+strings.Join(parts, ", and "), len(compared[stats.NotShown])
		switch {
		case rivals == 0:
			continue
		case parts == nil:
			from := plain.Count(rivals, "model")
			if rivals <= mostNamed {
				from = judge.Enumerate(names(compared[stats.NotShown]))
			}
			says = fmt.Sprintf("no difference of %s from %s is shown", m.Lines[0].Row, from)
		case undecided > 0:
			says += fmt.Sprintf("; %d undecided", undecided)
		}
		if untested > 0 {
			says += fmt.Sprintf("; %d not tested", untested)
		}
		text += fmt.Sprintf("%s: %s. ", plain.Capital(c.name), says)
	}
	return text
}

// names returns the names of the rivals of lines.
func names(lines []judge.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.Rival)
	}
	return all
}

// lowest says which models have the lowest errors and where; "" if no world has two models with all their seeds. Models
// with missing or diverged runs are left out.
func lowest(contests []contest) string {
	lead, compared := make(map[string][]string), 0 // worlds by name of the model
	var leading []string
	for _, c := range contests {
		best, least, complete := "", math.Inf(1), 0
		for _, id := range c.results.Values("model") {
			runs := c.results.Where("model", id)
			if runs.Gap() != "" {
				continue
			}
			complete++
			if mean := stat.Mean(runs.Scores(string(OnTest)), nil); mean < least {
				best, least = runs[0].Model.Name, mean
			}
		}
		if c.several || complete < 2 {
			continue
		}
		compared++
		lead[best] = append(lead[best], c.name)
		if !slices.Contains(leading, best) {
			leading = append(leading, best)
		}
	}
	slices.SortStableFunc(leading, func(a, b string) int { return len(lead[b]) - len(lead[a]) })
	for i, name := range leading {
		where := strings.Join(lead[name], " and ")
		if led := len(lead[name]); led > 2 {
			where = fmt.Sprintf("%d of %d worlds", led, compared)
		}
		if i == 0 {
			name = "Among models with all their seeds " + name + " has the lowest mean error"
		}
		leading[i] = name + " in " + where
	}
	if leading == nil {
		return ""
	}
	return strings.Join(leading, "; ") + "."
}

// diverged names the models with diverged runs, after a space; "" if there is none.
func diverged(results experiments.Results) string {
	var models []string
	for _, id := range results.Values("model") {
		made := results.Where("model", id).Made()
		if count := len(made) - len(made.Finished()); count > 0 {
			models = append(models, fmt.Sprintf("%s in %d of %d runs", made[0].Model.Name, count, len(made)))
		}
	}
	if models == nil {
		return ""
	}
	return " Training diverged for " + judge.Enumerate(models) + "."
}

// contest is a set of worlds in which models are compared: one world with its seeds, or several together.
type contest struct {
	name    string
	results experiments.Results
	several bool
	// additional means that another contest has most of the same worlds.
	additional bool
	// paper returns how much lower the paper's error of a model is than another's; "" if it prints none.
	paper func(model, other string) string
}

// contests returns the columns of the matrix.
func (w Worlds) contests(results experiments.Results) (all []contest) {
	for _, v := range w.seen(results) {
		some := v.of(results)
		columns := some.Values(v.columns)
		for _, column := range columns {
			name := fmt.Sprintf(v.world, column)
			if slices.ContainsFunc(all, func(c contest) bool { return c.name == name }) { // two views have it
				continue
			}
			all = append(all, contest{name: name, results: some.Where(v.columns, column),
				paper: func(model, other string) string {
					if printed := printedRatio(v.keys["dynamics"], model, other,
						[]worldAt{{family: column}}); !math.IsNaN(printed.Mean) {
						return "the paper: " + change(printed.Mean, 0)
					}
					return ""
				}})
		}
		if v.together != "" && len(columns) > 1 {
			all = append(all, contest{name: v.together, results: some, several: true})
		}
	}
	if w.strong != nil {
		if strong := w.strong(results); strong != nil {
			all = append(all, *strong)
		}
	}
	return all
}

var worldsNote = prose.Text("pairs")

// matrix compares the subjects with their rivals, in each world and in several together.
func (w Worlds) matrix(r *experiments.Report) (m judge.Matrix, err error) {
	contests := w.contests(r.Results)
	m = judge.Matrix{Title: "Better or worse, by world", Score: "errors", Write: change, Notes: []string{worldsNote}}
	for _, c := range contests {
		m.Cases = append(m.Cases, c.name)
	}
	for i, subject := range w.subjects {
		if !slices.Contains(r.Models(), subject) {
			continue
		}
		rivals := others(r.Models(), subject)
		if w.rivalsOf != nil {
			rivals = w.rivalsOf
		}
		rivals = slices.DeleteFunc(slices.Clone(rivals), func(id string) bool { // such a pair has been compared
			return slices.Contains(w.subjects[:i], id)
		})
		for at, c := range contests {
			findings, err := c.findings(subject, rivals)
			if err != nil {
				return m, err
			}
			for i, f := range findings {
				m.Add(nameIn(r.Results, subject), nameIn(r.Results, rivals[i]), at, f)
			}
		}
	}
	m.Tested()
	return m, nil
}

// notPlanned says why a model without runs is not compared.
const notPlanned = "is not planned here"

// findings compares a model with each of its rivals. P values are corrected for the rivals that are planned here.
func (c contest) findings(model string, rivals []string) ([]judge.Finding, error) {
	findings, planned := make([]judge.Finding, len(rivals)), make([]string, 0, len(rivals))
	for i, id := range rivals {
		if len(c.results.Where("model", id)) == 0 {
			findings[i].Note = nameIn(c.results, id) + " " + notPlanned
		} else {
			planned = append(planned, id)
		}
	}
	compared, err := c.compare(model, planned)
	if err != nil {
		return nil, err
	}
	for k, id := range planned {
		findings[slices.Index(rivals, id)] = compared[k]
	}
	return findings, nil
}

// compare is findings for planned rivals.
func (c contest) compare(model string, rivals []string) (findings []judge.Finding, err error) {
	if c.several {
		compared, err := ratios(c.results, model, rivals, OnTest)
		if err != nil {
			return nil, err
		}
		var tested []*judge.Finding
		for i := range compared {
			if r := &compared[i]; r.gap != "" {
				r.Note = r.gap
			} else {
				r.Note, tested = r.worldsOf(), append(tested, &r.Finding)
			}
		}
		err = judge.Correct(tested, len(compared)-len(tested))
		for _, r := range compared {
			findings = append(findings, r.Finding)
		}
		return findings, err
	}
	rows := make([]judge.Row, len(rivals))
	for i, id := range rivals {
		rows[i] = c.row(id)
	}
	findings, err = judge.Beside(c.row(model), rows, stats.Test{})
	for i, f := range findings {
		if f.Outcome != stats.NotTested {
			findings[i].Note = c.paper(model, rivals[i])
		}
	}
	return findings, err
}

// row returns the logarithms of a model's errors by seed.
func (c contest) row(id string) judge.Row {
	runs := c.results.Where("model", id)
	row := judge.Row{Name: nameIn(c.results, id), Gap: runs.Gap()}
	if len(runs) == 0 {
		row.Gap = notPlanned
	} else if row.Gap == "" {
		for i, e := range runs.Scores(string(OnTest)) {
			row.Blocks, row.Errors = append(row.Blocks, int(runs[i].Seed)), append(row.Errors, logOf(e))
		}
	}
	return row
}

// nameIn returns the name of a model in results, else in the tables of the paper.
func nameIn(results experiments.Results, id string) string {
	if some := results.Where("model", id); len(some) > 0 {
		return some[0].Model.Name
	}
	return worldName(id)
}
