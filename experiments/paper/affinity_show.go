package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/stats"
)

// testScore is the mean NDCG@10 over the tested times of a run.
const testScore = string(affinity.Test)

// publishedFor is what the paper prints for a row by a protocol.
func publishedFor(data string, row experiments.Row, p Protocol) (mean, half float64, ok bool) {
	found, ok := publishedScore(data, row.ID)
	if found[1] == 0 {
		found[1] = math.NaN()
	}
	return found[0], found[1], ok && p == protocolOfPaper(row)
}

// protocolOfPaper is the one by which the paper has a row.
func protocolOfPaper(row experiments.Row) Protocol {
	if row.Untrained {
		return OfficialParity
	}
	return RandomWindows
}

// show are tables, figures and notes.
func (a *Affinity) show(r *experiments.Report) (items []figures.Item, err error) {
	drawn := a.drawAll(r)
	return append(append(a.Tables(r), drawn.items()...), a.notes(r)), drawn.err
}

func (a *Affinity) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := a.drawAll(r)
	page := &experiments.Page{Figures: drawn.all}
	page.Verdict, page.Matrix, page.Details = a.Verdict(r)
	return page, drawn.err
}

// rotation holds the runs of a rotation, with the test of their differences and a note on intervals.
type rotation struct {
	results experiments.Results
	test    stats.Test
	note    string
}

func rotationOf(results experiments.Results) rotation {
	r := rotation{results: results.Where("protocol", string(YearRotation))}
	training := 1.0
	for _, run := range r.results {
		data, err := run.Spec.(affinityRun).data.load(context.Background(), nil)
		if err == nil {
			training = float64(len(data.LabelTimes) - run.Spec.(affinityRun).size.rotated - validated)
			break
		}
	}
	r.test = stats.SharedTraining(1 / training)
	r.note = fmt.Sprintf("Rotation: ± is the 95%% interval of the mean over tested label times. Their models share training, so "+
		"the variance of the mean is (1/k + 1/%.0f) s² (Nadeau and Bengio 2003) with Student's t, %.0f the least number of "+
		"label times for training. Official: the interval over seeds, which draw initial parameters alone.", training, training)
	return r
}

// overWindows is the interval over seeds that shuffle windows of the same data, with its note, and the test of
// differences; ok is false where there
// are none.
func overWindows(results experiments.Results) (over experiments.Interval, test stats.Test, ok bool) {
	some := results.Where("protocol", string(RandomWindows))
	if len(some) == 0 {
		return over, test, false
	}
	r := some[0].Spec.(affinityRun)
	data, err := r.data.load(context.Background(), nil)
	if err != nil {
		return over, test, false
	}
	plan, err := r.protocolOf(context.Background(), data, some[0].Run)
	if err != nil {
		return over, test, false
	}
	counts := make(map[affinity.Part]int)
	for _, q := range plan.Questions {
		counts[q.Part]++
	}
	tested, training := counts[affinity.Test], counts[affinity.Train]
	test = stats.SharedTraining(float64(tested) / float64(training))
	return experiments.Interval{Of: test.CI, Note: fmt.Sprintf("Paper's windows: ± is over seeds, which shuffle the same windows; "+
		"the variance of the mean is (1/k + %d/%d) s² for %d tested and %d training windows.", tested, training, tested,
		training)}, test, true
}

// byTime are the scores of a row by tested label time, each the mean over seeds; nil where runs are missing.
func (r rotation) byTime(row string) (scores []float64) {
	some := r.results.Where("model", row)
	if len(some) == 0 || some.Gap() != "" {
		return nil
	}
	folds := make(map[int][]float64)
	last := 0
	for _, run := range some {
		folds[run.Fold] = append(folds[run.Fold], run.Facts().Scores[testScore])
		last = max(last, run.Fold)
	}
	for fold := 1; fold <= last; fold++ {
		scores = append(scores, stat.Mean(folds[fold], nil))
	}
	return scores
}

// Tables have a row for each model and a column for each protocol, a table for each data set.
func (a *Affinity) Tables(r *experiments.Report) (items []figures.Item) {
	for i, name := range r.Results.Values("data") {
		results := r.Results.Where("data", name)
		table := a.table(r, name, results)
		if verdict, _, _ := a.Verdict(r); i == 0 && r.Comparable() {
			table.Finding = verdict
		}
		items = append(items, table)
	}
	return items
}

func (a *Affinity) table(r *experiments.Report, name string, results experiments.Results) *figures.Table {
	t := &figures.Table{Title: fmt.Sprintf("NDCG@10 on %s, profile %s", name, r.Profile),
		Columns: []figures.Column{{Title: "model"}}}
	better := figures.Higher
	if !r.Comparable() {
		better, t.Finding = figures.NotCompared, r.Caution()
	}
	protocols := results.Values("protocol")
	for _, p := range protocols {
		t.Columns = append(t.Columns, figures.Column{Title: Protocol(p).name(), Better: better, Decimals: 4})
	}
	turned := rotationOf(results)
	compared := r.Comparable() && len(turned.results) > 0
	if compared {
		t.Columns = append(t.Columns, figures.Column{Title: "rotation, less Persistent Forecast", Decimals: 4})
	}
	t.Columns = append(append(t.Columns, figures.Column{Title: "size"}), experiments.CostColumns()...)
	differences := turned.differences()
	windows, _, shuffled := overWindows(results)
	for _, id := range results.Values("model") {
		row := results.Where("model", id)
		cells := []figures.Cell{figures.Text(row.Title())}
		for _, p := range protocols {
			some := row.Where("protocol", p)
			over := experiments.Interval{}
			if Protocol(p) == RandomWindows {
				over = windows
			}
			cell := some.Cell(testScore, over)
			if scores := turned.byTime(id); Protocol(p) == YearRotation && scores != nil {
				cell = experiments.Interval{Of: turned.test.CI}.Cell(scores)
			}
			if mean, half, ok := publishedFor(name, row[0].Model, Protocol(p)); ok && r.Comparable() {
				cell = cell.Published(mean, half)
			}
			cells = append(cells, cell)
		}
		if compared {
			cell := experiments.None()
			if d, ok := differences[id]; ok {
				cell = figures.Estimate(d.Mean, d.Half)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, append(append(cells, row.Size()), row.Cost()...))
	}
	if len(turned.results) > 0 {
		t.Notes = append(t.Notes, turned.note)
	}
	if shuffled {
		t.Notes = append(t.Notes, windows.Note)
	}
	return t
}

// difference is the score of a row less the score of Persistent Forecast: positive where the row is better.
type difference struct {
	Mean, Half, Corrected float64
}

// differences has each row but Persistent Forecast that has all its runs, corrected by Holm for the number of rows.
func (r rotation) differences() map[string]difference {
	base := r.byTime(persistentID)
	if len(base) < 2 {
		return nil
	}
	var ids []string
	var rivals [][]float64
	for _, id := range r.results.Values("model") {
		if scores := r.byTime(id); id != persistentID && len(scores) == len(base) {
			ids, rivals = append(ids, id), append(rivals, scores)
		}
	}
	compared, err := stats.Compare(base, rivals, r.test)
	if err != nil {
		return nil
	}
	all := make(map[string]difference)
	for i, d := range compared { // persistent less rival
		own := make([]float64, len(base))
		for k := range own {
			own[k] = rivals[i][k] - base[k]
		}
		mean, half := r.test.CI(own)
		all[ids[i]] = difference{mean, half, d.Corrected}
	}
	return all
}

// Verdict says whether a learned model beats Persistent Forecast in the rotation; all is empty where nothing can be
// judged. The matrix has the differences of NDCG@10 that are shown, details all of them.
func (a *Affinity) Verdict(r *experiments.Report) (text string, matrix *figures.Table, details []string) {
	if !r.Comparable() {
		return "", nil, nil
	}
	names := r.Results.Values("data")
	m := judge.Matrix{Title: "NDCG@10 beside Persistent Forecast, by data", Score: "NDCG@10", Cases: names, Places: 4}
	var sentences []string
	for at, name := range names {
		turned := rotationOf(r.Results.Where("data", name))
		differences := turned.differences()
		if len(differences) == 0 {
			continue
		}
		var better []string
		worse := 0
		for _, id := range turned.results.Values("model") {
			d, ok := differences[id]
			model := turned.results.Where("model", id)[0].Model
			f := judge.Finding{Difference: d.Mean, P: d.Corrected, Outcome: judge.NotShown}
			switch {
			case id == persistentID:
				continue
			case !ok:
				f = judge.Finding{Why: turned.results.Where("model", id).Gap()}
				details = append(details, fmt.Sprintf("%s, %s: not judged (%s)", name, model.Name, f.Why))
			case d.Corrected <= judge.Level && d.Mean > 0:
				f.Outcome, better = judge.Better, append(better, model.Name)
			case d.Corrected <= judge.Level:
				f.Outcome, worse = judge.Worse, worse+1
			}
			m.Add(model.Name, turned.results.Where("model", persistentID)[0].Model.Name, at, f)
			if ok {
				details = append(details, fmt.Sprintf("%s, %s less Persistent Forecast: %+.4f ± %.4f (corrected p %s)", name,
					model.Name, d.Mean, d.Half, judge.Probability(d.Corrected)))
			}
		}
		sentences = append(sentences, fmt.Sprintf("On %s, each of the last %d label times forecast from those before, %s is "+
			"better than Persistent Forecast and %d of %d rows are worse.", name, len(turned.byTime(persistentID)),
			cmp.Or(strings.Join(better, ", "), "none"), worse, len(differences)))
	}
	if len(sentences) == 0 {
		return "", nil, nil
	}
	return strings.Join(sentences, " "), m.Table(), details
}

// Draw draws "differences", those from Persistent Forecast in the rotation, "times", the NDCG of the tested label times,
// or, such as "nodes-residual", the nodes that gain and lose most by a row; of data by their name. The error wraps [experiments.ErrNotStored] where there is nothing to draw, and
// [experiments.ErrInput] for another name.
func (a *Affinity) Draw(r *experiments.Report, data, name string) (*figures.Figure, error) {
	results := r.Results.Where("data", data)
	if len(results) == 0 {
		return nil, errs.New(experiments.ErrInput, "experiments: node-affinity has no data %q, %s", data,
			nearest.Want(data, r.Results.Values("data")))
	}
	switch name {
	case "differences":
		return drawDifferences(r, data, rotationOf(results))
	case "times":
		return drawTimes(r, data, rotationOf(results))
	}
	if row, found := strings.CutPrefix(name, "nodes-"); found && slices.Contains(a.size(r.Profile).ids(), row) {
		return drawCountries(r, data, row, rotationOf(results))
	}
	return nil, errs.New(experiments.ErrInput, "experiments: node-affinity has no figure %q, %s", name,
		nearest.Want(name, []string{"differences", "times", "nodes-" + residualID}))
}

func drawDifferences(r *experiments.Report, data string, turned rotation) (*figures.Figure, error) {
	differences := turned.differences()
	var rows []figures.DotRow
	for _, id := range turned.results.Values("model") {
		if id == persistentID || id == "zero" {
			continue
		}
		row := figures.DotRow{Name: turned.results.Where("model", id)[0].Model.Name, Style: styleIn(r, id)}
		if d, ok := differences[id]; ok {
			row.Value = figures.Estimate(d.Mean, d.Half)
		}
		rows = append(rows, row)
	}
	if len(differences) == 0 {
		return nil, errs.New(experiments.ErrNotStored, "experiments: node-affinity on %s: no row has all runs of the rotation",
			data)
	}
	return figures.Dots(figures.Axes{Title: fmt.Sprintf("NDCG@10 minus Persistent Forecast's, %s, profile %s", data,
		r.Profile), X: "difference, above 0 is better"}, rows...)
}

func drawTimes(r *experiments.Report, data string, turned rotation) (*figures.Figure, error) {
	var lines []figures.Series
	for _, id := range turned.results.Values("model") {
		scores := turned.byTime(id)
		if scores == nil || !slices.Contains([]string{persistentID, "moving-average", "log-linear", "gated-state", "peng",
			residualID}, id) {
			continue
		}
		some := turned.results.Where("model", id)
		line := figures.Series{Name: some[0].Model.Name, Y: scores, Points: true, Style: styleIn(r, id)}
		for fold := range scores {
			i := slices.IndexFunc(some, func(run experiments.Result) bool { return run.Fold == fold+1 })
			line.X = append(line.X, dayOf(some[i].Facts().Arrays[testTimes][0][0]))
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil, errs.New(experiments.ErrNotStored, "experiments: node-affinity on %s: no row has all runs of the rotation",
			data)
	}
	return figures.Lines(figures.Axes{Title: fmt.Sprintf("NDCG@10 by tested label time, %s, profile %s", data, r.Profile),
		X: "label time", Y: "NDCG@10", Start: epoch}, lines...)
}

// epoch is what label times are counted from in figures.
var epoch = time.Unix(0, 0).UTC()

// dayOf is a label time in days since 1970: it is a year, or seconds since then.
func dayOf(t float64) float64 {
	if t < 10000 {
		return time.Date(int(t), time.January, 1, 0, 0, 0, 0, time.UTC).Sub(epoch).Hours() / 24
	}
	return t / (24 * 60 * 60)
}

// drawAll draws what has anything to show.
func (a *Affinity) drawAll(r *experiments.Report) *pageFigures {
	drawn := &pageFigures{}
	for _, data := range r.Results.Values("data") {
		for _, name := range []string{"differences", "times", "nodes-" + residualID} {
			figure, err := a.Draw(r, data, name)
			drawn.add("affinity-"+data+"-"+name, figure, err)
		}
	}
	return drawn
}

// Notes are on all tables and figures of the study, for the end of a page.
func (a *Affinity) Notes(r *experiments.Report) figures.NoteList {
	return append(a.notes(r), r.Notes()...)
}

// notes explain tables and figures, and name our choices.
func (a *Affinity) notes(r *experiments.Report) figures.NoteList {
	size := a.size(r.Profile)
	t := size.training
	return figures.NoteList{
		"Official: the protocol of the Temporal Graph Benchmark, its split and its loop; a forecast for a label time knows " +
			"the events and labels before it (strict), or what models in TGB's examples know, events at that time among it " +
			"(parity). Paper's windows: windows of snapshots side by side (3 years of trade, else 10 weeks), shuffled by the " +
			"seed; the rows of the last snapshot are asked for. Rotation: each of the last label times by a model trained on " +
			"those before it, strict. Scores of different protocols do not compare.",
		fmt.Sprintf("Networks see the last %d snapshots before the time (in the paper's windows all but the last), in parity time "+
			"with the one that goes on; one step of time is a snapshot. Width %d, %d layers (STG-NCDE 1), rows of the adjacency "+
			"mapped to %d features, linear encoder and readout, constant steps of %g. Cross-entropy of the label rows; AdamW at "+
			"rate %g in batches of %d label times, at most %d epochs, patience %d; the paper chooses by NDCG on validation, these by its cross-entropy.",
			affinityInputs, size.hidden, size.layers, size.encoded, size.step, t.AdamW.LearningRate, t.BatchSize, t.Epochs,
			t.Patience),
		fmt.Sprintf("The rotation tests %d label times; of those before each the last %d choose the epoch.", size.rotated,
			validated),
	}
}
