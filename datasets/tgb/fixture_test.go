package tgb_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/internal/fixture"
)

// What version 2.3.0 of TGB says of small files in the formats of two data sets.
func TestFixtureTGB(t *testing.T) {
	golden := fixture.Load(t, "tgb/golden").Get("data")
	for name, folder := range map[string]string{"tgbn-trade": "tgbn_trade", "tgbn-genre": "tgbn_genre"} {
		t.Run(name, func(t *testing.T) {
			want := golden.Get(name)
			c := tgb.Config{Name: name, Path: filepath.Join(fixture.Folder(), "tgb", folder)}
			if name != "tgbn-trade" {
				c.Classes = want.Get("num_classes").Int()
			}
			data, err := tgb.Open(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			fixtureEvents(t, data, want)
			fixtureLabels(t, data, want)
			fixtureScores(t, data, want)
		})
	}
}

func fixtureEvents(t *testing.T, data *tgb.Data, want fixture.Node) {
	t.Helper()
	if got := data.EventCount(); got != want.Get("events").Int() {
		t.Errorf("%d events", got)
	}
	split, counts := data.Split(), want.Get("split_counts").List()
	if split != (affinity.Split{Train: counts[0].Int(), Validation: counts[1].Int(), Test: counts[2].Int()}) {
		t.Errorf("split %v", split)
	}
	at := 0
	first := want.Get("first_events").List()
	for event, err := range data.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if at < len(first) {
			row := first[at].List()
			got := []float64{float64(event.Source), float64(event.Destination), event.Time, event.Weight}
			for k, v := range got {
				if v != row[k].Float() {
					t.Fatalf("event %d is %v", at, got)
				}
			}
		}
		at++
	}
	snapshots, err := data.Events(context.Background()).Aggregate(data.Step)
	if err != nil {
		t.Fatal(err)
	}
	list := want.Get("snapshots").List()
	if len(snapshots) != len(list) || at != data.EventCount() {
		t.Fatalf("%d snapshots, want %d; %d events", len(snapshots), len(list), at)
	}
	for i, s := range snapshots {
		sum := 0.0
		for _, w := range s.Weights {
			sum += w
		}
		if s.Events != list[i].Get("events").Int() || len(s.From) != list[i].Get("distinct_edges").Int() {
			t.Errorf("snapshot %d: %d events, %d edges", i, s.Events, len(s.From))
		}
		fixture.Close(t, fmt.Sprint("weight of snapshot ", i), []float64{sum}, []float64{list[i].Get("weight").Float()},
			1e-12)
	}
}

func fixtureLabels(t *testing.T, data *tgb.Data, want fixture.Node) {
	t.Helper()
	times := want.Get("label_times").List()
	if len(times) != len(data.LabelTimes) || data.Classes != want.Get("label_width").Int() {
		t.Fatalf("%d label times of %d classes", len(data.LabelTimes), data.Classes)
	}
	at := 0
	for labels, err := range data.Labels(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if labels.Time != times[at].Float() || data.LabelTimes[at] != labels.Time {
			t.Errorf("label time %d is %g", at, labels.Time)
		}
		if at == 2 {
			rows := want.Get("labels_at_third_time")
			if len(labels.Nodes) != len(rows.Keys()) {
				t.Errorf("%d nodes at the third label time, want %d", len(labels.Nodes), len(rows.Keys()))
			}
			for k, u := range labels.Nodes {
				dense, list := make([]float64, data.Classes), rows.Get(fmt.Sprint(u)).List()
				_, classes, weights := labels.Row(k)
				for i, class := range classes {
					dense[class] = weights[i]
				}
				for class, w := range dense {
					if w != list[class].Float() {
						t.Errorf("node %d, class %d: %g, want %g", u, class, w, list[class].Float())
					}
				}
			}
		}
		at++
	}
}

func fixtureScores(t *testing.T, data *tgb.Data, want fixture.Node) {
	t.Helper()
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	for name, forecaster := range map[string]affinity.Forecaster{"persistent_forecast": &affinity.PersistentForecast{},
		"moving_average_7": &affinity.MovingAverage{}} {
		report, err := affinity.Evaluate(context.Background(), plan, forecaster)
		if err != nil {
			t.Fatal(err)
		}
		scores := report.Scores
		for _, part := range []affinity.Part{affinity.Train, affinity.Validation, affinity.Test} {
			part, list := part, want.Get(name, string(part), "by_label_time").List()
			for _, one := range list {
				if len(scores) == 0 || scores[0].Part != part || scores[0].Time != one.Get("label_time").Float() ||
					len(scores[0].Nodes) != one.Get("nodes").Int() {
					t.Fatalf("%s, %s: %d scores are left at label time %g", name, part, len(scores),
						one.Get("label_time").Float())
				}
				if got, want := scores[0].NDCG, one.Get("ndcg").Float(); !(math.Abs(got-want) < 1e-12) {
					t.Errorf("%s, %s, label time %g: NDCG %.17g, want %.17g", name, part, scores[0].Time, got, want)
				}
				scores = scores[1:]
			}
			if got, want := report.Mean(part), want.Get(name, string(part), "mean").Float(); !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s, %s: mean %.17g, want %.17g", name, part, got, want)
			}
		}
		if len(scores) != 0 {
			t.Errorf("%s: %d label times too many", name, len(scores))
		}
	}
}
