package ranking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/stats"
)

// testScore is the mean NDCG@10 over the tested times of a run.
const testScore = string(affinity.Test)

// publishedFor returns the value that the paper prints for a row by a protocol.
func publishedFor(data string, row affinityRow, p Protocol) figures.Cell {
	if p != row.protocolOfPaper() {
		return figures.Missing()
	}
	found, _ := catalogue.Published("tgb", row.ID, data)
	return found.Cell()
}

// protocolOfPaper returns the protocol by which the paper has a row.
func (r affinityRow) protocolOfPaper() Protocol {
	if r.Untrained || r.stream != nil {
		return OfficialParity
	}
	return RandomWindows
}

// show returns tables, figures and notes.
func (a *Affinity) show(r *experiments.Report) (items []figures.Item, err error) {
	drawn := a.drawAll(r)
	return append(append(a.Tables(r), drawn.Items()...), a.notes(r)), drawn.Err
}

func (a *Affinity) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := a.drawAll(r)
	page := &experiments.Page{Figures: drawn.All, Pictures: min(1, len(drawn.All))}
	page.Verdict, page.Matrix, page.Numbers = a.Verdict(r)
	return page, drawn.Err
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
	r.note = fmt.Sprintf(prose.Text("rotation"), training, training)
	return r
}

// overWindows returns the interval over seeds that shuffle windows of the same data, with its note, and the test of
// differences; ok is false if there are none.
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
	return experiments.Interval{Of: test.CI, Note: fmt.Sprintf("Paper's windows: ± is over seeds, which shuffle the "+
		"same windows; the variance of the mean is (1/k + %d/%d) s² for %d tested and %d training windows.", tested,
		training, tested, training)}, test, true
}

// byTime returns the scores of a row by tested label time, each the mean over seeds; nil if runs are missing.
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

// Tables returns a table for each data set, with a row for each model and a column for each protocol.
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
			cell := experiments.None()
			if len(some) > 0 {
				cell = some.Cell(testScore, over)
			}
			if scores := turned.byTime(id); Protocol(p) == YearRotation && scores != nil {
				cell = experiments.Interval{Of: turned.test.CI}.Cell(scores)
			}
			if r.Comparable() {
				cell = cell.Published(publishedFor(name, row[0].Spec.(affinityRun).affinityRow, Protocol(p)))
			}
			cells = append(cells, cell)
		}
		if compared {
			cell := experiments.None()
			if d := differences[id]; d.Outcome != stats.NotTested {
				cell = figures.Estimate(d.Difference, d.Half)
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

// row returns the scores of a row by tested label time.
func (r rotation) row(id string) judge.Row {
	some := r.results.Where("model", id)
	if len(some) == 0 {
		return judge.Row{Name: id, Gap: "is not planned here"}
	}
	row := judge.Row{Name: some[0].Model.Name, Errors: r.byTime(id), Gap: some.Gap()}
	for i := range row.Errors {
		row.Blocks = append(row.Blocks, i)
	}
	return row
}

// errors returns the scores of a row by tested label time, negated like errors.
func (r rotation) errors(id string) judge.Row {
	row := r.row(id)
	row.Errors = negative(row.Errors)
	return row
}

// differences returns the findings of each row against Persistent Forecast, by row ID: the row's score minus
// Persistent Forecast's, corrected by Holm for the number of rows. It returns none if Persistent Forecast lacks runs.
func (r rotation) differences() map[string]judge.Finding {
	var ids []string
	var rows []judge.Row
	for _, id := range r.results.Values("model") {
		if id != catalogue.PersistentID {
			ids, rows = append(ids, id), append(rows, r.row(id))
		}
	}
	base := r.row(catalogue.PersistentID)
	if len(base.Errors) < 2 {
		return nil
	}
	// These are scores, not errors: Persistent Forecast's score is smaller where the row is better.
	findings, err := judge.Beside(base, rows, r.test)
	if err != nil {
		return nil
	}
	all := make(map[string]judge.Finding)
	for i, f := range findings {
		f.Difference = -f.Difference
		all[ids[i]] = f
	}
	return all
}

// gain is the score of a row that corrects a forecast, minus the forecast's own.
type gain struct {
	row, forecast string // names
	judge.Finding
}

// gains returns what networks add to the forecasts that they correct, where the results have both rows. p values are
// corrected by Holm for all networks that correct a forecast.
func (r rotation) gains() (all []gain) {
	pairs := [][2]string{{catalogue.ResidualID, "log-linear"}, {gatedResidualID, "gated-state"}}
	here := r.results.Values("model")
	for _, pair := range pairs {
		if slices.Contains(here, pair[0]) && slices.Contains(here, pair[1]) {
			row, forecast := r.errors(pair[0]), r.errors(pair[1])
			findings, err := judge.Beside(row, []judge.Row{forecast}, r.test)
			if err != nil {
				return nil
			}
			all = append(all, gain{row.Name, forecast.Name, findings[0]})
		}
	}
	var tested []*judge.Finding
	for i := range all {
		if f := &all[i].Finding; f.Outcome != stats.NotTested {
			tested = append(tested, f)
		}
	}
	if err := judge.Correct(tested, len(pairs)-len(tested)); err != nil {
		return nil
	}
	for _, f := range tested {
		f.Difference = -f.Difference // of scores
	}
	return all
}

// says writes a gain as a sentence, empty if it is not tested.
func (g gain) says() string {
	words := map[stats.Outcome]string{stats.Better: "is better than", stats.Worse: "is worse than",
		stats.NotShown: "is not shown to differ from"}[g.Outcome]
	if words == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %s, %s.", g.row, words, g.forecast, judge.Signed(4)(g.Difference, g.Half))
}

// Verdict reports whether a learned model beats Persistent Forecast in the rotation; all results are empty if nothing
// can be judged. The matrix has the significant differences of NDCG@10, details has all of them.
func (a *Affinity) Verdict(r *experiments.Report) (text string, matrix, details *figures.Table) {
	if !r.Comparable() {
		return "", nil, nil
	}
	names := r.Results.Values("data")
	m := judge.Matrix{Title: "NDCG@10 beside other forecasts, by data", Score: "NDCG@10", Cases: names,
		Write: judge.Signed(4), Notes: []string{"p values are corrected for all rows beside Persistent Forecast, and apart " +
			"from these for the networks that correct another forecast."}}
	var sentences []string
	for at, name := range names {
		turned := rotationOf(r.Results.Where("data", name))
		differences := turned.differences()
		var better, undecided []string
		worse, tested := 0, 0
		for _, id := range turned.results.Values("model") {
			f, ok := differences[id]
			if !ok {
				continue
			}
			row := turned.row(id)
			m.Add(row.Name, turned.row(catalogue.PersistentID).Name, at, f)
			switch f.Outcome {
			case stats.NotTested:
				continue
			case stats.Better:
				better = append(better, row.Name)
			case stats.NotShown:
				undecided = append(undecided, row.Name)
			case stats.Worse:
				worse++
			}
			tested++
		}
		if tested > 0 {
			text := fmt.Sprintf("%s is shown to beat Persistent Forecast on %s, in forecasts of the last %d label times. ",
				cmp.Or(judge.Enumerate(better), "Nothing"), name, len(turned.byTime(catalogue.PersistentID)))
			if undecided != nil {
				text += "No difference from it is shown for " + judge.Enumerate(undecided) + "; "
			}
			sentences = append(sentences, fmt.Sprintf("%s%d of %d forecasts are worse.", text, worse, tested))
		}
		for _, g := range turned.gains() {
			m.Add(g.row, g.forecast, at, g.Finding)
			if text := g.says(); text != "" {
				sentences = append(sentences, text)
			}
		}
	}
	if len(sentences) == 0 {
		return "", nil, nil
	}
	return strings.Join(sentences, " "), m.Table(), m.Details()
}

// rotationOn returns the rotation of one data set; the error wraps [experiments.ErrInput] if the report has no such
// data.
func rotationOn(r *experiments.Report, data string) (rotation, error) {
	results := r.Results.Where("data", data)
	if len(results) == 0 {
		return rotation{}, errs.New(experiments.ErrInput, "experiments: node-affinity has no data %q, %s", data,
			nearest.Want(data, r.Results.Values("data")))
	}
	return rotationOf(results), nil
}

// Notes returns the notes on all tables and figures of the study, for the end of a page.
func (a *Affinity) Notes(r *experiments.Report) figures.NoteList {
	return append(a.notes(r), r.Notes()...)
}

// notes explains tables and figures, and names our choices.
func (a *Affinity) notes(r *experiments.Report) figures.NoteList {
	size := a.size(r.Profile)
	t := size.training
	return figures.NoteList{
		prose.Text("protocols"),
		fmt.Sprintf(prose.Text("networks"),
			affinityInputs, size.hidden, size.layers, size.encoded, size.step, t.AdamW.LearningRate, t.BatchSize, t.Epochs,
			t.Patience),
		fmt.Sprintf("The rotation tests %d label times; of those before each the last %d choose the epoch.", size.rotated,
			validated),
	}
}
