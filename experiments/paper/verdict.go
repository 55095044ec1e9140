package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/stats"
)

// judged are the rows that are compared with their rivals, by ID: PENG-CDE in its variants, which are no rivals of each
// other.
var judged = []string{"peng", "peng" + tunedEnding, affineID, "peng-linear", "residual"}

// judgement is how a row does beside its rivals on a series and a split.
type judgement struct {
	row    row
	rivals []rival
	// without are the names, quoted, of rivals that lack errors.
	without []string
}

// rival is what a row is compared with: the best simple forecast, or another model.
type rival struct {
	name   string
	simple bool
	stats.Difference
}

// judge compares a row with the best simple forecast and with the rows of the other models that have the same ending;
// a row of another kind with the tuned ones, but for the affine one, whose sizes are not tuned. It has no rivals where
// its own errors or the errors of the simple forecasts are missing.
func (c comparison) judge(id string) (j judgement, err error) {
	r := c.row(id)
	if r == nil || r.errors == nil || c.best == nil {
		return j, nil
	}
	ending := strings.TrimPrefix(id, base(id))
	if base(id) != "peng" && id != affineID {
		ending = tunedEnding
	}
	others := []row{*c.best}
	for _, other := range c.rows {
		switch {
		case other.Untrained || slices.Contains(judged, base(other.ID)) || other.ID != base(other.ID)+ending:
		case other.errors == nil:
			j.without = append(j.without, strconv.Quote(other.Name))
		default:
			others = append(others, other)
		}
	}
	blocks := slices.DeleteFunc(slices.Clone(r.of), func(of int) bool {
		return slices.ContainsFunc(others, func(o row) bool { return !slices.Contains(o.of, of) })
	})
	if len(blocks) < 2 { // a single seed, or seeds that the others do not have
		return judgement{}, nil
	}
	errors := make([][]float64, len(others))
	for i, other := range others {
		errors[i] = other.on(blocks)
	}
	differences, err := stats.Compare(r.on(blocks), errors, c.test)
	if err != nil {
		return j, fmt.Errorf("experiments: %s, %s: %w", c.place.title(), c.split, err)
	}
	j.row = *r
	for i, other := range others {
		j.rivals = append(j.rivals, rival{other.Name, i == 0, differences[i]})
	}
	return j, nil
}

// on are the errors of a row on some of its blocks.
func (r row) on(blocks []int) []float64 {
	errors := make([]float64, len(blocks))
	for i, of := range blocks {
		errors[i] = r.errors[slices.Index(r.of, of)]
	}
	return errors
}

// String says in words which rivals a row is better or worse than.
func (j judgement) String() string {
	var parts []string
	for _, part := range []struct {
		says string
		of   func(rival) bool
	}{
		{"better than", func(r rival) bool { return r.Better(judge.Level) }},
		{"worse than", func(r rival) bool { return r.Worse(judge.Level) }},
		{"no difference shown from", func(r rival) bool { return !r.Better(judge.Level) && !r.Worse(judge.Level) }},
	} {
		var names []string
		for _, r := range j.rivals {
			if part.of(r) {
				names = append(names, fmt.Sprintf("%s (%s, p %s)", r.name, signed(r.Mean), judge.Probability(r.Corrected)))
			}
		}
		if names != nil {
			parts = append(parts, part.says+" "+strings.Join(names, ", "))
		}
	}
	if j.without != nil {
		parts = append(parts, "not compared, as runs are missing or diverged: "+strings.Join(j.without, ", "))
	}
	return fmt.Sprintf("%s: %s", j.row.Name, strings.Join(parts, "; "))
}

// signed writes a difference of errors.
func signed(difference float64) string {
	if difference < 0 {
		return "-" + size(-difference)
	}
	return "+" + size(difference)
}

// verdict says how the judged rows of a series and a split do, each in a sentence; "" where errors are missing.
func (c comparison) verdict() (string, error) {
	var sentences []string
	for _, id := range judged {
		j, err := c.judge(id)
		if err != nil {
			return "", err
		}
		if len(j.rivals) > 0 {
			sentences = append(sentences, j.String())
		}
	}
	if sentences == nil {
		return "", nil
	}
	return fmt.Sprintf("The best simple forecast here is %q. %s.", c.best.Name, strings.Join(sentences, ". ")), nil
}

// bestSimple is what a matrix calls the best simple forecast of each split.
const bestSimple = "best simple forecast"

// verdict has the findings of each judged row beside the best simple forecast and each rival, by series and split. The
// text says how rows do beside the simple forecast, details have all numbers. All is empty where errors are missing.
func verdict(comparisons []comparison) (text string, matrix *figures.Table, details []string, err error) {
	m := judge.Matrix{Title: "Better or worse, by series and split", Score: "errors", Places: 3}
	for _, c := range comparisons {
		m.Cases = append(m.Cases, c.heading())
	}
	for _, id := range judged {
		for at, c := range comparisons {
			j, err := c.judge(id)
			if err != nil {
				return "", nil, nil, err
			}
			for _, r := range j.rivals {
				name := r.name
				if r.simple {
					name = bestSimple
				}
				m.Add(j.row.Name, name, at, judge.Of(r.Difference))
			}
		}
	}
	if len(m.Lines) == 0 {
		return "", nil, nil, nil
	}
	var parts []string
	for _, l := range m.Lines {
		if counts := l.Tally(); l.Rival == bestSimple {
			parts = append(parts, fmt.Sprintf("%s is better on %d and worse on %d of %d", l.Row, counts[judge.Better],
				counts[judge.Worse], len(l.Findings)-counts[judge.NotTested]))
		}
	}
	for _, c := range comparisons {
		says, err := c.verdict()
		if err != nil {
			return "", nil, nil, err
		}
		if says != "" {
			details = append(details, c.heading()+": "+says)
		}
	}
	details = append(details, "differences of errors are below 0 where the first is better; p is corrected by Holm")
	return "Beside the best simple forecast of each split, " + strings.Join(parts, "; ") + ".", m.Table(), details, nil
}

// heading names the series, where the study has several, and the split.
func (c comparison) heading() string {
	if c.place.Country == "" {
		return string(c.split)
	}
	return c.place.Country + ", " + string(c.split)
}
