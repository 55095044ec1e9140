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

// verdict says for each of the dynamics which models have the lowest error, and how PENG-CDE does beside the model that
// sees no graph and beside the Original.
func (w Worlds) verdict(r *experiments.Report) (text string, details []string) {
	var leaders []string
	for _, dynamics := range r.Results.Values("dynamics") {
		results := r.Results.Where("dynamics", dynamics)
		leading, close := lowest(results)
		if len(leading) == 0 {
			continue
		}
		leaders = append(leaders, fmt.Sprintf("%s: %s", dynamics, strings.Join(leading, ", ")))
		families := len(results.Values("family"))
		details = append(details, fmt.Sprintf("%s: in %d of %d families of graphs the lowest one's 95%% interval holds the "+
			"mean of another model", dynamics, close, families))
		for _, other := range []string{"constant", "original"} {
			if line := beside(results, dynamics, other); line != "" {
				details = append(details, dynamics+": "+line)
			}
		}
	}
	stored, planned := r.Count()
	switch {
	case stored == 0:
		return "", nil
	case len(leaders) == 0:
		return fmt.Sprintf("%d of %d planned runs are stored, and no model has all its seeds in any world: none are "+
			"compared.", stored, planned), nil
	case stored < planned:
		text = fmt.Sprintf("with %d of %d planned runs stored, ", stored, planned)
	}
	return text + "the lowest mean test error has, by family of graphs, " + strings.Join(leaders, "; ") + ".", details
}

// lowest names the models with the lowest errors, each with its families of graphs, and counts the families in which
// another model is within its interval. Models with runs that are missing or diverged have no part in it.
func lowest(results experiments.Results) (leading []string, close int) {
	families := make(map[string][]string) // by name of the model
	for _, family := range results.Values("family") {
		world, best := results.Where("family", family), ""
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
		if best == "" {
			continue
		}
		families[best] = append(families[best], family)
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
	slices.SortStableFunc(leading, func(a, b string) int { return len(families[b]) - len(families[a]) })
	for i, name := range leading {
		leading[i] = fmt.Sprintf("%s (%s)", name, strings.Join(families[name], ", "))
	}
	return leading, close
}

// beside says in which families PENG-CDE has a lower error than another model, and by which part; and what the paper
// has.
func beside(results experiments.Results, dynamics, other string) string {
	below, name := 0, ""
	var parts, gaps []string
	for _, family := range results.Values("family") {
		world := results.Where("family", family)
		a, b := world.Where("model", other), world.Where("model", "peng")
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		if gap := a.Gap() + b.Gap(); gap != "" {
			gaps = append(gaps, fmt.Sprintf("%s (%s)", family, gap))
			continue
		}
		name = a[0].Model.Name
		x, y := stat.Mean(a.Scores("test"), nil), stat.Mean(b.Scores("test"), nil)
		if y < x {
			below++
		}
		part := fmt.Sprintf("%s %.0f%%", family, 100*(x-y)/x)
		p, ok := publishedError(dynamics, family, publishedRows[other])
		if q, too := publishedError(dynamics, family, publishedRows["peng"]); ok && too {
			part += fmt.Sprintf(" (the paper's errors %.0f%%)", 100*(p[0]-q[0])/p[0])
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	text := fmt.Sprintf("PENG-CDE is below %s in %d of %d families, by %s", name, below, len(parts),
		strings.Join(parts, ", "))
	if len(gaps) > 0 {
		text += "; not counted: " + strings.Join(gaps, ", ")
	}
	return text
}
