package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// The functions of this file describe a figure in words, from the drawn data, for screen readers and for pages without
// images.

// Alt returns a description of the figure in words: its title and a summary of the data.
func (f *Figure) Alt() string { return f.alt }

// describe joins the title and sentences.
func (a Axes) describe(sentences ...string) string {
	all := slices.DeleteFunc(append([]string{a.Title}, sentences...), func(s string) bool { return s == "" })
	return strings.Join(all, ". ") + "."
}

// short formats a number with three digits.
func short(v float64) string {
	if size := math.Abs(v); size >= 100 && size < 1e6 {
		return decimal(v, 0)
	}
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 3, 64), "-", "−")
}

// spanOf describes the range of values in words.
func spanOf(values ...float64) string {
	low, high, count := math.Inf(1), math.Inf(-1), 0
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
			count++
		}
	}
	switch {
	case low > high:
		return "all missing"
	case count == 1:
		return short(low)
	case low == high:
		return "all " + short(low)
	}
	return short(low) + " to " + short(high)
}

// list names the first of many.
func list(names []string, between string) string {
	if len(names) > mostSaid {
		return strings.Join(names[:mostSaid], between) + fmt.Sprintf(" and %d more", len(names)-mostSaid)
	}
	return strings.Join(names, between)
}

const mostSaid = 16 // lines, rows or panels that a description names

func describeLines(axes Axes, series []Series) string {
	var each []string
	var all []float64
	for _, s := range series {
		first, last := math.NaN(), math.NaN()
		gaps := 0
		for _, y := range s.Y {
			if math.IsNaN(y) {
				gaps++
				continue
			}
			if last = y; math.IsNaN(first) {
				first = y
			}
		}
		said := strings.TrimSpace(fmt.Sprintf("%s begins at %s, ends at %s (%s)", s.Name, short(first), short(last),
			spanOf(s.Y...)))
		if gaps > 0 {
			said += fmt.Sprintf(", %s missing", plain.Count(gaps, "point"))
		}
		each, all = append(each, said), append(all, s.X...)
	}
	head := plain.Count(len(series), "line")
	if axes.Y != "" {
		head += " of " + axes.Y
	}
	if axes.X != "" {
		head += " over " + axes.X
	}
	head += " " + axes.span(all...)
	return axes.describe(bestLine(axes.Better, series), head+": "+list(each, "; "),
		marked(axes, scale{min: slices.Min(all), max: slices.Max(all)}))
}

// marked describes the positions of marks, by name.
func marked(axes Axes, x scale) string {
	var names, said []string
	at := make(map[string][]string)
	for _, m := range axes.Marks {
		if m.Name != "" && x.holds(m.X) {
			if at[m.Name] == nil {
				names = append(names, m.Name)
			}
			at[m.Name] = append(at[m.Name], axes.span(m.X))
		}
	}
	for _, name := range names {
		said = append(said, name+" at "+list(at[name], ", "))
	}
	if said == nil {
		return ""
	}
	return "Marked: " + strings.Join(said, "; ")
}

// ahead reports whether a value is lower than another, or higher if that is better. best names such values.
func (d Direction) ahead(a, b float64) bool { return a != b && (a > b) == (d == Higher) }

func (d Direction) best() string {
	if d == Higher {
		return "Highest"
	}
	return "Lowest"
}

// bestLine says which line is lowest or highest most often, at the X of the line with most points where another has a
// value too.
func bestLine(better Direction, series []Series) string {
	if len(series) < 2 {
		return ""
	}
	most := slices.MaxFunc(series, func(a, b Series) int { return cmp.Compare(len(a.X), len(b.X)) })
	times, points := make([]int, len(series)), 0
	for _, x := range most.X {
		best, y, lines := -1, math.NaN(), 0
		for i, s := range series {
			here := s.at(x)
			if math.IsNaN(here) {
				continue
			}
			if lines++; best < 0 || better.ahead(here, y) {
				best, y = i, here
			}
		}
		if lines > 1 {
			times[best]++
			points++
		}
	}
	if points == 0 {
		return ""
	}
	best := slices.Index(times, slices.Max(times))
	return fmt.Sprintf("%s of these lines at %d of %s: %s", better.best(), times[best], plain.Count(points, "point"),
		cmp.Or(series[best].Name, "the first"))
}

// at interpolates the line linearly; NaN where it has no value.
func (s Series) at(x float64) float64 {
	k, found := slices.BinarySearch(s.X, x)
	switch {
	case found:
		return s.Y[k]
	case k == 0 || k == len(s.X):
		return math.NaN()
	}
	part := (x - s.X[k-1]) / (s.X[k] - s.X[k-1])
	return (1-part)*s.Y[k-1] + part*s.Y[k]
}

// describeForecasts compares forecasts with the truth, in the last span where there are spans.
func describeForecasts(axes Axes, panels []ForecastPanel) string {
	var names, errors []string
	from, to, where := math.Inf(-1), math.Inf(1), ""
	for _, span := range axes.Spans { // the last in which something was observed
		if slices.ContainsFunc(panels, func(p ForecastPanel) bool {
			for k, day := range p.Days {
				if day >= span.From && day <= span.To && !math.IsNaN(p.Truth[k]) {
					return true
				}
			}
			return false
		}) {
			from, to, where = span.From, span.To, ", "+span.Name
		}
	}
	var days []float64
	for _, p := range panels {
		names, days = append(names, p.Title), append(days, p.Days...)
	}
	for i, like := range panels[0].Forecasts {
		sum, count := 0.0, 0
		for _, p := range panels {
			f := p.Forecasts[i]
			for k, day := range f.X {
				at, found := slices.BinarySearch(p.Days, day)
				if found && day >= from && day <= to {
					if e := math.Abs(f.Y[k] - p.Truth[at]); !math.IsNaN(e) {
						sum, count = sum+e, count+1
					}
				}
			}
		}
		if count > 0 {
			errors = append(errors, fmt.Sprintf("%s %s", like.Name, short(sum/float64(count))))
		}
	}
	head := fmt.Sprintf("%s of %s over %s %s: %s", plain.Count(len(panels), "panel"), cmp.Or(axes.Y, "values"),
		cmp.Or(axes.X, "time"), axes.span(days...), list(names, ", "))
	if len(errors) == 0 {
		return axes.describe(head)
	}
	return axes.describe(head, "Mean distance of forecasts from what was observed"+where+": "+strings.Join(errors, ", "))
}

func describeLosses(axes Axes, runs []LossRun, kept []float64) string {
	var train, validation, best []float64
	for i, r := range runs {
		train, validation = append(train, r.Train...), append(validation, r.Validation...)
		best = append(best, r.Validation[int(kept[i])-1])
	}
	said := "validation loss " + spanOf(validation...)
	if len(train) > 0 {
		said = "train loss " + spanOf(train...) + ", " + said
	}
	return axes.describe(fmt.Sprintf("Loss by epoch of %s: %s", plain.Count(len(runs), "run"), said),
		fmt.Sprintf("Kept: epoch %s, with validation loss %s", spanOf(kept...), spanOf(best...)))
}

func describeDots(axes Axes, panels []DotPanel) string {
	var said []string
	for _, p := range panels {
		said = append(said, describeRows(axes, p, panels[0].Rows)...)
	}
	return axes.describe(said...)
}

// describeRows describes a panel, whose rows have the names of the given ones.
func describeRows(axes Axes, of DotPanel, names []DotRow) []string {
	var cells []Cell
	for _, r := range of.Rows {
		cells = append(cells, r.Value)
	}
	places := decimals(cells, 0)
	var each []string
	best, numbers := -1, 0
	for i, r := range of.Rows {
		value := r.Value.value(places)
		if r.Value.IsMissing() {
			value = r.missing()
		} else if numbers++; best < 0 || axes.Better.ahead(r.Value.mean, of.Rows[best].Value.mean) {
			best = i
		}
		if paper := r.published(); !math.IsNaN(paper) {
			value += fmt.Sprintf(" (%s: %s)", cmp.Or(axes.Published, "published"), short(paper))
		}
		each = append(each, names[i].Name+" "+value)
	}
	first := ""
	if numbers > 1 {
		first = axes.Better.best() + ": " + names[best].Name
	}
	return []string{cmp.Or(of.Title, axes.X, "Values") + ": " + list(each, ", "), first}
}
