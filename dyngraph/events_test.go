package dyngraph_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

func stream(events ...dyngraph.Event) dyngraph.Events {
	return func(yield func(dyngraph.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func TestSnapshotsSumTheEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []dyngraph.Event
		at := float64(rapid.IntRange(-1000, 1000).Draw(t, "first time"))
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			at += float64(rapid.SampledFrom([]int{0, 0, 1, 5, 30}).Draw(t, "gap"))
			events = append(events, dyngraph.Event{Time: at, Source: rapid.Int32Range(0, 3).Draw(t, "source"),
				Destination: rapid.SampledFrom([]int32{0, 1, math.MaxInt32}).Draw(t, "destination"),
				Weight:      float64(rapid.IntRange(-3, 9).Draw(t, "weight"))})
		}
		step := float64(rapid.IntRange(1, 40).Draw(t, "step"))
		snapshots, err := stream(events...).Aggregate(step)
		if err != nil {
			t.Fatal(err)
		}
		type edge struct {
			snapshot int
			from, to int32
		}
		want, counts := make(map[edge]float64), make([]int, len(snapshots))
		for _, e := range events {
			k := int((e.Time - events[0].Time) / step)
			want[edge{k, e.Source, e.Destination}] += e.Weight
			counts[k]++
		}
		edges := 0
		for k, s := range snapshots {
			if s.Time != events[0].Time+float64(k)*step || s.Events != counts[k] {
				t.Fatalf("snapshot %d is of %d events from %g on", k, s.Events, s.Time)
			}
			for i, w := range s.Weights {
				if got, found := want[edge{k, s.From[i], s.To[i]}]; !found || got != w {
					t.Fatalf("snapshot %d has %g from %d to %d, want %g", k, w, s.From[i], s.To[i], got)
				}
				if i > 0 && (s.From[i] < s.From[i-1] || s.From[i] == s.From[i-1] && s.To[i] <= s.To[i-1]) {
					t.Fatalf("snapshot %d is not sorted at %d", k, i)
				}
			}
			edges += len(s.From)
		}
		if last := snapshots[len(snapshots)-1]; edges != len(want) || last.Events == 0 {
			t.Fatalf("%d edges, want %d; the last snapshot has %d events", edges, len(want), last.Events)
		}
		again, err := dyngraph.EventsOf(snapshots).Aggregate(step)
		if err != nil || !slices.EqualFunc(again, snapshots, func(a, b dyngraph.Snapshot) bool {
			return a.Time == b.Time && slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To) &&
				slices.Equal(a.Weights, b.Weights)
		}) {
			t.Fatalf("snapshots of snapshots differ (%v)", err)
		}
	})
}

// The begin of a step, as computed from the first time and the step, is in that step, and so is a time equal to it but
// for rounding.
func TestStepOf(t *testing.T) {
	for _, c := range []struct{ first, step, t, want float64 }{
		{0, 0.1, 0.3, 3}, {0, 0.1, 4.3, 43}, {0, 0.1, 4.299999, 42}, {0, 0.1, -0.3, -3}, {0, 0.1, -0.31, -4},
		{5, 2, 8.999999999, 1}, {5, 2, 9, 2}, {1.6e9, 0.1, 1.6e9 + 0.3, 3}, {1.6e9, 0.1, 1.6e9 + 0.2999, 2},
		{1.6e9, 86400, 1.6e9 + 86399.999, 0}, {1.6e9, 86400, 1.6e9 + 86400, 1}, {0, 1, 1e300, 1e300},
	} {
		if got := dyngraph.StepOf(c.first, c.step, c.t); got != c.want {
			t.Errorf("%.17g is in step %g of %g from %g on, want %g", c.t, got, c.step, c.first, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Float64Range(-1e6, 1e6).Draw(t, "first")
		step := rapid.SampledFrom([]float64{0.1, 0.25, 1. / 3, 7, 0.7}).Draw(t, "step")
		k := float64(rapid.IntRange(0, 100000).Draw(t, "step number"))
		if got := dyngraph.StepOf(first, step, first+k*step); got != k {
			t.Fatalf("the begin of step %g is in step %g", k, got)
		}
		if got := dyngraph.StepOf(first, step, first+(k+0.5)*step); got != k {
			t.Fatalf("the middle of step %g is in step %g", k, got)
		}
	})
	var events []dyngraph.Event
	for k := range 100 {
		events = append(events, dyngraph.Event{Time: float64(k) * 0.1, Weight: float64(k + 1)})
	}
	snapshots, err := stream(events...).Aggregate(0.1)
	if err != nil || len(snapshots) != 100 {
		t.Fatalf("%d snapshots of 100 (%v)", len(snapshots), err)
	}
	again, err := dyngraph.EventsOf(snapshots).Aggregate(0.1)
	if err != nil || len(again) != 100 {
		t.Fatalf("%d snapshots of 100 snapshots (%v)", len(again), err)
	}
	for k, s := range again {
		if !slices.Equal(s.Weights, []float64{float64(k + 1)}) {
			t.Errorf("snapshot %d has the weights %v", k, s.Weights)
		}
	}
}

func TestSeriesOf(t *testing.T) {
	snapshots := []dyngraph.Snapshot{
		{Time: 5, From: []int32{0, 2}, To: []int32{1, 0}, Weights: []float64{1, 2}},
		{Time: 6},
		{Time: 7, From: []int32{0, 0}, To: []int32{0, 1}, Weights: []float64{3, 4}},
	}
	s, err := dyngraph.SeriesOf("three", 3, snapshots)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Pattern.From, s.Pattern.To, s.Weights, s.Times) !=
		"[0 0 2] [0 1 0] [[0 1 2] [0 0 0] [3 4 0]] [5 6 7]" {
		t.Error(s.Pattern.From, s.Pattern.To, s.Weights, s.Times)
	}
	for name, c := range map[string]struct {
		nodes     int
		snapshots []dyngraph.Snapshot
	}{
		"no nodes": {0, snapshots}, "too few nodes": {2, snapshots}, "no snapshots": {3, nil},
		"no edges": {3, snapshots[1:2]},
		"order":    {3, []dyngraph.Snapshot{snapshots[2], snapshots[0]}},
		"lengths":  {3, []dyngraph.Snapshot{{From: []int32{0}}}}, "negative": {3, []dyngraph.Snapshot{{
			From: []int32{-1}, To: []int32{0}, Weights: []float64{1}}}},
	} {
		if _, err := dyngraph.SeriesOf(name, c.nodes, c.snapshots); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEventErrors(t *testing.T) {
	failed := errors.New("disk on fire")
	fails := func(yield func(dyngraph.Event, error) bool) {
		_ = yield(dyngraph.Event{}, nil) && yield(dyngraph.Event{}, failed) && yield(dyngraph.Event{}, nil)
	}
	for name, c := range map[string]struct {
		events dyngraph.Events
		step   float64
		want   error
		says   string
	}{
		"time": {stream(dyngraph.Event{Time: math.NaN()}), 1, dyngraph.ErrInvalid, "time of event 0 is NaN"},
		"order": {stream(dyngraph.Event{Time: 3}, dyngraph.Event{Time: 2}), 1, dyngraph.ErrInvalid,
			"event 1 is of time 2 after 3"},
		"source": {stream(dyngraph.Event{Source: -1}), 1, dyngraph.ErrInvalid, "joins -1 -> 0"},
		"weight": {stream(dyngraph.Event{Weight: math.Inf(1)}), 1, dyngraph.ErrInvalid, "is +Inf"},
		"overflow": {stream(dyngraph.Event{Weight: 1e308}, dyngraph.Event{Weight: 1e308}), 1, dyngraph.ErrInvalid,
			"overflows"},
		"steps": {stream(dyngraph.Event{}, dyngraph.Event{Time: 1e9}), 1, dyngraph.ErrInvalid,
			"more than 1048576 snapshots"},
		"endless": {stream(dyngraph.Event{Time: -1e308}, dyngraph.Event{Time: 1e308}), 1, dyngraph.ErrInvalid,
			"larger step"},
		"no step":      {stream(dyngraph.Event{}), 0, dyngraph.ErrInvalid, "step 0"},
		"NaN step":     {stream(dyngraph.Event{}), math.NaN(), dyngraph.ErrInvalid, "step NaN"},
		"infinite":     {stream(dyngraph.Event{}), math.Inf(1), dyngraph.ErrInvalid, "step +Inf"},
		"stream fails": {fails, 1, failed, "disk on fire"},
	} {
		snapshots, err := c.events.Aggregate(c.step)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || snapshots != nil {
			t.Errorf("%s: %v, want one that says %q", name, err, c.says)
		}
	}
	if snapshots, err := stream().Aggregate(1); len(snapshots) != 0 || err != nil {
		t.Errorf("no events: %v, %v", snapshots, err)
	}
}

func TestWriteCSV(t *testing.T) {
	events := stream(dyngraph.Event{Time: 1108347640, Source: 1, Weight: .1}, dyngraph.Event{Time: 1108347640.5,
		Destination: 1, Weight: 1e-20})
	var text bytes.Buffer
	if err := events.WriteCSV(&text, []string{`a, "b"`, "c"}); err != nil {
		t.Error(err)
	}
	want := "time,source,destination,weight\n1108347640,c,\"a, \"\"b\"\"\",0.1\n1108347640.5,\"a, \"\"b\"\"\",c,1e-20\n"
	if text.String() != want {
		t.Errorf("%s, want %s", text.String(), want)
	}
	if err := events.WriteCSV(&text, []string{"alone"}); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("too few names: %v", err)
	}
	if err := stream(dyngraph.Event{Weight: math.NaN()}).WriteCSV(&text, nil); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("NaN: %v", err)
	}
	if err := events.WriteCSV(full{}, nil); !errors.Is(err, errFull) {
		t.Errorf("full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Payments, summed over weeks of a stream that may be longer than the memory.
func ExampleEvents_Snapshots() {
	const day = 1.0
	payments := stream( // a file, a network, a slice
		dyngraph.Event{Time: 0, Source: 0, Destination: 1, Weight: 10},
		dyngraph.Event{Time: 2 * day, Source: 0, Destination: 1, Weight: 5},
		dyngraph.Event{Time: 3 * day, Source: 2, Destination: 0, Weight: 1},
		dyngraph.Event{Time: 8 * day, Source: 1, Destination: 2, Weight: 7})
	for week, err := range payments.Snapshots(7 * day) {
		fmt.Println(week.Time, week.Events, week.From, week.To, week.Weights, err)
	}
	// Output:
	// 0 3 [0 2] [1 0] [15 1] <nil>
	// 7 1 [1] [2] [7] <nil>
}

func ExampleEvents_WriteCSV() {
	payments := stream(dyngraph.Event{Time: 3, Source: 1, Destination: 0, Weight: 2.5})
	if err := payments.WriteCSV(os.Stdout, []string{"Ada", "Bob"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// time,source,destination,weight
	// 3,Bob,Ada,2.5
}
