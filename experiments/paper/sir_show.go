package paper

import (
	"fmt"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/figures"
)

// sirFacts are what is known of the task without any model.
var sirFacts = figures.NoteList{
	"Both epidemics grow at first: the largest eigenvalue of the grid's adjacency is 7.5, so that infections outrun " +
		"recoveries where few are infected yet, by 0.25 · 7.5 = 1.9 to 0.7 in the class that is said to die out and by " +
		"0.3 · 7.5 = 2.3 to 0.3 in the one that spreads.",
	"Since R' = gamma I, the total change of R over the integral of I is about gamma, 0.7 or 0.3, whatever the graph " +
		"does. So a threshold at 0.5 tells the classes apart without learning (Removed ratio). Where that has accuracy 1, models " +
		"differ only by what they lose, and accuracy under noise tells more.",
}

// show are tables and figures of all panels, and notes.
func (o Oversampling) show(r *experiments.Report) (items []figures.Item, err error) {
	drawn := drawPanels(r, o.panels(r))
	return append(append(o.Tables(r), drawn.items()...), o.notes(r)), drawn.err
}

// Tables have the numbers of all panels with the intervals of all models, and the first the verdict.
func (o Oversampling) Tables(r *experiments.Report) (items []figures.Item) {
	for i, p := range o.panels(r) {
		t := p.table(r)
		if verdict := o.Verdict(r); i == 0 && verdict != nil {
			t.Finding = verdict[0]
		}
		items = append(items, t)
	}
	return items
}

// Verdict says in words whether the paper's claims hold by the stored numbers, and then what it is made of, a line
// each; nil where nothing can be judged.
func (o Oversampling) Verdict(r *experiments.Report) []string {
	text, details := o.verdict(r)
	if text == "" {
		return nil
	}
	return append([]string{strings.ToUpper(text[:1]) + text[1:]}, details...)
}

// drawPanels draws those that have anything to show.
func drawPanels(r *experiments.Report, panels []panel) *pageFigures {
	drawn := &pageFigures{}
	for _, p := range panels {
		figure, err := p.draw(r)
		drawn.add("sir-"+p.name, figure, err)
	}
	return drawn
}

// page has the panels, and the verdict.
func (o Oversampling) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := drawPanels(r, o.panels(r))
	page := &experiments.Page{Figures: drawn.all}
	page.Verdict, page.Details = o.verdict(r)
	return page, drawn.err
}

// Notes are on all tables and figures of the study, for the end of a page.
func (o Oversampling) Notes(r *experiments.Report) figures.NoteList {
	return append(o.notes(r), r.Notes()...)
}

// notes say what is shown, and what of it is our choice.
func (o Oversampling) notes(r *experiments.Report) figures.NoteList {
	size := o.size(r.Profile)
	t := size.training
	notes := append(figures.NoteList{}, sirFacts...)
	notes = append(notes,
		fmt.Sprintf("Accuracy is on %d test trajectories, half of each class; a guess has 0.5. Means and 95%% intervals "+
			"(Student t) are over seeds; a seed draws graphs, starts, times, noise and initial parameters.",
			2*size.perClass*size.tests),
		fmt.Sprintf("Training: %d trajectories of a class, all in one batch, at most %d epochs of AdamW at rate %g; the "+
			"cross-entropy of as many validation trajectories is looked at every %d epochs, and chooses the parameters. All "+
			"models have the same data and number of epochs. Equations: width %d, layers %d (STG-NCDE 1), constant steps of "+
			"%g. DCRNN: width %d, layers %d. ASTGCN: %d filters. STIDGCN: %d channels.", size.perClass, t.Epochs,
			t.AdamW.LearningRate, t.EvaluateEvery, size.hidden, size.layers, size.step, size.dcrnn.hidden, size.dcrnn.layers,
			size.astgcn.hidden, size.stidgcn.hidden),
		fmt.Sprintf("Equations take %.0f steps whatever the number of observations (GN-ODE more, which stops where its graph "+
			"changes), so that they look at the path of the data at no more than %.0f moments. DCRNN goes through all "+
			"observations one by one; ASTGCN and STIDGCN take them at once, and have parameters for each.",
			math.Ceil(1/size.step), 6*math.Ceil(1/size.step)),
		"Constant and GN-ODE see of the states the first alone, which is drawn alike for both classes: more than 0.5 would "+
			"be luck.",
		"Ours, as the paper does not say: infected parts of the initial rectangles from U(0.5, 1), the rest susceptible; "+
			"times up to 1 from a pool, or increments from a Gamma distribution, scaled to end at 1; classes take turns in a "+
			"batch; noise is Gaussian on S, I and R of training, validation and test.",
		fmt.Sprintf("Time of an inference: from trajectories to logits, in a batch of %d or of one alone, the "+
			"median of %d calls after one that may compile, which is no part of it. Models and numbers of observations take "+
			"turns, seed by seed.", 2*size.perClass, repeats))
	for _, p := range o.panels(r) {
		if p.note != "" {
			notes = append(notes, p.note)
		}
	}
	return notes
}
