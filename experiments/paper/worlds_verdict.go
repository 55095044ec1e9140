package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// verdict says for each view which models have the lowest error, and how the study's subject does beside others.
func (w Worlds) verdict(r *experiments.Report) (text string, details []string) {
	var leaders []string
	views := w.seen(r.Results)
	for _, v := range views {
		results := v.of(r.Results)
		leading, close := lowest(results, v.columns)
		if len(leading) == 0 {
			continue
		}
		leaders = append(leaders, fmt.Sprintf("%s: %s", v.name, strings.Join(leading, ", ")))
		details = append(details, fmt.Sprintf("%s: in %d of %d %s %s the lowest one's 95%% interval holds the "+
			"mean of another model", v.name, close, len(results.Values(v.columns)), v.values.many, v.values.what))
		for _, other := range w.rivalsOf {
			if line := beside(results, v, w.subject, other); line != "" {
				details = append(details, v.name+": "+line)
			}
		}
	}
	stored, planned := r.Count()
	switch {
	case stored == 0:
		return "", nil
	case len(leaders) == 0:
		return fmt.Sprintf("%d of %d planned runs are stored, and no world has two models with all their seeds: none are "+
			"compared.", stored, planned), nil
	case stored < planned:
		text = fmt.Sprintf("with %d of %d planned runs stored, ", stored, planned)
	}
	return text + "the lowest mean test error has, by " + columnsOf(views) + ", " + strings.Join(leaders, "; ") + ".",
		details
}

// lowest names the models with the lowest errors, each with its columns, and counts the columns in which another model
// is within its interval. Models with runs that are missing or diverged have no part in it.
func lowest(results experiments.Results, columns string) (leading []string, close int) {
	lead := make(map[string][]string) // columns by name of the model
	for _, column := range results.Values(columns) {
		world, best := results.Where(columns, column), ""
		means, halves := make(map[string]float64), make(map[string]float64) // by name of the model
		for _, id := range world.Values("model") {
			runs := world.Where("model", id)
			if runs.Gap() != "" {
				continue
			}
			name := runs[0].Model.Name
			means[name], halves[name] = stats.MeanCI(runs.Scores("test"))
			if best == "" || means[name] < means[best] {
				best = name
			}
		}
		if len(means) < 2 { // nothing to be lower than
			continue
		}
		lead[best] = append(lead[best], column)
		if !slices.Contains(leading, best) {
			leading = append(leading, best)
		}
		for name, mean := range means {
			if name != best && !math.IsInf(halves[best], 0) && mean-means[best] <= halves[best] {
				close++
				break
			}
		}
	}
	slices.SortStableFunc(leading, func(a, b string) int { return len(lead[b]) - len(lead[a]) })
	for i, name := range leading {
		leading[i] = fmt.Sprintf("%s (%s)", name, strings.Join(lead[name], ", "))
	}
	return leading, close
}

// beside says in which columns a model has a lower error than another one, and by which part; and what the paper has.
func beside(results experiments.Results, v view, subject, other string) string {
	below, own, name := 0, "", ""
	var parts, gaps []string
	for _, column := range results.Values(v.columns) {
		world := results.Where(v.columns, column)
		a, b := world.Where("model", other), world.Where("model", subject)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		if gap := a.Gap() + b.Gap(); gap != "" {
			gaps = append(gaps, fmt.Sprintf("%s (%s)", column, gap))
			continue
		}
		name, own = a[0].Model.Name, b[0].Model.Name
		x, y := stat.Mean(a.Scores("test"), nil), stat.Mean(b.Scores("test"), nil)
		if y < x {
			below++
		}
		part := fmt.Sprintf("%s %.0f%%", column, 100*(x-y)/x)
		p, ok := publishedError(v.keys["dynamics"], column, publishedRows[other])
		if q, too := publishedError(v.keys["dynamics"], column, publishedRows[subject]); ok && too {
			part += fmt.Sprintf(" (the paper's errors %.0f%%)", 100*(p[0]-q[0])/p[0])
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s is below %s in %d of %d %s, by %s", own, name, below, len(parts), v.values.many,
		strings.Join(parts, ", "))
	if len(gaps) > 0 {
		text += "; not counted: " + strings.Join(gaps, ", ")
	}
	return text
}
