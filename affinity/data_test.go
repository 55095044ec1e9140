package affinity_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func TestNewErrors(t *testing.T) {
	row := func(node int32, classes []int32, weights ...float64) affinity.Labels {
		return affinity.Labels{Time: 2, Affinities: dyngraph.Affinities{Nodes: []int32{node}, Start: []int{0, len(classes)}, Classes: classes,
			Values: weights}}
	}
	for name, c := range map[string]struct {
		change func(*affinity.Memory)
		says   string
	}{
		"no events":       {func(m *affinity.Memory) { m.EventList = nil }, "no events"},
		"unknown node":    {func(m *affinity.Memory) { m.EventList[3].Source = 3 }, "events of node 3, want nodes in 0..2"},
		"no classes":      {func(m *affinity.Memory) { m.Classes = 0 }, "0 classes among 3 nodes"},
		"more classes":    {func(m *affinity.Memory) { m.Classes = 4 }, "4 classes"},
		"unsorted events": {func(m *affinity.Memory) { m.EventList[0].Time = 9 }, "event 1"},
		"no labels":       {func(m *affinity.Memory) { m.LabelList = nil }, "no labels"},
		"label time":      {func(m *affinity.Memory) { m.LabelList[0].Time = math.Inf(1) }, "labels of time +Inf"},
		"unsorted labels": {func(m *affinity.Memory) { m.LabelList[0].Time = 3 },
			"labels of time 3 come after the labels of 3"},
		"empty labels": {func(m *affinity.Memory) { m.LabelList[0] = affinity.Labels{Time: 2} }, "without a node"},
		"shape":        {func(m *affinity.Memory) { m.LabelList[0].Values = nil }, "1 classes and 0 values"},
		"rows that fall": {func(m *affinity.Memory) {
			m.LabelList[0] = affinity.Labels{Time: 2, Affinities: dyngraph.Affinities{Nodes: []int32{0, 1}, Start: []int{0, 3, 1}, Classes: []int32{0},
				Values: []float64{1}}}
		}, "row 0 has the entries 0 to 3 of 1"},
		"labelled node":   {func(m *affinity.Memory) { m.LabelList[0].Nodes[0] = 3 }, "node 3"},
		"class":           {func(m *affinity.Memory) { m.LabelList[0] = row(0, []int32{3}, 1) }, "class 3"},
		"class twice":     {func(m *affinity.Memory) { m.LabelList[0] = row(0, []int32{1, 1}, 1, 1) }, "class 1"},
		"negative weight": {func(m *affinity.Memory) { m.LabelList[0] = row(0, []int32{1}, -1) }, "the affinity -1 to class 1"},
		"NaN":             {func(m *affinity.Memory) { m.LabelList[0] = row(0, []int32{1}, math.NaN()) }, "the affinity NaN to class 1"},
	} {
		m := memory([]float64{1, 2, 3}, 2)
		c.change(m)
		if _, err := affinity.New(context.Background(), name, 1, m); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want dyngraph.ErrInvalid that says %q", name, err, c.says)
		}
	}
	if _, err := affinity.New(context.Background(), "step", 0, memory([]float64{1, 2}, 1)); !errors.Is(err,
		dyngraph.ErrInvalid) {
		t.Errorf("no step: %v", err)
	}
}

// changing is a source that returns other data when it is read again.
type changing struct {
	*affinity.Memory
	fewerEvents, fewerLabels bool
	read                     *int
}

func (c changing) Events(ctx context.Context) dyngraph.Events {
	if *c.read++; *c.read > 1 && c.fewerEvents {
		return (&affinity.Memory{EventList: c.EventList[:600]}).Events(ctx)
	}
	return c.Memory.Events(ctx)
}

func (c changing) Labels(ctx context.Context) iter.Seq2[affinity.Labels, error] {
	if *c.read > 1 && c.fewerLabels {
		return (&affinity.Memory{LabelList: c.LabelList[:3]}).Labels(ctx)
	}
	return c.Memory.Labels(ctx)
}

func TestSourceThatChanges(t *testing.T) {
	for _, c := range []changing{{fewerEvents: true}, {fewerLabels: true}} {
		c.Memory, c.read = memory([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 300), new(int)
		data, err := affinity.New(context.Background(), "changing", 1, c)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := data.Official(affinity.Strict)
		if err != nil {
			t.Fatal(err)
		}
		*c.read = 2
		if _, err := affinity.Evaluate(context.Background(), plan, &affinity.MessageMean{}); !errors.Is(err,
			dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "they changed meanwhile") {
			t.Errorf("fewer events %v: %v", c.fewerEvents, err)
		}
	}
}

// broken is a source that fails at a chosen point.
type broken struct {
	affinity.PersistentForecast
	train, observe, learn, forecast error
	score                           float64
}

func (*broken) LabelsOnly() bool                              { return false }
func (b *broken) Train(context.Context, *affinity.Plan) error { return b.train }
func (b *broken) Observe([]dyngraph.Event) error              { return b.observe }
func (b *broken) Learn(affinity.Labels) error                 { return b.learn }
func (b *broken) Forecast(_ context.Context, _ float64, _ []int32, scores []float64) error {
	scores[0] = b.score
	return b.forecast
}

func TestForecasterErrors(t *testing.T) {
	data, failed := yearly(t), errors.New("out of paper")
	official, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	windows, err := data.Windows(context.Background(), affinity.WindowConfig{Length: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range []*affinity.Plan{official, windows} {
		for _, b := range []*broken{{train: failed}, {observe: failed}, {learn: failed}, {forecast: failed}} {
			if _, err := affinity.Evaluate(context.Background(), plan, b); !errors.Is(err, failed) {
				t.Errorf("%s: %+v gives %v", plan.Name, b, err)
			}
		}
		if _, err := affinity.Evaluate(context.Background(), plan, &broken{score: math.NaN()}); !errors.Is(err,
			dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "score 0 is NaN") {
			t.Errorf("%s: score NaN gives %v", plan.Name, err)
		}
	}
}

// Data of your own: in memory here, else implement [affinity.Source].
func ExampleMemory() {
	m := &affinity.Memory{NodeNames: []string{"ska", "jazz", "Ada"}, Classes: 2}
	for day := range 100 { // Ada hears jazz every day, and ska more and more
		for song := range 20 {
			genre := int32(1)
			if song < day/10 {
				genre = 0
			}
			m.EventList = append(m.EventList, dyngraph.Event{Time: float64(day), Source: 2, Destination: genre, Weight: 1})
		}
		if day > 0 {
			m.LabelList = append(m.LabelList, affinity.Labels{Time: float64(day), Affinities: dyngraph.Affinities{Nodes: []int32{2}, Start: []int{0, 2},
				Classes: []int32{0, 1}, Values: []float64{float64(day / 10), float64(20 - day/10)}}})
		}
	}
	ctx := context.Background()
	data, err := affinity.New(ctx, "songs", 7, m)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := affinity.Evaluate(ctx, plan, &affinity.MessageAverage{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.3f\n", report.Plan, report.Mean(affinity.Test))
	// Output:
	// songs, official protocol, strict time: 1.000
}
