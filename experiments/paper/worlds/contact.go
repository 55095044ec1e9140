package worlds

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// Contact returns our own study of exchange at contact, where the change of the graph itself moves the states, with
// the protocol of [Table1]. On community graphs κ ranges from 0, which is slow diffusion, to 0.3. With κ 0.2 it also
// runs on all four families. Its runs have the additional key "kappa".
func Contact() *Worlds {
	const dynamics, shown = "contact", "0.2"
	w := Worlds{
		Study: experiments.Study{Name: "contact", Title: "Exchange at contact", Data: simulated,
			About: prose.Text("about contact")},
		tasks: []synthetic.Task{synthetic.Contact(contactKappa)}, worlds: contactWorlds, size: contactSize,
		views: []view{
			{name: "by κ on community graphs", columns: kappaKey, world: "community, κ %s",
				keys: map[string]string{"dynamics": dynamics, "family": "community"}},
			{name: "by graphs at κ " + shown, columns: "family",
				world: "%s, κ " + shown, together: "all graphs, κ " + shown,
				keys: map[string]string{"dynamics": dynamics, kappaKey: shown}},
		},
		picture: map[string]string{kappaKey: shown}, subjects: []string{"recommended", catalogue.LawID},
		strong: contactStrong,
	}
	w.opening = func(r *experiments.Report, drawn *catalogue.Drawn) {
		figure, err := drawKappas(r)
		drawn.Add(w.Name+"-by-"+kappaKey, figure, err)
		w.drawErrors(r, drawn)
	}
	return w.complete()
}

// drawKappas draws the test errors of trained models on community graphs against κ: of the decisive ones, which have
// the same settings, if several have runs.
func drawKappas(r *experiments.Report) (*figures.Figure, error) {
	const family = "community"
	axes := figures.Axes{Title: "Test error where changes of the graph move the states by κ, " + family + " graphs",
		X: "κ", Y: "mean squared error", LogY: true}
	results := r.Results.Where("family", family)
	var kappas []float64
	for _, value := range results.Values(kappaKey) {
		kappa, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		kappas = append(kappas, kappa)
	}
	var lines []figures.Series
	trained, notes := drawn(r, results)
	axes.Notes = notes
	alike := slices.DeleteFunc(slices.Clone(trained), func(id string) bool { return !slices.Contains(decisive, id) })
	if len(alike) > 1 {
		trained = alike
	}
	for _, id := range trained {
		row := results.Where("model", id)
		if len(row.Finished()) == 0 {
			continue
		}
		line := figures.Series{Name: row[0].Model.Name, X: kappas, Points: true, Style: catalogue.StyleIn(r, id)}
		several := false
		for _, value := range results.Values(kappaKey) {
			runs := row.Where(kappaKey, value)
			mean, low, high := math.NaN(), math.NaN(), math.NaN()
			if scores := figures.Positive(runs.Scores(string(OnTest))); runs.Gap() == "" && len(scores) > 0 {
				mean, low, high = stat.Mean(scores, nil), slices.Min(scores), slices.Max(scores)
				several = several || len(scores) > 1
			}
			line.Y, line.Lower, line.Upper = append(line.Y, mean), append(line.Lower, low), append(line.Upper, high)
		}
		if !slices.ContainsFunc(line.Y, func(y float64) bool { return !math.IsNaN(y) }) {
			continue
		}
		if line.Band = "lowest to highest seed"; !several {
			line.Lower, line.Upper, line.Band = nil, nil, ""
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, catalogue.NoRuns("a trained model", axes.Title)
	}
	return figures.Lines(axes, lines...)
}

const (
	kappaKey = "kappa"
	// contactKappa is the κ for all families.
	contactKappa = 0.2
)

// contactModels lists the IDs of the rows: three as published, and the decisive ones.
var contactModels = slices.Concat([]string{"gn-ode", "original", "peng"}, decisive)

// decisive lists the rows that show whether A' is needed: fields with and without it and with the same settings, and
// the linear laws.
var decisive = []string{"recommended", "of-a-linear", "original-recommended", "gn-ode-recommended", catalogue.LawID,
	"law-of-a"}

// contactSize returns the sizes of the published tables, with more seeds of decisive rows where κ is contactKappa or
// more.
func contactSize(p experiments.Profile) worldsSize {
	size := publishedSize(p)
	size.models, size.kappas = contactModels, []float64{0, 0.1, contactKappa, 0.3}
	if p == experiments.Medium {
		size.further = threeMore(decisive, func(of worldOf) bool { return of.task.Dynamics.Parameters[1] >= contactKappa })
	}
	if p == experiments.Quick {
		size.models, size.kappas = []string{"gn-ode", "peng", "recommended"}, []float64{0, contactKappa}
		size.families = catalogue.Families("community")
	}
	return size
}

// contactWorlds returns all κ on communities, and contactKappa on all families.
func contactWorlds(size worldsSize) (all []worldOf) {
	for _, kappa := range size.kappas {
		task := synthetic.Contact(kappa)
		for _, family := range size.families {
			if kappa == contactKappa || family.Name() == "community" {
				of := newWorldOf(task, family)
				of.keys[kappaKey] = strconv.FormatFloat(kappa, 'g', -1, 64)
				all = append(all, of)
			}
		}
	}
	return all
}

var contactNotes = figures.NoteList{
	prose.Text("contact"),
}

// contactStrong returns the worlds with κ of at least contactKappa; nil while no network has a run above it, as the
// worlds with contactKappa are compared by themselves.
func contactStrong(results experiments.Results) *contest {
	c := &contest{name: fmt.Sprintf("κ %g and more", contactKappa), several: true, additional: true}
	above := false
	for _, result := range results {
		if kappa, err := strconv.ParseFloat(result.Keys[kappaKey], 64); err == nil && kappa >= contactKappa {
			c.results = append(c.results, result)
			above = above || kappa > contactKappa && result.Record != nil && !result.Model.Untrained
		}
	}
	if !above {
		return nil
	}
	return c
}

// others returns ids without one ID.
func others(ids []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == but })
}
