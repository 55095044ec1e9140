package learned_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/learned"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// tokens returns weeks of events from users to classes, with the numbers of nodes and classes of tgbn-token. Users keep
// to a few classes, and have a label each week.
func tokens(nodes, classes, weeks int) *affinity.Memory {
	random := rand.New(rand.NewPCG(1, 2))
	m := &affinity.Memory{Classes: classes}
	for u := range nodes {
		m.NodeNames = append(m.NodeNames, fmt.Sprint(u))
	}
	for week := range weeks {
		labels := affinity.Labels{Time: float64(week), Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := classes; u < nodes; u++ {
			var row []int32
			for range 8 {
				row = append(row, int32((u*u+random.IntN(12)*random.IntN(12))%classes))
			}
			slices.Sort(row)
			row = slices.Compact(row)
			for _, class := range row {
				weight := random.ExpFloat64()
				m.EventList = append(m.EventList, dyngraph.Event{Time: float64(week), Source: int32(u), Destination: class,
					Weight: weight})
				labels.Classes, labels.Values = append(labels.Classes, class), append(labels.Values, weight/8)
			}
			labels.Nodes, labels.Start = append(labels.Nodes, int32(u)), append(labels.Start, len(labels.Classes))
		}
		m.LabelList = append(m.LabelList, labels)
	}
	return m
}

// BenchmarkToken measures an epoch of training, one batch for each week, and the peak resident memory. With -short the
// graph is small.
func BenchmarkToken(b *testing.B) {
	nodes, classes := 61756, 1001
	if testing.Short() {
		nodes, classes = 3000, 200
	}
	ctx := context.Background()
	data, err := affinity.New(ctx, "tokens", 1, tokens(nodes, classes, 8))
	if err != nil {
		b.Fatal(err)
	}
	plans, err := data.Rotation(1, 1)
	if err != nil {
		b.Fatal(err)
	}
	model, err := pengcde.New(xlatest.Backend(b), learned.Config(pengcde.Config{Hidden: 8, Layers: 2,
		Input:    pengcde.Input{RowFeatures: 8, Normalise: dyngraph.Log},
		Equation: pengcde.Equation{LinearCoders: true, Step: 0.5}}, data.Task))
	if err != nil {
		b.Fatal(err)
	}
	defer model.Close()
	f := &learned.Forecaster{Model: model}
	training, _, err := f.Windows(ctx, plans[0].Past())
	if err != nil {
		b.Fatal(err)
	}
	resident.Reset()
	for b.Loop() {
		report, err := model.Fit(ctx, training, nil, train.Config{Epochs: 2, BatchSize: 1,
			EvaluateEvery: train.NoValidation})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(report.Epochs[1].Seconds, "s/epoch")
		b.ReportMetric(float64(len(training)), "weeks")
	}
	b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB")
}
