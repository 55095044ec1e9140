package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/stats"
)

// level is the significance level of a verdict's tests.
const level = 0.05

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
		{"better than", func(r rival) bool { return r.Better(level) }},
		{"worse than", func(r rival) bool { return r.Worse(level) }},
		{"no difference shown from", func(r rival) bool { return !r.Better(level) && !r.Worse(level) }},
	} {
		var names []string
		for _, r := range j.rivals {
			if part.of(r) {
				names = append(names, fmt.Sprintf("%s (%s, p %s)", r.name, signed(r.Mean), probability(r.Corrected)))
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

func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
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

// verdict counts, for each judged row, on how many series and splits it is better or worse than the best simple forecast
// and than each rival, of those on which both have errors; details say how each does. "" where errors are missing.
func verdict(comparisons []comparison) (text string, details []string, err error) {
	var sentences []string
	for _, id := range judged {
		tally := make(map[string]*[3]int) // by rival: better, worse, all
		var names []string
		name := ""
		for _, c := range comparisons {
			j, err := c.judge(id)
			if err != nil {
				return "", nil, err
			}
			for _, r := range j.rivals {
				name = j.row.Name
				of := r.name
				if r.simple {
					of = "the best simple forecast"
				}
				if tally[of] == nil {
					tally[of], names = new([3]int), append(names, of)
				}
				counts := tally[of]
				counts[2]++
				if r.Better(level) {
					counts[0]++
				} else if r.Worse(level) {
					counts[1]++
				}
			}
		}
		var parts []string
		for _, of := range names {
			counts := tally[of]
			says := "on %d and %d of %d than %s"
			if parts == nil {
				says = "is better on %d and worse on %d of %d splits of a series than %s"
			}
			parts = append(parts, fmt.Sprintf(says, counts[0], counts[1], counts[2], of))
		}
		if parts != nil {
			sentences = append(sentences, name+" "+strings.Join(parts, "; "))
		}
	}
	if sentences == nil {
		return "", nil, nil
	}
	for _, c := range comparisons {
		says, err := c.verdict()
		if err != nil {
			return "", nil, err
		}
		if says != "" {
			details = append(details, c.heading()+": "+says)
		}
	}
	return fmt.Sprintf("by p below %g after Holm's correction for the rivals of a split, %s. Differences of errors, below "+
		"0 where the first is better, with corrected p:", level, strings.Join(sentences, ". ")), details, nil
}

// heading names the series, where the study has several, and the split.
func (c comparison) heading() string {
	if c.place.Country == "" {
		return string(c.split)
	}
	return c.place.Country + ", " + string(c.split)
}
