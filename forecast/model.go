package forecast

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/table"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/safetensors"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
	"github.com/peng-cde/pengcde-go/xla"
)

// Model is a trained network, or a fitted simple forecast, with everything needed to forecast from other files with the
// same columns.
type Model struct {
	// Network is the trained network; nil if the model is a simple forecast.
	Network *pengcde.Model
	// Recipe reads new files in the same way as the training's files.
	Recipe table.Recipe
	// Inputs is the number of snapshots that a forecast sees.
	Inputs int

	unit      float64 // time unit of the network, in the unit of the series
	intervals []halfWidths
	simple    *simple // without a Network
	label     string  // of a network with other settings than Config.Model says
}

// textKey is the key of a model file's texts.
const textKey = "forecast"

// text is the content of a model file in addition to the network.
type text struct {
	Recipe table.Recipe `json:"Recipe"`
	Inputs int          `json:"Inputs"`
	Unit   float64      `json:"Unit"`
	// Intervals are the half-widths of prediction intervals; none if too few windows were tested.
	Intervals []halfWidths `json:"Intervals,omitzero"`
	// Label is the name of a network with other settings than its configuration's name says.
	Label string `json:"Label,omitzero"`
	// Simple is the model if it is a simple forecast: its name in tables, and what it learnt.
	Simple *storedSimple `json:"Simple,omitzero"`
}

// storedSimple is a simple forecast in a file.
type storedSimple struct {
	Label string `json:"Label"`
	baseline.Stored
}

// check returns an error for a model that cannot forecast, such as Model{}.
func (m *Model) check() error {
	if m == nil || m.Network == nil && m.simple == nil || m.Inputs < 1 || !(m.unit > 0) ||
		len(m.Recipe.Config.Nodes.Targets) < 1 {
		return invalid("a Model without a network, a simple forecast or a Recipe, want one as Fit or Load returns it")
	}
	return nil
}

// prepared returns a series that the recipe read, with times in the model's unit.
func (m *Model) prepared(s *dyngraph.Series) (*dyngraph.Series, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, invalid("no series (nil), want one that the model's Recipe has read")
	}
	s, _, err := prepared(s, m.unit)
	return s, err
}

// Save writes one file. pengcde.Load can also read it if the model is a network; see [pengcde.Model.Save].
func (m *Model) Save(path string) error {
	if err := m.check(); err != nil {
		return err
	}
	t := text{Recipe: m.Recipe, Inputs: m.Inputs, Unit: m.unit, Intervals: m.intervals, Label: m.label}
	if m.simple != nil {
		stored, err := baseline.Store(m.simple.Forecaster)
		if err != nil {
			return err
		}
		t.Simple = &storedSimple{m.simple.label, stored}
	}
	content, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("forecast: save model: %w", err)
	}
	texts := map[string]string{textKey: string(content)}
	if m.simple == nil {
		return m.Network.SaveWith(path, texts)
	}
	if err := safetensors.Write(path, texts, nil); err != nil {
		return fmt.Errorf("forecast: save model: %w", err)
	}
	return nil
}

// Load reads a file that [Model.Save] wrote. Close the model when it is no longer needed. An error about the content
// wraps [ErrInput].
func Load(backend *xla.Backend, path string) (*Model, error) {
	texts, err := pengcde.Metadata(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(path, err)
	}
	if errors.Is(err, pengcde.ErrFile) {
		file, noFile := safetensors.Read(path)
		if noFile != nil || file.Metadata[textKey] == "" { // no simple forecast either
			return nil, errs.In("forecast: damaged or no model, want a file that pengcde fit wrote, such as "+ModelFile, err,
				ErrInput)
		}
		texts, err = file.Metadata, nil
	}
	if err != nil {
		return nil, err
	}
	var t text
	if texts[textKey] == "" {
		return nil, invalid("%s does not say how its data were read: want a file that pengcde fit wrote; pengcde.Load "+
			"reads this one", path)
	}
	if err := json.Unmarshal([]byte(texts[textKey]), &t); err != nil {
		return nil, invalid("%s: %v: fit the model again with this version", path, err)
	}
	if t.Inputs < 1 || !(t.Unit > 0) || math.IsInf(t.Unit, 0) || len(t.Recipe.Config.Nodes.Targets) < 1 {
		return nil, invalid("%s has %d inputs, time unit %g and targets %q: fit the model again with this version", path,
			t.Inputs, t.Unit, t.Recipe.Config.Nodes.Targets)
	}
	t.Recipe.Inputs = t.Inputs
	m := &Model{Recipe: t.Recipe, Inputs: t.Inputs, unit: t.Unit, intervals: t.Intervals, label: t.Label}
	if t.Simple != nil {
		f, err := t.Simple.Forecaster()
		if err != nil {
			return nil, errs.In("forecast: "+path, err, ErrInput)
		}
		m.simple = &simple{t.Simple.Label, f}
	} else if m.Network, err = pengcde.Load(backend, path); err != nil {
		return nil, err
	}
	for _, i := range t.Intervals {
		if len(i.Half) != m.nodes() || slices.ContainsFunc(i.Half, func(h float64) bool { return !(h >= 0) }) {
			m.Close()
			return nil, invalid("%s has %d half-widths of intervals, want one of 0 or more for each of %d nodes: fit the model "+
				"again with this version", path, len(i.Half), m.nodes())
		}
	}
	return m, nil
}

// Close frees the network. A nil or zero model has none.
func (m *Model) Close() {
	if m != nil {
		m.Network.Close()
	}
}

// Name returns the name of the model in tables and files, "no model" for Model{}.
func (m *Model) Name() string {
	switch {
	case m.simple != nil:
		return m.simple.label
	case m.Network == nil:
		return "no model"
	}
	return cmp.Or(m.label, nameOf(m.Network.Config()))
}

func (m *Model) nodes() int {
	if m.simple != nil {
		return len(m.Recipe.NodeNames)
	}
	return m.Network.Config().Nodes
}

// forecast returns the forecast of a window, in the unit of the series, NaN for nodes that are absent at its last
// input.
func (m *Model) forecast(ctx context.Context, w dyngraph.Window) ([]float64, error) {
	if m.simple != nil {
		values, err := m.simple.Forecast(w)
		return w.WithoutAbsent(math.Inf(1), values), err
	}
	y, err := m.Network.Predict(ctx, w, nil)
	return y.Values, err
}

// Target returns the name of the forecast column, or the names with commas between them.
func (m *Model) Target() string { return strings.Join(m.Recipe.Config.Nodes.Targets, ", ") }

// Forecast holds the forecast values of one target for one future time.
type Forecast struct {
	// From is the time of the newest snapshot that is seen. Time is the time of the forecast, Ahead snapshots later.
	// Both are a date, or a number of the column of times. Time is "" if snapshots are not evenly spaced.
	From, Time string
	Ahead      int
	// Target is the forecast column. Values are in its unit, by node, NaN for nodes that are absent at the newest
	// snapshot.
	Target string
	Values []float64
	// Intervals are prediction intervals of 80% and 95%, see [Coverage]; nil if too few windows were tested so far ahead.
	// Ends are NaN at nodes without an observed value in the series, whose errors nothing tells.
	Intervals []Interval

	window     dyngraph.Window
	seen, when any // From and Time, see calendar.at
	step       int
	at         output
	least      float64 // 0 if no value of the target is negative, up to rounding, else -Inf
}

// Ahead forecasts the times after the newest one of a series, up to the horizon, from the newest snapshots: for each
// time its targets. A model of one time ahead alone forecasts the times before it from correspondingly earlier
// snapshots. The recipe must have read the series; an error about it wraps [ErrInput].
func (m *Model) Ahead(ctx context.Context, series *dyngraph.Series) ([]Forecast, error) {
	series, err := m.prepared(series)
	if err != nil {
		return nil, err
	}
	return m.ahead(ctx, series)
}

func (m *Model) ahead(ctx context.Context, series *dyngraph.Series) ([]Forecast, error) {
	features := series.FeatureSize // those that a simple forecast reads, it checks itself
	if m.Network != nil {
		features = m.Network.Config().Features
	}
	if series.Nodes() != m.nodes() || series.FeatureSize != features {
		return nil, invalid("series %q has %d nodes and %d features, the model was made for %d and %d: read it by the "+
			"model's Recipe", series.Name, series.Nodes(), series.FeatureSize, m.nodes(), features)
	}
	if c := m.Recipe.Config; series.Quantities() != len(c.Nodes.Targets) {
		return nil, invalid("series %q has %d targets a node, the model was made for %q: read it by the model's Recipe",
			series.Name, series.Quantities(), c.Nodes.Targets)
	}
	if len(series.Times) < m.Inputs {
		lags := max(1, m.Recipe.Config.Lags)
		return nil, invalid("%d snapshots, of which %d have all lags, but a forecast sees %d: give files with %d snapshots "+
			"at least", len(series.Times)+lags-1, len(series.Times), m.Inputs, m.Inputs+lags-1)
	}
	all, err := unknown(series, m.Inputs)
	if err != nil {
		return nil, err
	}
	latest, err := series.Latest(m.Inputs)
	if err != nil {
		return nil, err
	}
	least := make([]float64, series.Quantities())
	targets := make([]*dyngraph.Series, len(least)) // at the nearest step
	blank := make([][]int, len(least))              // nodes without intervals
	for k := range targets {
		targets[k] = ofTarget(series.OfStep(0), k)
		blank[k] = unobserved(targets[k])
		if least[k], err = leastValue(targets[k], len(series.Targets)-1); err != nil {
			return nil, err
		}
	}
	calendar := calendar{series, m.unit}
	var row []float64
	for i := range all {
		f := &all[i]
		f.From, f.Time = calendar.text(newest(f.window)), calendar.text(f.step)
		f.seen, f.when = calendar.at(newest(f.window)), calendar.at(f.step)
		if i == 0 || f.window != all[i-1].window {
			if row, err = m.forecast(ctx, f.window); err != nil {
				return nil, err
			}
		}
		y, target := latest.WithoutAbsent(math.Inf(1), f.at.of(series, row)), targets[f.at.target]
		f.Target, f.least = m.Recipe.Config.Nodes.Targets[f.at.target], least[f.at.target]
		if f.Values, err = unscaled(target, f.window.Last(), y); err != nil {
			return nil, err
		}
		for _, i := range m.intervals {
			if i.Step != f.at.step || i.Target != f.at.target {
				continue
			}
			one, err := around(target, f.window.Last(), least[f.at.target], i.Level, y, i.Half)
			if err != nil {
				return nil, err
			}
			one.contain(f.Values)
			for _, u := range blank[f.at.target] {
				one.Lower[u], one.Upper[u] = math.NaN(), math.NaN()
			}
			f.Intervals = append(f.Intervals, *one)
		}
	}
	return all, nil
}

// unobserved lists the nodes without a value in a series of one target; none if no node has one, as in a short series.
func unobserved(series *dyngraph.Series) (nodes []int) {
	for u := range series.Nodes() {
		if !slices.ContainsFunc(series.Targets, func(row []float64) bool { return row != nil && known(row[u]) }) {
			nodes = append(nodes, u)
		}
	}
	if len(nodes) == series.Nodes() {
		return nil
	}
	return nodes
}
