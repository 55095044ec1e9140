package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// mostPanels is the number of panels if no nodes are named. shownTail is the smallest number of snapshots that they
// show.
const (
	mostPanels = 6
	shownTail  = 30
)

// Figure draws the latest values of nodes and their forecasts. Without names it draws the nodes with the largest
// means that are present at the end. Nodes without recent observations, or without a forecast, are left out.
func (m *Model) Figure(series *dyngraph.Series, ahead []Forecast, nodes ...string) (*figures.Figure, error) {
	series, err := m.prepared(series)
	if err != nil {
		return nil, err
	}
	return m.figure(series, ahead, nil, nil, len(series.Times)-shownTail, nodes)
}

// figure also draws scores where they are tested, from a snapshot on.
func (m *Model) figure(s *dyngraph.Series, ahead []Forecast, scores []baseline.Score, coverage []Coverage, from int,
	names []string) (*figures.Figure, error) {
	c := calendar{s, m.unit}
	targets := m.Recipe.Config.Nodes.Targets
	nodes, err := nodesOf(ofTarget(s.OfStep(0), 0), names, mostPanels/len(targets))
	if err != nil {
		return nil, err
	}
	var panels []figures.ForecastPanel
	for target, name := range targets {
		truth, err := calendar{ofTarget(s.OfStep(0), target), m.unit}.truth(from)
		if err != nil {
			return nil, err
		}
		lines, err := c.lines(m.Name(), target, scores, coverage, ahead)
		if err != nil {
			return nil, err
		}
		for _, u := range nodes {
			panel := figures.ForecastPanel{Title: nodeName(s, u), Days: truth.x}
			if _, err := strconv.ParseFloat(panel.Title, 64); err == nil {
				panel.Title = cmp.Or(m.Recipe.Config.Nodes.Node, "node") + " " + panel.Title
			}
			if len(targets) > 1 {
				panel.Title += ": " + name
			}
			for _, values := range truth.y {
				panel.Truth = append(panel.Truth, values[u])
			}
			if !slices.ContainsFunc(panel.Truth, known) {
				continue
			}
			for _, line := range lines {
				if one := line.of(u); slices.ContainsFunc(one.Y, known) {
					panel.Forecasts = append(panel.Forecasts, one)
				}
			}
			if panel.Forecasts != nil || len(lines) == 0 {
				panels = append(panels, panel)
			}
		}
	}
	axes := c.axes()
	axes.Title, axes.Y, axes.Spans = m.Target()+": observed and forecast", m.Target(), c.spans(scores, ahead)
	if s.TargetSteps() > 1 {
		axes.Title += ", each line from one time on"
	}
	return figures.Forecasts(axes, panels)
}

// nodesOf returns the indices of named nodes, or of some nodes with the largest mean target among those present at the
// end.
func nodesOf(s *dyngraph.Series, names []string, most int) (nodes []int, err error) {
	for _, name := range names {
		u := 0
		for u < s.Nodes() && nodeName(s, u) != name {
			u++
		}
		if u == s.Nodes() {
			return nil, invalid("no node %q in series %q, want one of its %d, such as %q", name, s.Name, s.Nodes(),
				nodeName(s, 0))
		}
		nodes = append(nodes, u)
	}
	if len(nodes) > 0 {
		return nodes, nil
	}
	sums, counts := make([]float64, s.Nodes()), make([]float64, s.Nodes())
	for i := range s.Targets {
		values, err := unscaled(s, i, s.Targets[i])
		if err != nil {
			return nil, err
		}
		for u, y := range values {
			if known(y) {
				sums[u] += y
				counts[u]++
			}
		}
	}
	for u := range sums {
		if counts[u] > 0 && (s.Present == nil || s.Present[len(s.Present)-1][u]) {
			nodes = append(nodes, u)
		}
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(sums[b]/counts[b], sums[a]/counts[a]) })
	return nodes[:min(len(nodes), max(1, most))], nil
}

// drawnLine holds values by node at increasing times.
type drawnLine struct {
	name         string
	style        figures.Style
	x            []float64
	y            [][]float64
	lower, upper [][]float64 // as y, NaN without an interval
	step         int         // the last step that was drawn
}

// add adds values and their interval, which may be nil.
func (l *drawnLine) add(at float64, values []float64, interval *Interval) {
	if interval == nil {
		none := slices.Repeat([]float64{math.NaN()}, len(values))
		interval = &Interval{Lower: none, Upper: none}
	}
	l.x, l.y = append(l.x, at), append(l.y, values)
	l.lower, l.upper = append(l.lower, interval.Lower), append(l.upper, interval.Upper)
}

// of returns the line of a node, with a band if it has intervals.
func (l *drawnLine) of(u int) figures.Series {
	s := figures.Series{Name: l.name, Style: l.style, X: l.x, Points: len(l.x) <= 2*shownTail}
	column := func(rows [][]float64) (values []float64) {
		for _, row := range rows {
			values = append(values, row[u])
		}
		return values
	}
	s.Y = column(l.y)
	if lower := column(l.lower); slices.ContainsFunc(lower, known) {
		s.Lower, s.Upper, s.Band = lower, column(l.upper), fmt.Sprintf("%g%% interval", 100*levels[0])
	}
	return s
}

// goOn adds the values of a step with a known time, with a gap before it if earlier steps are left out, or if apart.
func (c calendar) goOn(l *drawnLine, step int, apart bool, values []float64, interval *Interval) {
	at, ok := c.number(step)
	if !ok {
		return
	}
	gap, _ := c.number(l.step + 1)
	if before, _ := c.number(l.step); step == l.step+1 {
		gap = (before + at) / 2
	}
	if l.x != nil && (apart || step > l.step+1) {
		l.add(gap, slices.Repeat([]float64{math.NaN()}, len(values)), nil)
	}
	l.add(at, values, interval)
	l.step = step
}

// fans returns the indices of windows, the newest and earlier ones, whose targets share no step.
func fans(windows []dyngraph.Window) (indices []int) {
	next := math.MaxInt
	for i, w := range slices.Backward(windows) {
		if w.Last()+w.Series.TargetSteps() <= next {
			indices, next = append(indices, i), w.Last()
		}
	}
	slices.Reverse(indices)
	return indices
}

// truth returns the targets from a snapshot on whose time is known.
func (c calendar) truth(from int) (drawnLine, error) {
	var line drawnLine
	for i := max(0, from); i < len(c.Targets); i++ {
		at, ok := c.number(i + c.Alignment.Targets.Last)
		if !ok || line.x == nil && !slices.ContainsFunc(c.Targets[i], known) {
			continue
		}
		values, err := unscaled(c.Series, i, c.Targets[i])
		if err != nil {
			return line, err
		}
		line.add(at, values, nil)
	}
	if line.x == nil {
		return line, invalid("series %q has no observed target among its last %d snapshots to draw", c.Name,
			len(c.Targets)-max(0, from))
	}
	return line, nil
}

// lines returns the forecasts of scores, with gaps where no window was tested. Of forecasts of several steps it takes
// [fans], with gaps between windows. The first line, the model's, has intervals, and goes on with the forecasts ahead.
func (c calendar) lines(model string, target int, scores []baseline.Score, coverage []Coverage, ahead []Forecast) (
	lines []drawnLine, err error) {
	all := outputs(c.Series)
	for k, s := range scores {
		line := drawnLine{name: s.Name, style: styleOf(s.Name)}
		if k > 0 && line.style == styles[ModelName] { // another network than the model
			line.style = otherNetwork
		}
		for _, i := range fans(s.Windows) {
			w := s.Windows[i]
			for step := range c.TargetSteps() {
				p := all[step*c.Quantities()+target]
				values, err := unscaled(p.series, w.Last(), p.of(s.Forecasts[i]))
				if err != nil {
					return nil, err
				}
				var interval *Interval
				at := slices.IndexFunc(coverage, func(c Coverage) bool { return c.of == p.output })
				if k == 0 && at >= 0 {
					interval = coverage[at].Intervals[i]
				}
				c.goOn(&line, w.Last()+c.Alignment.Targets.First+step, step == 0 && c.EachStep, values, interval)
			}
		}
		lines = append(lines, line)
	}
	if lines == nil {
		lines = []drawnLine{{name: model, style: styleOf(model)}}
	}
	for _, f := range ahead {
		if f.at.target != target {
			continue
		}
		var interval *Interval
		if len(f.Intervals) > 0 {
			interval = &f.Intervals[0]
		}
		c.goOn(&lines[0], f.step, f.at.step == 0 && c.EachStep, f.Values, interval)
	}
	return slices.DeleteFunc(lines, func(l drawnLine) bool { return len(l.x) == 0 }), nil
}

// spans shades the tested times and the future times.
func (c calendar) spans(scores []baseline.Score, ahead []Forecast) (spans []figures.Span) {
	middle := func(step int) float64 { // between a step and the one before
		at, _ := c.number(step)
		before, ok := c.number(step - 1)
		if !ok {
			return math.NaN()
		}
		return (at + before) / 2
	}
	end := func(step int) float64 {
		at, _ := c.number(step)
		return 2*at - middle(step)
	}
	if len(scores) > 0 {
		w := scores[0].Windows
		first, last := w[0].Last()+c.Alignment.Targets.First, w[len(w)-1].Last()+c.Alignment.Targets.Last
		spans = append(spans, figures.Span{Name: "tested", From: middle(first), To: end(last)})
	}
	if len(ahead) > 0 {
		spans = append(spans, figures.Span{Name: "not known yet", From: middle(ahead[0].step),
			To: end(ahead[len(ahead)-1].step)})
	}
	return slices.DeleteFunc(spans, func(s figures.Span) bool { return math.IsNaN(s.From + s.To) })
}

// Figures returns the tables and figures of the page: forecasts and observations; errors; errors by time ahead; how
// often intervals held; what the graph is worth, and to which nodes; the choice; errors by window; loss by epoch. nodes
// selects the nodes of the forecasts.
func (r *Result) Figures(ahead []Forecast, nodes ...string) ([]figures.Item, error) {
	first, details, err := r.figures(ahead, nodes)
	return append(first, details...), err
}

// figures returns Figures in two parts: the forecasts with what limits the trust in them, and details.
func (r *Result) figures(ahead []Forecast, nodes []string) (first, details []figures.Item, err error) {
	errors, err := r.Table()
	if err != nil {
		return nil, nil, err
	}
	shown := []baseline.Score{r.Score}
	if rival, ok := r.rival(); ok {
		shown = append(shown, rival)
	}
	tested := r.Score.Windows[0].Last()
	forecasts, err := r.figure(r.Series, ahead, shown, r.Coverage, tested-len(r.Score.Windows)-shownTail/2, nodes)
	if err != nil {
		return nil, nil, err
	}
	var rows []figures.DotRow
	for _, s := range append(shown[:1:1], r.rivals()...) {
		if s.Err == nil {
			windows := slices.DeleteFunc(slices.Clone(s.Errors), math.IsNaN)
			rows = append(rows, figures.DotRow{Name: s.Name, Style: styleOf(s.Name), Value: estimate(s.Mean()), Seeds: windows})
		}
	}
	dots, err := figures.Dots(figures.Axes{Title: "Error on the tested windows", X: "mean squared error of a window",
		Dot: "one window"}, rows...)
	if err != nil {
		return nil, nil, err
	}
	first = []figures.Item{forecasts, errors}
	byStep, err := r.byStep()
	if err != nil {
		return nil, nil, err
	}
	first = append(first, byStep...)
	if r.Coverage != nil {
		first = append(first, r.coverageTable())
	}
	if r.Graph != nil {
		first = append(first, r.Graph.tables(r.Series)...)
	}
	if r.Choice != nil {
		details = append(details, r.Choice.table())
	}
	details = append(details, dots)
	if r.Report == nil {
		return first, details, nil
	}
	losses, err := r.losses()
	return first, append(details, losses), err
}

// byStep returns the table and the figure of errors by time ahead; none if there is one time ahead.
func (r *Result) byStep() ([]figures.Item, error) {
	table, err := r.StepTable()
	if table == nil || err != nil {
		return nil, err
	}
	var lines []figures.Series
	first, _ := aheads(r.Series)
	others := 0 // networks that are not the model
	for i, s := range append([]baseline.Score{r.Score}, r.rivals()...) {
		style := styleOf(s.Name)
		if i > 0 && style == styles[ModelName] {
			style = otherNetwork
			others++
		}
		if s.Err != nil || others > 1 && style == otherNetwork { // the best by validation comes first
			continue
		}
		scores, err := split(s, r.steps)
		if err != nil {
			return nil, err
		}
		line := figures.Series{Name: s.Name, Style: style, Points: true}
		for k, one := range scores {
			mean, _ := one.Mean()
			line.X, line.Y = append(line.X, float64(first+k)), append(line.Y, mean)
		}
		lines = append(lines, line)
	}
	figure, err := figures.Lines(figures.Axes{Title: "Errors by time ahead", X: "snapshots ahead",
		Y: "mean squared error"}, lines...)
	return []figures.Item{table, figure}, err
}

// losses draws the losses of the training that was tested.
func (r *Result) losses() (*figures.Figure, error) {
	run := figures.LossRun{Name: fmt.Sprintf("seed %d", r.config.Seed), Best: r.Report.Best + 1}
	for _, epoch := range r.Report.Epochs {
		run.Train, run.Validation = append(run.Train, epoch.TrainLoss), append(run.Validation, epoch.Validation)
	}
	run.Train, run.Validation = figures.Positive(run.Train), figures.Positive(run.Validation)
	return figures.LossCurves(figures.Axes{Title: "Loss by epoch of the training that was tested", X: "epoch",
		Y: "mean squared error"}, run)
}
