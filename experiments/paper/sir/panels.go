package sir

import (
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

// panel is a score of all models against the values of a key.
type panel struct {
	// name is the name that [Oversampling.Draw] takes.
	name       string
	title      string
	of         string // distinguishes panels of the same claim; else ""
	key, score string
	better     figures.Direction
	axes       figures.Axes
	results    experiments.Results
	// times reports that scores are times, which are compared by their ratio.
	times bool
	// aside leaves the panel out of the matrix and of the comparisons, since its rows are variants of two.
	aside bool
	// note describes which results are left out.
	note string
}

// panels returns the panels of the paper's figure, with inference of a single trajectory, and accuracy under noise.
func (o Oversampling) panels(r *experiments.Report) []panel {
	without := func(all experiments.Results, fits func(experiments.Result) bool) experiments.Results {
		return slices.DeleteFunc(slices.Clone(all), fits)
	}
	isClock := func(run experiments.Result) bool { return run.Model.ID == catalogue.InferenceID }
	pool := r.Results.Where("shape", "")
	clean := pool.Where("noise", "0")
	clocks, note := ofOneMachine(clean.Where("model", catalogue.InferenceID))
	clean = without(clean, func(run experiments.Result) bool {
		return isClock(run) || onlyNoise(run.Model.ID)
	})
	late := func(run experiments.Result) bool { return slices.Contains(untimed, run.Model.ID) }
	times := timed(without(clean, late), clocks)
	all := []panel{
		{name: "observations", title: "accuracy against observations", key: "observations", score: accuracy,
			better: figures.Higher, results: clean},
		{name: "inference", of: "in a batch", times: true,
			title: "milliseconds of an inference for each trajectory, in a batch",
			key:   "observations", score: batchTime, better: figures.Lower, results: times, note: note,
			axes: figures.Axes{Y: "ms for each trajectory", LogY: true}},
		{name: "inference-alone", of: "one alone", times: true, title: "milliseconds of an inference of one trajectory alone",
			key: "observations", score: singleTime, better: figures.Lower, results: times,
			axes: figures.Axes{Y: "ms", LogY: true}},
		{name: "shape", title: "accuracy against regularity", key: "shape", score: accuracy, better: figures.Higher,
			axes:    figures.Axes{X: "shape k of increments (more regular to the right)", LogX: true},
			results: without(r.Results, func(run experiments.Result) bool { return run.Key("shape") == "" })},
	}
	for _, n := range pool.Values("observations") {
		at := without(pool.Where("observations", n), func(run experiments.Result) bool {
			return isClock(run) || slices.Contains(blindIDs, run.Model.ID) // they are not run with noise
		})
		if len(at.Values("noise")) < 2 {
			continue
		}
		noise := panel{name: "noise-" + n, title: fmt.Sprintf("accuracy under noise with %s observations", n), key: "noise",
			score: accuracy, better: figures.Higher, axes: figures.Axes{X: "standard deviation as a part of the largest I"}}
		noise.results = without(at, func(run experiments.Result) bool {
			return isRemedied(run.Model.ID) && run.Model.ID != catalogue.AffineID+smoothedEnding
		})
		all = append(all, noise)
		noise.name, noise.aside = "remedies-"+n, true
		noise.title = fmt.Sprintf("remedies against noise with %s observations", n)
		noise.results = without(at, func(run experiments.Result) bool {
			return !isRemedied(run.Model.ID) && run.Model.ID != catalogue.AffineID && run.Model.ID != "dcrnn"
		})
		if slices.ContainsFunc(noise.results, func(run experiments.Result) bool { return isRemedied(run.Model.ID) }) {
			all = append(all, noise)
		}
	}
	for i := range all {
		axes := &all[i].axes
		if axes.X == "" {
			axes.X = "observations"
		}
		if axes.Y == "" {
			axes.Y = "accuracy on test trajectories"
		}
		axes.Better = all[i].better
		axes.Title = fmt.Sprintf("%s, profile %s", plain.Capital(all[i].title), r.Profile)
	}
	return all
}

// ofOneMachine drops the records of all machines except the machine with the most runs, so that the other runs show
// as missing: times of two machines cannot be compared. Machines are distinguished only by system and number of CPUs,
// as the note says.
func ofOneMachine(results experiments.Results) (experiments.Results, string) {
	counts := make(map[experiments.Machine]int)
	var most experiments.Machine
	for _, run := range results.Made() {
		machine := run.Record.Machine
		if counts[machine]++; counts[machine] > counts[most] {
			most = machine
		}
	}
	if counts[most] == 0 {
		return results, ""
	}
	kept, others := slices.Clone(results), 0
	for i := range kept {
		if record := kept[i].Record; record != nil && record.Facts != nil && record.Machine != most {
			kept[i].Record = nil
			others++
		}
	}
	note := fmt.Sprintf("Times are of %s with %d CPUs (%s).", most.System, most.CPUs, most.Backend)
	if others > 0 {
		note += fmt.Sprintf(" Times of %d settings on another system, or with another number of CPUs, show as missing, "+
			"since times of two machines do not compare.", others)
	}
	return kept, note
}

// table returns the numbers of the panel, with intervals of all models.
func (p panel) table(r *experiments.Report) *figures.Table {
	return r.Table(experiments.Pivot{Title: p.axes.Title, Columns: p.key, Score: p.score, Better: p.better, Decimals: 3},
		p.results)
}
