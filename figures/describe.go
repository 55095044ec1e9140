package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
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
			said += fmt.Sprintf(", %d missing", gaps)
		}
		each, all = append(each, said), append(all, s.X...)
	}
	head := plural(len(series), "line")
	if axes.Y != "" {
		head += " of " + axes.Y
	}
	if axes.X != "" {
		head += " over " + axes.X
	}
	head += " " + axes.span(all...)
	return axes.describe(lowest(series), head+": "+list(each, "; "), marked(axes, scale{min: slices.Min(all),
		max: slices.Max(all)}))
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

// lowest says which line is lowest most often, among the largest set of lines over about the same X.
func lowest(series []Series) string {
	var group []Series
	for _, like := range series {
		if same := slices.DeleteFunc(slices.Clone(series), func(s Series) bool { return !alike(s.X, like.X) }); len(same) >
			len(group) {
			group = same
		}
	}
	if len(group) < 2 {
		return ""
	}
	times, points := make([]int, len(group)), 0
	for k := range group[0].X {
		best := -1
		for i, s := range group {
			if y := s.Y[k]; !math.IsNaN(y) && (best < 0 || y < group[best].Y[k]) {
				best = i
			}
		}
		if best >= 0 {
			times[best]++
			points++
		}
	}
	best := slices.Index(times, slices.Max(times))
	of := ""
	if len(group) < len(series) {
		of = fmt.Sprintf(", of %d lines over the same points", len(group))
	}
	return fmt.Sprintf("%s is lowest at %d of %d points%s", cmp.Or(group[best].Name, "The first"), times[best], points, of)
}

// alike reports whether points are hardly apart.
func alike(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	near := 0.02 * (x[len(x)-1] - x[0])
	for k := range x {
		if math.Abs(x[k]-y[k]) > near {
			return false
		}
	}
	return true
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
	head := fmt.Sprintf("%s of %s over %s %s: %s", plural(len(panels), "panel"), cmp.Or(axes.Y, "values"),
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
	return axes.describe(fmt.Sprintf("Loss by epoch of %s: %s", plural(len(runs), "run"), said),
		fmt.Sprintf("Kept: epoch %s, with validation loss %s", spanOf(kept...), spanOf(best...)))
}

func describeDots(axes Axes, rows []DotRow) string {
	var cells []Cell
	for _, r := range rows {
		cells = append(cells, r.Value)
	}
	places := decimals(cells, 0)
	var each []string
	best := -1
	for i, r := range rows {
		value := r.Value.value(places)
		if r.Value.IsMissing() {
			value = r.missing()
		} else if best < 0 || r.Value.mean < rows[best].Value.mean {
			best = i
		}
		each = append(each, r.Name+" "+value)
	}
	low := ""
	if best >= 0 {
		low = rows[best].Name + " is lowest"
	}
	return axes.describe(cmp.Or(axes.X, "Values")+": "+list(each, ", "), low)
}
