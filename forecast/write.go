package forecast

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/tabular"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// Names of the files that [Result.Write] makes.
const (
	ModelFile     = "model.pengcde"
	ForecastsFile = "forecasts.csv"
	ErrorsFile    = "errors.csv"
	PageFile      = "report.html"
)

// Files returns the paths of the files that [Result.Write] makes in a folder.
func Files(folder string) (paths []string) {
	for _, name := range []string{ModelFile, ForecastsFile, ErrorsFile, PageFile} {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// Write writes the results into a folder, each file in one step: the model, forecasts of future values, errors by time
// ahead and node, and a page with the figures, which needs no network.
func (r *Result) Write(ctx context.Context, folder string) error {
	if err := r.check(); err != nil {
		return err
	}
	ahead, err := r.ahead(ctx, r.Series)
	if err != nil {
		return err
	}
	if negative := r.negative(ahead); negative != "" {
		r.notice(negative)
	}
	simple, err := r.simpleAhead(ahead)
	if err != nil {
		return err
	}
	forecasts, err := forecastsCSV(r.Name(), r.Recipe.NodeNames, ahead, simple)
	if err != nil {
		return err
	}
	errors, err := r.errorsCSV()
	if err != nil {
		return err
	}
	page, err := r.page(ahead, simple)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{ForecastsFile: forecasts, ErrorsFile: errors, PageFile: page} {
		if err := durable.WriteFile(filepath.Join(folder, name), content); err != nil {
			return fmt.Errorf("forecast: write results: %w", err)
		}
	}
	return r.Save(filepath.Join(folder, ModelFile))
}

// WriteForecasts writes forecasts of [Model.Ahead] to a file in one step: node, from, ahead, time and, in the data's
// unit, the forecast and its intervals. The ending of its name, .csv or .parquet, gives the format; .csv has twelve
// digits of forecasts, and all digits of times.
func (m *Model) WriteForecasts(path string, ahead []Forecast) (err error) {
	if err := m.check(); err != nil {
		return err
	}
	var content []byte
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		content, err = forecastsCSV(m.Name(), m.Recipe.NodeNames, ahead, nil)
	case ".parquet":
		content, err = m.forecastsParquet(ahead)
	default:
		err = invalid("write forecasts: %s, want a name that ends in .csv or .parquet", path)
	}
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, content); err != nil {
		return fmt.Errorf("forecast: write forecasts: %w", err)
	}
	return nil
}

func (m *Model) forecastsParquet(ahead []Forecast) ([]byte, error) {
	instant := tabular.Number
	if m.Recipe.Dated {
		instant = tabular.Moment
	}
	t := tabular.Table{Columns: []tabular.Column{tabular.Text("node"), instant("from"), tabular.Whole("ahead"),
		instant("time")}}
	several := severalTargets(ahead)
	if several {
		t.Columns = append(t.Columns, tabular.Text("target"))
	}
	for _, name := range forecastColumns(m.Name(), ahead) {
		t.Columns = append(t.Columns, tabular.Number(name))
	}
	var rows [][]any
	for _, f := range ahead {
		for u, value := range f.Values {
			if !known(value) {
				continue // absent
			}
			row := []any{m.Recipe.NodeNames[u], f.seen, int64(f.Ahead), f.when}
			if several {
				row = append(row, f.Target)
			}
			row = append(row, value)
			for i := range intervalsOf(ahead) {
				if i < len(f.Intervals) {
					row = append(row, f.Intervals[i].Lower[u], f.Intervals[i].Upper[u])
				} else {
					row = append(row, nil, nil)
				}
			}
			rows = append(rows, row)
		}
	}
	t.Rows = slices.Values(rows)
	var content bytes.Buffer
	if err := tabular.WriteParquet(&content, t); err != nil {
		return nil, fmt.Errorf("forecast: write forecasts: %w", err)
	}
	return content.Bytes(), nil
}

// simpleForecast holds the values [forecasts][nodes] of a simple forecast, in the data's unit.
type simpleForecast struct {
	name   string
	values [][]float64
}

// simpleAhead returns the simple forecasts that were tested, fitted to all known data, with the penalty that was
// tested. It leaves out those that fail, and tells of them: a training must not be lost by them.
func (r *Result) simpleAhead(ahead []Forecast) (all []simpleForecast, err error) {
	windows, err := r.Series.Windows(r.Inputs+1, 1).Observed().List()
	if err != nil {
		return nil, err
	}
	var failed []string
	var why error // of the first
	for i, f := range r.simples {
		if r.Simple[i].Err != nil || f.label == r.Name() { // the tables report the error; the model has its own column
			continue
		}
		one, err := r.refittedAhead(f, windows, ahead)
		if err != nil {
			if failed = append(failed, strconv.Quote(f.label)); why == nil {
				why = err
			}
			continue
		}
		all = append(all, one)
	}
	if why != nil {
		r.notice(fmt.Sprintf("the written forecasts have no column of %s: %v%s", strings.Join(failed, ", "), why, r.closer()))
	}
	return all, nil
}

// closer continues a text about a simple forecast that cannot be fitted to all windows with what to try; "" if there is
// nothing.
func (r *Result) closer() string {
	if r.Recipe.TargetScale.Log1p {
		return ""
	}
	return "; if no target is negative, Scale Log1p (pengcde fit --scale log1p) brings values of very different sizes " +
		"closer together"
}

func (r *Result) refittedAhead(f *simple, windows []dyngraph.Window, ahead []Forecast) (simpleForecast, error) {
	one := simpleForecast{name: f.label}
	f, err := f.refitted(windows)
	if err != nil {
		return one, err
	}
	for _, a := range ahead {
		values, err := f.Forecast(a.window)
		if err != nil {
			return one, err
		}
		of := r.outputs[a.at.step*r.Series.Quantities()+a.at.target]
		if values, err = unscaled(of.series, a.window.Last(), of.of(values)); err != nil {
			return one, err
		}
		one.values = append(one.values, values)
	}
	return one, nil
}

func forecastsCSV(model string, names []string, ahead []Forecast, simple []simpleForecast) ([]byte, error) {
	when := func(f Forecast) []string { return []string{f.From, strconv.Itoa(f.Ahead), f.Time} }
	number := func(_ Forecast, _ int, v float64) string { return exact(v) }
	return encode(forecastRows(model, names, ahead, simple, number, when, "from", "ahead", "time"))
}

// forecastRows returns a row for each forecast and present node, header first: the node, the times named by titles, the
// target if there are several, and the values of the model and of simple forecasts.
func forecastRows(model string, names []string, ahead []Forecast, simple []simpleForecast,
	number func(of Forecast, node int, v float64) string, when func(Forecast) []string, titles ...string) [][]string {
	several := severalTargets(ahead)
	if several {
		titles = append(titles, "target")
	}
	header := slices.Concat([]string{"node"}, titles, forecastColumns(model, ahead))
	for _, s := range simple {
		header = append(header, s.name)
	}
	rows := [][]string{header}
	for i, f := range ahead {
		for u, value := range f.Values {
			if !known(value) {
				continue // absent
			}
			row := slices.Concat([]string{names[u]}, when(f))
			if several {
				row = append(row, f.Target)
			}
			row = append(row, number(f, u, value))
			for i := range intervalsOf(ahead) {
				if i < len(f.Intervals) {
					row = append(row, number(f, u, f.Intervals[i].Lower[u]), number(f, u, f.Intervals[i].Upper[u]))
				} else {
					row = append(row, "", "")
				}
			}
			for _, s := range simple {
				row = append(row, number(f, u, s.values[i][u]))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// forecastColumns names a model's values and their intervals.
func forecastColumns(model string, ahead []Forecast) []string {
	names := []string{model}
	for _, interval := range intervalsOf(ahead) {
		percent := fmt.Sprintf("%g%%", 100*interval.Level)
		names = append(names, "lower "+percent, "upper "+percent)
	}
	return names
}

// intervalsOf returns the intervals of the first forecast that has some.
func intervalsOf(ahead []Forecast) []Interval {
	for _, f := range ahead {
		if f.Intervals != nil {
			return f.Intervals
		}
	}
	return nil
}

// severalTargets reports whether forecasts are of several targets.
func severalTargets(ahead []Forecast) bool {
	return slices.ContainsFunc(ahead, func(f Forecast) bool { return f.Target != ahead[0].Target })
}

func (r *Result) errorsCSV() ([]byte, error) {
	targets := r.Recipe.Config.Nodes.Targets
	rows := [][]string{{"forecast", "node", "ahead", "target", "windows", "mean squared error", "absolute error"}}
	for _, s := range append([]baseline.Score{r.Score}, r.rivals()...) {
		if s.Err != nil {
			rows = append(rows, []string{s.Name, "", "", "", "0", "", ""})
			continue
		}
		if len(r.outputs) > 1 {
			target := ""
			if len(targets) == 1 {
				target = targets[0]
			}
			of, err := scoreRows(s, target)
			if err != nil {
				return nil, err
			}
			rows = append(rows, of...)
		}
		scores, err := split(s, r.outputs)
		if err != nil {
			return nil, err
		}
		for k, one := range scores {
			of, err := scoreRows(one, targets[r.outputs[k].target])
			if err != nil {
				return nil, err
			}
			rows = append(rows, of...)
		}
	}
	if r.Graph == nil || r.Graph.Seeds == 0 {
		return encode(rows)
	}
	for _, s := range []baseline.Score{r.Graph.With, r.Graph.Without, r.Graph.Shuffled} { // means over seeds
		mean, _ := s.Mean()
		name := s.Name + ", mean over seeds"
		ahead := aheadText(r.Series)
		rows = append(rows, []string{name, "", ahead, "", strconv.Itoa(len(s.Windows)), short(mean), ""})
		for u, e := range s.NodeErrors {
			rows = append(rows, []string{name, nodeName(r.Series, u), ahead, "", "", short(e), ""})
		}
	}
	return encode(rows)
}

// scoreRows returns the errors of a score, of all nodes and then by node. A score of several targets, whose name is "",
// has no unit for absolute errors.
func scoreRows(s baseline.Score, target string) ([][]string, error) {
	absolute, err := nodeErrors(s, 0)
	if err != nil {
		return nil, err
	}
	in := func(unit []float64) string {
		if target == "" {
			return ""
		}
		return short(stat.Mean(unit, nil))
	}
	series := s.Windows[0].Series
	mean, _ := s.Mean()
	tested := len(slices.DeleteFunc(slices.Clone(s.Errors), math.IsNaN))
	rows := [][]string{{s.Name, "", aheadText(series), target, strconv.Itoa(tested), short(mean),
		in(slices.Concat(absolute...))}}
	windows := windowsByNode(s)
	for u, errors := range absolute {
		rows = append(rows, []string{s.Name, nodeName(series, u), aheadText(series), target, strconv.Itoa(windows[u]),
			short(s.NodeErrors[u]), in(errors)})
	}
	return rows, nil
}

// windowsByNode counts for each node the windows in which one of its targets is known.
func windowsByNode(s baseline.Score) []int {
	counts := make([]int, len(s.NodeErrors))
	for _, w := range s.Windows {
		truth := w.Target()
		for u := range counts {
			if slices.ContainsFunc(truth[u*len(truth)/len(counts):(u+1)*len(truth)/len(counts)], known) {
				counts[u]++
			}
		}
	}
	return counts
}

// exact formats a number with twelve digits, and NaN as "".
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return tabular.FormatNumber(tabular.Rounded(v, 12))
}

// short formats a number with six digits, and NaN as "".
func short(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func encode(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return b.Bytes(), nil
}
