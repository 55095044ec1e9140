package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/stats"
)

// Margins within which a change is called none: of accuracy from the first place of a panel to the last, and of the
// logarithm of the ratio of times.
const levelAccuracy = 0.05

var levelTime = math.Log(1.25)

// controlled are the rows whose state the observations drive; the paper's claims are on them and on [discreteIDs].
var controlled = []string{"peng", "original", "stg-ncde"}

// trend is how a score of a model changes over a panel: from the first place to the last, with the half-width of the
// 95% interval over seeds. The mean is that of the score over all places.
type trend struct {
	model              experiments.Model
	mean, change, half float64
	// margin is that within which the change is called none.
	margin float64
}

// course is what an interval allows to say of a [trend].
type course string

const (
	isLevel   course = "level"
	rises     course = "rises"
	falls     course = "falls"
	isUnclear course = "not clear"
)

func (t trend) course() course {
	switch low, high := t.change-t.half, t.change+t.half; {
	case -t.margin <= low && high <= t.margin:
		return isLevel
	case low > 0:
		return rises
	case high < 0:
		return falls
	}
	return isUnclear
}

// trends are those of the models of a panel: of accuracy by the slope of a straight line, of times by the logarithm of
// the last over the first. Models with runs that are missing or diverged have none, which gaps names, nor has a single
// seed or place.
func (p panel) trends() (all []trend, gaps []string) {
	if len(p.results.Values(p.key)) < 2 {
		return nil, nil
	}
	for _, id := range p.results.Values("model") {
		row := p.results.Where("model", id)
		if gap := row.Gap(); gap != "" {
			gaps = append(gaps, fmt.Sprintf("%s (%s)", row[0].Model.Name, gap))
			continue
		}
		bySeed := make(map[uint64]experiments.Results)
		for _, run := range row {
			bySeed[run.Seed] = append(bySeed[run.Seed], run)
		}
		t := trend{model: row[0].Model, margin: levelAccuracy, mean: stat.Mean(row.Scores(p.score), nil)}
		var changes []float64
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			x, y := p.places(bySeed[seed]), bySeed[seed].Scores(p.score)
			last := len(x) - 1
			if p.score != accuracy {
				t.margin = levelTime
				changes = append(changes, math.Log(y[last]/y[0]))
				continue
			}
			_, slope := stat.LinearRegression(x, y, nil, false)
			changes = append(changes, slope*(x[last]-x[0]))
		}
		if t.change, t.half = stats.MeanCI(changes); !math.IsNaN(t.change) && !math.IsInf(t.half, 0) {
			all = append(all, t)
		}
	}
	return all, gaps
}

// places are where runs are on the panel's axis, in logarithms where that is logarithmic.
func (p panel) places(runs experiments.Results) (x []float64) {
	for _, run := range runs {
		at := run.Spec.(diagnosis).value(p.key)
		if p.axes.LogX {
			at = math.Log(at)
		}
		x = append(x, at)
	}
	return x
}

// String names the model, with its course and the change.
func (t trend) String() string {
	if t.margin == levelTime {
		return fmt.Sprintf("%s %s (%.2f-fold, %.2f to %.2f)", t.model.Name, t.course(), math.Exp(t.change),
			math.Exp(t.change-t.half), math.Exp(t.change+t.half))
	}
	return fmt.Sprintf("%s %s (mean %.2f, change %+.2f ± %.2f)", t.model.Name, t.course(), t.mean, t.change, t.half)
}

// trivial says how the trivial classifier does beside the trained models; "" where it has no runs, and of times.
func (p panel) trivial() string {
	low, high, above, places := 1.0, 0.0, 0, 0
	for _, value := range p.results.Values(p.key) {
		at := p.results.Where(p.key, value)
		ratio := at.Where("model", ratioID)
		if p.score != accuracy || len(ratio) == 0 || ratio.Gap() != "" {
			continue
		}
		mean := stat.Mean(ratio.Scores(accuracy), nil)
		low, high = min(low, mean), max(high, mean)
		places++
		if slices.ContainsFunc(at.Values("model"), func(id string) bool {
			row := at.Where("model", id)
			return row.Gap() == "" && stat.Mean(row.Scores(accuracy), nil) > mean
		}) {
			above++
		}
	}
	if places == 0 {
		return ""
	}
	return fmt.Sprintf("the trivial classifier, which learns nothing, has %.2f to %.2f, and at %d of %d places a trained "+
		"model is above it", low, high, above, places)
}

// count says of how many of some models a trend has a course.
func count(all []trend, ids []string, c course) string {
	having, judged := 0, 0
	for _, t := range all {
		if slices.Contains(ids, t.model.ID) {
			if judged++; t.course() == c {
				having++
			}
		}
	}
	if judged == 0 {
		return "none judged yet"
	}
	return fmt.Sprintf("%d of %d", having, judged)
}

// verdict says whether the paper's claims on oversampling hold by the stored numbers, and what the trivial classifier
// says of the task; details have the changes. "" where nothing can be judged, or is not to be compared.
func (o Oversampling) verdict(r *experiments.Report) (text string, details []string) {
	if !r.Comparable() {
		return "", nil
	}
	panels, judged := o.panels(r), make(map[string][]trend)
	for _, p := range panels {
		all, gaps := p.trends()
		judged[p.name] = all
		var parts []string
		for _, t := range all {
			parts = append(parts, t.String())
		}
		if len(gaps) > 0 && parts != nil {
			parts = append(parts, "not judged: "+strings.Join(gaps, ", "))
		}
		if trivial := p.trivial(); trivial != "" {
			parts = append(parts, trivial)
		}
		if parts != nil {
			details = append(details, p.title+": "+strings.Join(parts, "; "))
		}
	}
	if len(judged["observations"])+len(judged["inference"]) == 0 {
		return "", nil
	}
	accuracies, times, observed := judged["observations"], judged["inference"], panels[0].results.Values("observations")
	text = fmt.Sprintf("the paper says that from %s to %s observations controlled equations (PENG-CDE, Original GN-CDE, "+
		"STG-NCDE) keep their accuracy, which is so here for %s, and the time of an inference (%s, in a batch), while "+
		"networks in discrete steps (DCRNN, ASTGCN, STIDGCN) lose accuracy (%s) and take longer (%s).",
		observed[0], observed[len(observed)-1], count(accuracies, controlled, isLevel), count(times, controlled, isLevel),
		count(accuracies, discreteIDs, falls), count(times, discreteIDs, rises))
	if trivial := panels[0].trivial(); trivial != "" {
		text += " In accuracy " + trivial + "."
	}
	return text, append(details, fmt.Sprintf("a change is that of a straight line over the panel, over log k for "+
		"regularity, and of times the last over the first, with its 95%% interval over seeds; level is within %g of "+
		"accuracy, or a factor of %g of time", levelAccuracy, math.Exp(levelTime)))
}
