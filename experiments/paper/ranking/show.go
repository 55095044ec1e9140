package ranking

import (
	"cmp"
	"context"
	"errors"
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
	if items, err = a.Tables(r); err != nil {
		return nil, err
	}
	drawn := a.drawAll(r)
	return append(append(items, drawn.Items()...), a.notes(r)), drawn.Err
}

func (a *Affinity) page(r *experiments.Report) (*experiments.Page, error) {
	drawn := a.drawAll(r)
	page := &experiments.Page{Figures: drawn.All, Pictures: min(1, len(drawn.All))}
	var err error
	page.Verdict, page.Matrix, page.Numbers, err = a.Verdict(r)
	return page, errors.Join(drawn.Err, err)
}

// rotation holds the runs of a rotation, with the test of their differences and a note on intervals.
type rotation struct {
	results experiments.Results
	test    stats.Test
	note    string
}

func rotationOf(results experiments.Results) (r rotation, err error) {
	r.results = results.Where("protocol", string(YearRotation))
	if len(r.results) == 0 {
		return r, nil
	}
	run := r.results[0].Spec.(affinityRun)
	data, err := run.data.loaded()
	if err != nil {
		return r, err
	}
	training := float64(len(data.LabelTimes) - run.size.rotated - validated)
	r.test = stats.SharedTraining(1 / training)
	r.note = fmt.Sprintf(prose.Text("rotation"), training, training)
	return r, nil
}

// shuffled holds the interval over seeds that shuffle windows of the same data, with its note, and the test of
// differences.
type shuffled struct {
	over experiments.Interval
	test stats.Test
}

// shuffledOf returns how the paper's windows among the results are compared; nil if there are none.
func shuffledOf(results experiments.Results) (*shuffled, error) {
	some := results.Where("protocol", string(RandomWindows))
	if len(some) == 0 {
		return nil, nil
	}
	r := some[0].Spec.(affinityRun)
	data, err := r.data.loaded()
	if err != nil {
		return nil, err
	}
	plan, err := r.protocolOf(context.Background(), data, some[0].Run)
	if err != nil {
		return nil, err
	}
	counts := make(map[affinity.Part]int)
	for _, q := range plan.Questions {
		counts[q.Part]++
	}
	tested, training := counts[affinity.Test], counts[affinity.Train]
	test := stats.SharedTraining(float64(tested) / float64(training))
	note := fmt.Sprintf("Paper's windows: ± is over seeds, which shuffle the same windows; the variance of the mean is "+
		"(1/k + %d/%d) s² for %d tested and %d training windows.", tested, training, tested, training)
	return &shuffled{experiments.Interval{Of: test.CI, Note: note}, test}, nil
}

// interval returns the interval of scores by a protocol.
func (s *shuffled) interval(p Protocol) (over experiments.Interval) {
	if s != nil && p == RandomWindows {
		return s.over
	}
	return over
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
func (a *Affinity) Tables(r *experiments.Report) (items []figures.Item, err error) {
	verdict, _, _, err := a.Verdict(r)
	if err != nil {
		return nil, err
	}
	for i, name := range r.Results.Values("data") {
		table, err := a.table(r, name, r.Results.Where("data", name))
		if err != nil {
			return nil, err
		}
		if i == 0 && r.Comparable() {
			table.Finding = verdict
		}
		items = append(items, table)
	}
	return items, nil
}

func (a *Affinity) table(r *experiments.Report, name string, results experiments.Results) (*figures.Table, error) {
	turned, err := rotationOf(results)
	if err != nil {
		return nil, err
	}
	differences, err := turned.differences()
	if err != nil {
		return nil, err
	}
	windows, err := shuffledOf(results)
	if err != nil {
		return nil, err
	}
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
	compared := r.Comparable() && len(turned.results) > 0
	if compared {
		t.Columns = append(t.Columns, figures.Column{Title: "rotation, less Persistent Forecast", Decimals: 4})
	}
	t.Columns = append(append(t.Columns, figures.Column{Title: "size"}), experiments.CostColumns()...)
	for _, id := range results.Values("model") {
		row := results.Where("model", id)
		cells := []figures.Cell{figures.Text(row.Title())}
		for _, p := range protocols {
			some := row.Where("protocol", p)
			cell := experiments.None()
			if len(some) > 0 {
				cell = some.Cell(testScore, windows.interval(Protocol(p)))
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
	if windows != nil {
		t.Notes = append(t.Notes, windows.over.Note)
	}
	return t, nil
}

// row returns the scores of a row by tested label time.
func (r rotation) row(id string) judge.Row {
	some := r.results.Where("model", id)
	if len(some) == 0 {
		return judge.Row{Name: id, Gap: "is not planned here"}
	}
	row := judge.Row{Name: some[0].Model.Name, Errors: r.byTime(id), Gap: some.Gap(), Better: figures.Higher}
	for i := range row.Errors {
		row.Blocks = append(row.Blocks, i)
	}
	return row
}

// gain is the score of a row minus the score of another forecast.
type gain struct {
	row, forecast string // names
	judge.Finding
}

// gains compares each first row of some pairs with the second, in order. p values are corrected by Holm for the
// planned number of comparisons.
func (r rotation) gains(pairs [][2]string, planned int) (all []gain, err error) {
	for _, pair := range pairs {
		row, forecast := r.row(pair[0]), r.row(pair[1])
		findings, err := judge.Beside(row, []judge.Row{forecast}, r.test)
		if err != nil {
			return nil, err
		}
		all = append(all, gain{row.Name, forecast.Name, findings[0]})
	}
	var tested []*judge.Finding
	for i := range all {
		if f := &all[i].Finding; f.Outcome != stats.NotTested {
			tested = append(tested, f)
		}
	}
	return all, judge.Correct(tested, planned-len(tested))
}

// differences returns the findings of each row against Persistent Forecast, by row ID, corrected by Holm for the number
// of rows. It returns none if Persistent Forecast lacks runs.
func (r rotation) differences() (map[string]gain, error) {
	if len(r.byTime(catalogue.PersistentID)) < 2 {
		return nil, nil
	}
	var pairs [][2]string
	for _, id := range r.results.Values("model") {
		if id != catalogue.PersistentID {
			pairs = append(pairs, [2]string{id, catalogue.PersistentID})
		}
	}
	gains, err := r.gains(pairs, len(pairs))
	all := make(map[string]gain)
	for i, g := range gains {
		all[pairs[i][0]] = g
	}
	return all, err
}

// corrections returns what networks add to the forecasts that they correct, where the results have both rows. p values
// are corrected by Holm for all networks that correct a forecast.
func (r rotation) corrections() ([]gain, error) {
	pairs := [][2]string{{catalogue.ResidualID, "log-linear"}, {gatedResidualID, "gated-state"}}
	planned, here := len(pairs), r.results.Values("model")
	pairs = slices.DeleteFunc(pairs, func(pair [2]string) bool {
		return !slices.Contains(here, pair[0]) || !slices.Contains(here, pair[1])
	})
	return r.gains(pairs, planned)
}

// signed formats a difference of NDCG@10, with its interval unless half is 0.
var signed = judge.Signed(func(score float64) string { return fmt.Sprintf("%.4f", score) })

// says writes a gain as a sentence, empty if it is not tested.
func (g gain) says() string {
	words := map[stats.Outcome]string{stats.Better: "is better than", stats.Worse: "is worse than",
		stats.NotShown: "is not shown to differ from"}[g.Outcome]
	if words == "" {
		return ""
	}
	return fmt.Sprintf("%s %s %s, %s.", g.row, words, g.forecast, signed(g.Difference, g.Half))
}

// Verdict reports whether a learned model beats Persistent Forecast in the rotation; all results are empty if nothing
// can be judged. The matrix has the significant differences of NDCG@10, details has all of them.
func (a *Affinity) Verdict(r *experiments.Report) (text string, matrix, details *figures.Table, err error) {
	if !r.Comparable() {
		return "", nil, nil, nil
	}
	names := r.Results.Values("data")
	m := judge.Matrix{Title: "NDCG@10 beside other forecasts, by data", Score: "NDCG@10", Cases: names,
		Write: signed, Notes: []string{"p values are corrected for all rows beside Persistent Forecast, and apart " +
			"from these for the networks that correct another forecast."}}
	var sentences []string
	for at, name := range names {
		add := func(g gain) { m.Add(g.row, g.forecast, at, g.Finding) }
		some, err := verdictOn(r.Results.Where("data", name), name, add)
		if err != nil {
			return "", nil, nil, err
		}
		sentences = append(sentences, some...)
	}
	if len(sentences) == 0 {
		return "", nil, nil, nil
	}
	return strings.Join(sentences, " "), m.Table(), m.Details(), nil
}

// verdictOn returns the sentences of the verdict on one data set, and calls add with each comparison.
func verdictOn(results experiments.Results, name string, add func(gain)) (sentences []string, err error) {
	turned, err := rotationOf(results)
	if err != nil {
		return nil, err
	}
	differences, err := turned.differences()
	if err != nil {
		return nil, err
	}
	rows := make(map[stats.Outcome][]string)
	for _, id := range turned.results.Values("model") {
		if g, ok := differences[id]; ok {
			add(g)
			rows[g.Outcome] = append(rows[g.Outcome], g.row)
		}
	}
	better, worse, undecided := rows[stats.Better], rows[stats.Worse], rows[stats.NotShown]
	if tested := len(better) + len(worse) + len(undecided); tested > 0 {
		text := fmt.Sprintf("%s is shown to beat Persistent Forecast on %s, in forecasts of the last %d label times. ",
			cmp.Or(judge.Enumerate(better), "Nothing"), name, len(turned.byTime(catalogue.PersistentID)))
		if undecided != nil {
			text += "No difference from it is shown for " + judge.Enumerate(undecided) + "; "
		}
		sentences = append(sentences, fmt.Sprintf("%s%d of %d forecasts are worse.", text, len(worse), tested))
	}
	corrections, err := turned.corrections()
	for _, g := range corrections {
		add(g)
		if text := g.says(); text != "" {
			sentences = append(sentences, text)
		}
	}
	return sentences, err
}

// rotationOn returns the rotation of one data set; the error wraps [experiments.ErrInput] if the report has no such
// data.
func rotationOn(r *experiments.Report, data string) (rotation, error) {
	results := r.Results.Where("data", data)
	if len(results) == 0 {
		return rotation{}, errs.New(experiments.ErrInput, "experiments: node-affinity has no data %q, %s", data,
			nearest.Want(data, r.Results.Values("data")))
	}
	return rotationOf(results)
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
