package forecast

import (
	"bytes"
	_ "embed" // for the page
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/internal/plain"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page returns an HTML page with the figures inside it.
func (r *Result) page(ahead []Forecast, simple []simpleForecast) ([]byte, error) {
	answer, details, err := r.figures(ahead, nil)
	if err != nil {
		return nil, err
	}
	answers := []string{r.Verdict()}
	if r.Choice != nil {
		answers = append([]string{r.Choice.String()}, answers...)
	}
	if r.Graph != nil {
		answers = append(answers, r.Graph.String())
	}
	var parts []template.HTML
	for _, item := range slices.Concat(answer, details, []figures.Item{figures.Notes(slices.Concat(answer, details)...)}) {
		if t, ok := item.(*figures.Table); ok && slices.Contains(answers, t.Finding) {
			t.Finding = "" // the page states it above
		}
		html, err := item.HTML()
		if err != nil {
			return nil, fmt.Errorf("forecast: page: %w", err)
		}
		parts = append(parts, template.HTML(html)) // from package figures, which escapes its input
	}
	rows, best := r.rows(ahead, simple), 0
	if r.Report != nil {
		best = max(1, r.Report.Best+1)
	}
	c := calendar{r.Series, r.unit}
	first, last := r.Split.Test[0], r.Split.Test[len(r.Split.Test)-1]
	var b bytes.Buffer
	err = pageTemplate.Execute(&b, map[string]any{
		"Target": r.Target(), "Model": r.Name(), "Answers": answers, "Rows": rows,
		"Parts": parts[:len(answer)], "Details": parts[len(answer):],
		"Nodes": plain.Count(r.Series.Nodes(), "node"), "Edges": plain.Count(r.Series.Pattern.Edges(), "edge"),
		"Snapshots": plain.Count(len(r.Series.Times), "snapshot"), "Stopped": r.Stopped(),
		"Present": presentNodes(r.Series), "First": c.text(0), "Last": c.text(len(r.Series.Times) - 1),
		"TestedFrom": c.text(first.Last() + r.Series.Alignment.Targets.First),
		"TestedTo":   c.text(last.Last() + r.Series.Alignment.Targets.Last),
		"Training":   plain.Count(len(r.Split.Train), "window"), "Validation": len(r.Split.Validation),
		"Tested": plain.Count(len(r.Split.Test), "window"),
		"Inputs": r.Inputs, "Log1p": r.Recipe.TargetScale.Log1p, "Ahead": aheadText(r.Series),
		"Trained": r.Network != nil, "AsTested": r.asTested, "Config": r.config, "Best": best, "Choice": r.Choice,
		"ModelFile": ModelFile, "ForecastsFile": ForecastsFile, "ErrorsFile": ErrorsFile,
	})
	return b.Bytes(), err
}

// presentNodes returns the number of nodes that are present at the last snapshot as a text, "" if all always are.
func presentNodes(s *dyngraph.Series) string {
	if s.Present == nil {
		return ""
	}
	count := 0
	for _, there := range s.Present[len(s.Present)-1] {
		if there {
			count++
		}
	}
	return strconv.Itoa(count)
}

// rows returns the forecasts of present nodes, header first.
func (r *Result) rows(ahead []Forecast, simple []simpleForecast) [][]string {
	when := func(f Forecast) []string {
		if f.Time == "" {
			return []string{fmt.Sprintf("%d after %s", f.Ahead, f.From)}
		}
		return []string{f.Time}
	}
	number := func(f Forecast, node int, v float64) string {
		if !known(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'f', f.decimals(node), 64)
	}
	return forecastRows(r.Name(), r.Recipe.NodeNames, ahead, simple, number, when, "time")
}

// decimals returns how many decimals show a node's forecast: three digits of the width of its first interval, without
// one of the forecast.
func (f Forecast) decimals(node int) int {
	size := math.Abs(f.Values[node])
	if len(f.Intervals) > 0 {
		if width := f.Intervals[0].Upper[node] - f.Intervals[0].Lower[node]; width > 0 && !math.IsInf(width, 1) {
			size = width
		}
	}
	const digits, most = 3, 12
	if size == 0 {
		return 0
	}
	return min(most, max(0, digits-1-int(math.Floor(math.Log10(size)))))
}
