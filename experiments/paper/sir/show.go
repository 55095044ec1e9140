package sir

import (
	"fmt"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// sirFacts describes the task without any model.
var sirFacts = figures.NoteList{
	prose.Text("growth"),
	prose.Text("removed"),
}

// stepsNote has numbers of [Oversampling] with steps of 0.1, which a test recomputes.
var stepsNote = prose.Text("steps")

// show returns tables and figures of all panels, and notes.
func (o Oversampling) show(r *experiments.Report) (items []figures.Item, err error) {
	drawn := drawPanels(r, o.panels(r))
	return append(append(o.Tables(r), drawn.Items()...), o.notes(r)), drawn.Err
}

// Tables returns the numbers of all panels with the intervals of all models; the first table has the verdict.
func (o Oversampling) Tables(r *experiments.Report) (items []figures.Item) {
	verdict, _, _ := o.verdict(r)
	for i, p := range o.panels(r) {
		t := p.table(r)
		if i == 0 {
			t.Finding = verdict
		}
		items = append(items, t)
	}
	return items
}

// Verdict describes how accuracy changes, with a matrix of models by panels and the numbers in details; all results
// are empty if nothing can be judged.
func (o Oversampling) Verdict(r *experiments.Report) (text string, matrix *figures.Table, details []string) {
	return o.verdict(r)
}

// drawPanels draws the panels that have data.
func drawPanels(r *experiments.Report, panels []panel) *catalogue.Drawn {
	drawn := &catalogue.Drawn{}
	for _, p := range panels {
		for _, discrete := range []bool{false, true} {
			figure, err := p.draw(r, discrete)
			drawn.Add("sir-"+p.figureName(discrete), figure, err)
		}
	}
	return drawn
}

// page returns the panels and the verdict.
func (o Oversampling) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := drawPanels(r, o.panels(r))
	page := &experiments.Page{Figures: drawn.All, Pictures: min(2, len(drawn.All))} // both over observations
	page.Verdict, page.Matrix, page.Details = o.verdict(r)
	return page, drawn.Err
}

// Notes returns the notes on all tables and figures of the study, for the end of a page.
func (o Oversampling) Notes(r *experiments.Report) figures.NoteList {
	return append(o.notes(r), r.Notes()...)
}

// notes explains tables and figures, and names our choices.
func (o Oversampling) notes(r *experiments.Report) figures.NoteList {
	size := o.size(r.Profile)
	t := size.training
	notes := append(figures.NoteList{}, sirFacts...)
	target := ""
	if t.Target > 0 {
		target = fmt.Sprintf(", or once that is %g, which %d validation trajectories may reach early or by luck", t.Target,
			2*size.perClass)
	}
	notes = append(notes,
		fmt.Sprintf("Accuracy is on %d test trajectories, half of each class; a guess has 0.5. Means and 95%% intervals "+
			"(Student t) are over seeds; a seed draws graphs and their changes, starts, times, noise and initial parameters.",
			2*size.testPerClass),
		fmt.Sprintf(prose.Text("training"),
			size.perClass, t.Epochs, t.AdamW.LearningRate, t.EvaluateEvery, t.Patience, t.MinEpochs, target, size.hidden,
			size.layers, size.step, size.dcrnn.Hidden, size.dcrnn.Layers, size.astgcn.Hidden, size.stidgcn.Hidden),
		prose.Text("mended"),
		"What models see: PENG-CDE and Original GN-CDE states, times and graph; STG-NCDE states and times; DCRNN and ASTGCN "+
			"states and graph; STIDGCN states; GN-ODE the first state, times and graph; Constant the first state and times. "+
			"The "+
			"first state is drawn alike for both classes, so more than 0.5 would be luck: GN-ODE and Constant are shown "+
			"without "+
			"noise from the pool of times alone."+parameterCounts(r.Results),
		fmt.Sprintf(prose.Text("moments"), math.Ceil(1/size.step), 6*math.Ceil(1/size.step)),
		stepsNote,
		prose.Text("ours"),
		fmt.Sprintf(prose.Text("time of an inference"),
			inferenceBatch, repeats))
	for _, p := range o.panels(r) {
		if p.note != "" {
			notes = append(notes, p.note)
		}
	}
	return notes
}

// parameterCounts describes the number of learnable entries of models, at the fewest and at the most observations if
// it differs; "" if no run is stored.
func parameterCounts(results experiments.Results) string {
	var counts []string
	for _, id := range results.Values("model") {
		made := results.Where("model", id).Finished()
		if len(made) == 0 || made[0].Model.Untrained || id == catalogue.InferenceID {
			continue
		}
		few, many := made[0], made[0]
		for _, run := range made {
			if n := run.Spec.(sirRun).observations; n < few.Spec.(sirRun).observations {
				few = run
			} else if n > many.Spec.(sirRun).observations {
				many = run
			}
		}
		count := fmt.Sprintf("%s %d", few.Model.Name, few.Facts().Parameters)
		if at := many.Spec.(sirRun).observations; many.Facts().Parameters != few.Facts().Parameters {
			count += fmt.Sprintf(" at %d observations and %d at %d", few.Spec.(sirRun).observations,
				many.Facts().Parameters, at)
		}
		counts = append(counts, count)
	}
	if counts == nil {
		return ""
	}
	return " Learnable parameters: " + strings.Join(counts, ", ") + "."
}
