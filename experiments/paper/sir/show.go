package sir

import (
	"fmt"
	"math"
	"strings"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// sirFacts tell of the task without any model.
var sirFacts = figures.NoteList{
	"Both epidemics grow at first: the largest eigenvalue of the grid's adjacency is 7.5, so that infections outrun " +
		"recoveries where few are infected yet, by 0.25 · 7.5 = 1.9 to 0.7 in the class that is said to die out and by " +
		"0.3 · 7.5 = 2.3 to 0.3 in the one that spreads.",
	"Since R' = gamma I, the total change of R over the integral of I is about gamma, 0.7 or 0.3, whatever the graph " +
		"does. So a threshold at 0.5 tells the classes apart without learning (Removed ratio). Where that has accuracy 1, models " +
		"differ only by what they lose, and accuracy under noise tells more.",
}

// stepsNote has numbers of [Oversampling] with steps of 0.1, which a test computes again.
const stepsNote = "Steps of 0.1 pass over much of such paths. The path through observations is a cubic between " +
	"neighbours whose slopes are those before, and its derivative has high peaks where two observations lie close: ten " +
	"steps miss most of them, and take others for many times as long. Summed up over ten steps, the derivative gives the " +
	"change of a feature to 0.2% where that is smooth. But for half of the trajectories it is off by 10 times the noise or " +
	"more where there is noise on 20 observations (by 0.2 with a hundred steps), and by all of the change where an entry " +
	"of the graph's matrix changes once in 200 observations (by half of it in 20). The steps are the published " +
	"ones; where there is noise, PENG-CDE with adaptive steps shows whether a loss is theirs."

// show are tables and figures of all panels, and notes.
func (o Oversampling) show(r *experiments.Report) (items []figures.Item, err error) {
	drawn := drawPanels(r, o.panels(r))
	return append(append(o.Tables(r), drawn.Items()...), o.notes(r)), drawn.Err
}

// Tables have the numbers of all panels with the intervals of all models, and the first the verdict.
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

// Verdict says where accuracy goes, with a matrix of models by panels, and in details the numbers; all is empty where
// nothing can be judged.
func (o Oversampling) Verdict(r *experiments.Report) (text string, matrix *figures.Table, details []string) {
	return o.verdict(r)
}

// drawPanels draws those that have anything to show.
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

// page has the panels, and the verdict.
func (o Oversampling) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := drawPanels(r, o.panels(r))
	page := &experiments.Page{Figures: drawn.All}
	page.Verdict, page.Matrix, page.Details = o.verdict(r)
	return page, drawn.Err
}

// Notes are on all tables and figures of the study, for the end of a page.
func (o Oversampling) Notes(r *experiments.Report) figures.NoteList {
	return append(o.notes(r), r.Notes()...)
}

// notes explain tables and figures, and name our choices.
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
		fmt.Sprintf("Training: %d trajectories of a class, all in one batch, at most %d epochs of AdamW at rate %g; the "+
			"cross-entropy of as many validation trajectories is looked at every %d epochs, and chooses the parameters. It "+
			"ends after %d epochs without a better one, not before epoch %d%s. All models have the same data and rules, and "+
			"at most as many epochs; what they lose is also what so few trajectories teach. Equations: width %d, layers %d "+
			"(STG-NCDE 1), constant steps of %g. DCRNN: width %d, layers %d. ASTGCN: %d filters. STIDGCN: %d channels.",
			size.perClass, t.Epochs, t.AdamW.LearningRate, t.EvaluateEvery, t.Patience, t.MinEpochs, target, size.hidden,
			size.layers, size.step, size.dcrnn.Hidden, size.dcrnn.Layers, size.astgcn.Hidden, size.stidgcn.Hidden),
		"DCRNN, ASTGCN and STIDGCN are mended: the published code's own versions, which the paper's claims are of, have "+
			"defects that other studies show in rows of their own. Its DCRNN reads the wrong graph here from the twelfth "+
			"observation on, and its ASTGCN no graph at all. Those may lose more with ever more observations.",
		"What models see: PENG-CDE and Original GN-CDE states, times and graph; STG-NCDE states and times; DCRNN and ASTGCN "+
			"states and graph; STIDGCN states; GN-ODE the first state, times and graph; Constant the first state and times. The "+
			"first state is drawn alike for both classes, so more than 0.5 would be luck: GN-ODE and Constant are shown without "+
			"noise from the pool of times alone."+parameterCounts(r.Results),
		fmt.Sprintf("Equations take %.0f steps whatever the number of observations (GN-ODE more, which stops where its graph "+
			"changes), so that they look at the path of the data at no more than %.0f moments; what prepares the path does "+
			"depend on it. DCRNN goes through all observations one by one; ASTGCN and STIDGCN take them at once, and "+
			"have parameters for each.", math.Ceil(1/size.step), 6*math.Ceil(1/size.step)),
		stepsNote,
		"Ours, as the paper does not say: infected parts of the initial rectangles from U(0.5, 1), the rest susceptible; "+
			"times up to 1 from a pool, or increments from a Gamma distribution, scaled to end at 1; classes take turns in a "+
			"batch; noise is Gaussian on S, I and R of training, validation and test.",
		fmt.Sprintf("Time of an inference: from trajectories to logits, in a batch of %d (test trajectories are repeated "+
			"where they are fewer) or of one alone, the median of %d calls after one that may compile, which is no part of it. Models "+
			"take turns, call by call, with parameters as they are drawn: no time depends on them, as steps are constant. Numbers "+
			"of observations follow each other, seed by seed, so that a machine that drifts widens the intervals.",
			inferenceBatch, repeats))
	for _, p := range o.panels(r) {
		if p.note != "" {
			notes = append(notes, p.note)
		}
	}
	return notes
}

// parameterCounts says how many learnable entries models have, at the fewest and at the most observations where that
// differs; "" where no run is stored.
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
