package series

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
	"github.com/peng-cde/pengcde-go/stats"
)

// judged lists the IDs of the rows that are compared with their rivals: the variants of PENG-CDE, which are not
// rivals of each other.
var judged = []string{"peng", "peng" + catalogue.TunedEnding, catalogue.AffineID, "peng-linear", "affine-linear",
	"residual"}

// besideLinear lists the judged rows with a linear part, which also stand beside the linear part alone: the difference
// is what their network adds.
var besideLinear = []string{"peng-linear", "affine-linear"}

// rival is a competitor of a row, with the result of the comparison.
type rival struct {
	name string
	judge.Finding
}

// bestSimple is the name of the first rival, the best simple forecast of each split.
const bestSimple = "best simple forecast"

// judge compares a row with the best simple forecast and with the rows of the other models in the same variant. Rows of
// other kinds are compared with the tuned rows, except the affine row, whose sizes are not tuned. A row that is not
// planned has no rivals, and nothing is tested without the errors of the simple forecasts.
func (c comparison) judge(id string) (rivals []rival, err error) {
	r := c.row(id)
	if r == nil {
		return nil, nil
	}
	own, best := r.judged(), judge.Row{Name: bestSimple, Gap: "is not known"}
	if c.best != nil {
		best = c.best.judged()
	} else {
		own.Errors, own.Gap = nil, "has no simple forecasts to stand beside"
	}
	variant := r.variant
	if model := r.model(); model != "peng" && model != catalogue.AffineID {
		variant = tuned
	}
	names, rows := []string{bestSimple}, []judge.Row{best}
	for _, other := range c.rows {
		if !other.Untrained && other.variant == variant && !slices.Contains(judged, other.model()) {
			names, rows = append(names, other.Name), append(rows, other.judged())
		}
	}
	if part := c.row("linear-alone"); part != nil && slices.Contains(besideLinear, id) {
		names, rows = append(names, part.Name), append(rows, part.judged())
	}
	findings, err := judge.Beside(own, rows, c.test)
	if err != nil {
		return nil, fmt.Errorf("experiments: %s, %s: %w", c.study.title(), c.split, err)
	}
	for i, f := range findings {
		if i == 0 && f.Outcome != stats.NotTested {
			f.Note = c.best.Name
		}
		rivals = append(rivals, rival{names[i], f})
	}
	return rivals, nil
}

// judged returns the row's errors by block.
func (r row) judged() judge.Row {
	return judge.Row{Name: r.Name, Blocks: r.blocks, Errors: r.errors, Gap: r.Gap()}
}

// signed formats a difference of errors, with its interval unless half is 0.
var signed = judge.Signed(size)

// verdict describes how the judged rows of a series and a split compare with the best simple forecast; "" if errors
// are missing.
func (c comparison) verdict() (string, error) {
	var parts []string
	for _, id := range judged {
		rivals, err := c.judge(id)
		if err != nil {
			return "", err
		}
		if len(rivals) > 0 && rivals[0].Outcome != stats.NotTested {
			parts = append(parts, fmt.Sprintf("%s: %s (%s, p %s)", c.row(id).Name, rivals[0].Outcome,
				signed(rivals[0].Difference, 0), judge.Probability(rivals[0].P)))
		}
	}
	if parts == nil {
		return "", nil
	}
	return fmt.Sprintf("Beside the best simple forecast here, %q: %s.", c.best.Name, strings.Join(parts, "; ")), nil
}

// verdict returns the findings of each judged row against the best simple forecast and each rival, by series and
// split. The text compares rows with the simple forecast; details has all numbers. All results are empty if errors
// are missing.
func verdict(comparisons []comparison) (text string, matrix, details *figures.Table, err error) {
	m := judge.Matrix{Title: "Better or worse, by series and split", Score: "errors", Write: signed}
	for _, c := range comparisons {
		m.Cases = append(m.Cases, c.heading())
	}
	for _, id := range judged {
		for at, c := range comparisons {
			rivals, err := c.judge(id)
			if err != nil {
				return "", nil, nil, err
			}
			for _, r := range rivals {
				m.Add(c.row(id).Name, r.name, at, r.Finding)
			}
		}
	}
	m.Tested()
	if len(m.Lines) == 0 {
		return "", nil, nil, nil
	}
	return answer(m, comparisons), m.Table(), m.Details(), nil
}

// answer says in two sentences which rows of a matrix are better or worse than the best simple forecast, where, and by
// how much.
func answer(m judge.Matrix, comparisons []comparison) string {
	var better, worse []string
	rows, undecided, tested := 0, 0, 0
	for _, l := range m.Lines {
		if l.Rival != bestSimple {
			continue
		}
		tally := l.Tally()
		rows, undecided, tested = rows+1, undecided+tally[stats.NotShown],
			tested+len(l.Findings)-tally[stats.NotTested]
		if tally[stats.Better] > 0 {
			better = append(better, l.Row+" beats the best simple forecast "+shownIn(l, stats.Better, comparisons))
		}
		if tally[stats.Worse] > 0 {
			worse = append(worse, l.Row+" does worse "+shownIn(l, stats.Worse, comparisons))
		}
	}
	if tested == 0 {
		return ""
	}
	text := "No form of PENG-CDE is shown to beat the best simple forecast"
	switch {
	case len(better) == 1 && rows > 1:
		text = "Of the forms of PENG-CDE only " + better[0]
	case better != nil:
		text = strings.Join(better, "; ")
	}
	if worse == nil && undecided == tested {
		return fmt.Sprintf("%s, nor to be worse (%d comparisons).", text, tested)
	}
	text += ". " + strings.Join(worse, "; ")
	if undecided > 0 {
		if worse != nil {
			text += "; "
		}
		text += fmt.Sprintf("in %d of %d comparisons with simple forecasts no difference is shown", undecided, tested)
	}
	return strings.TrimSuffix(text, ". ") + "."
}

// shownIn names the comparisons in which a row has an outcome, with the errors of the row and of the best simple
// forecast; it counts more than three.
func shownIn(l judge.Line, outcome stats.Outcome, comparisons []comparison) string {
	var where []string
	for at, f := range l.Findings {
		if f.Outcome == outcome {
			where = append(where, fmt.Sprintf("%s, %s against %s (p %s)", comparisons[at].inWords(), size(f.Mean),
				size(f.Mean-f.Difference), judge.Probability(f.P)))
		}
	}
	if len(where) > 3 {
		return fmt.Sprintf("in %d of %d comparisons", len(where), len(l.Findings)-l.Tally()[stats.NotTested])
	}
	return judge.Enumerate(where)
}

// inWords names the series and the split in a sentence.
func (c comparison) inWords() string {
	words := map[Split]string{Random: "on random windows", RollingOrigin: "ahead of time (rolling origin)",
		PurgedRotation: "on windows that share no step with training (purged rotation)"}[c.split]
	if name := c.study.Country; name != "" {
		words = "for " + plain.Capital(name) + " " + words
	}
	return words
}

// heading names the series, if the study has several, and the split.
func (c comparison) heading() string {
	if c.study.Country == "" {
		return plain.Capital(c.split.inTitles())
	}
	return plain.Capital(c.study.Country) + ", " + c.split.inTitles()
}
