package rankertest

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/cputime"
	"github.com/peng-cde/pengcde-go/internal/resident"
	"github.com/peng-cde/pengcde-go/xla"
)

// observing is the processor time after which a benchmark stops to pass on events.
const observing = 10 * time.Second

// mostAsked bounds the number of nodes of a benchmark's question.
const mostAsked = 1024

// Scale measures the processor time of a network on [affinitytest.Token], and what an epoch would take: "events" are
// observed, all of them or what fits in 10 seconds, at "µs/event"; then come a gradient and a forecast for nodes of
// one part, 1024 at most, with "ms/gradient" and "ms/forecast" for a node. "h/epoch" is extrapolated to 85% of the
// events and to all users in each week, 70% of the weeks with a gradient and 15% with a forecast. "MiB-peak" is the
// largest resident memory.
func Scale(b *testing.B, r *ranker.Ranker, f affinity.Forecaster) {
	b.Helper()
	ctx, stream := b.Context(), affinitytest.Token(testing.Short())
	for b.Loop() {
		debug.FreeOSMemory()
		resident.Reset()
		f.Reset(r.Task)
		count, start := 0, cputime.Used()
		var batch []dyngraph.Event
		for event, err := range stream.Events(ctx) {
			if err != nil {
				b.Fatal(err)
			}
			if batch = append(batch, event); len(batch) < 4000 {
				continue
			}
			if err := f.Observe(batch); err != nil {
				b.Fatal(err)
			}
			count, batch = count+len(batch), batch[:0]
			if cputime.Used()-start > observing {
				break
			}
		}
		each := (cputime.Used() - start).Seconds() / float64(count)
		answer := stream.Week(stream.Weeks)
		answer.Nodes = answer.Nodes[:min(r.Most, mostAsked, len(answer.Nodes))]
		scores := make([]float64, len(answer.Nodes)*stream.Classes)
		perNode := func(what func() error) float64 {
			start := cputime.Used()
			if err := what(); err != nil {
				b.Fatal(err)
			}
			return (cputime.Used() - start).Seconds() / float64(len(answer.Nodes))
		}
		gradient := func() error {
			_, gradient, err := r.Loss(answer.Time, answer)
			xla.Free(gradient...)
			return err
		}
		forecast := func() error { return f.Forecast(ctx, answer.Time, answer.Nodes, scores) }
		perNode(gradient) // compiles
		perNode(forecast)
		trained, scored := perNode(gradient), perNode(forecast)
		epoch := .85*float64(stream.EventCount())*each + float64(stream.Users*stream.Weeks)*(.7*trained+.15*scored)
		b.ReportMetric(float64(count), "events")
		b.ReportMetric(1e6*each, "µs/event")
		b.ReportMetric(1e3*trained, "ms/gradient")
		b.ReportMetric(1e3*scored, "ms/forecast")
		b.ReportMetric(epoch/3600, "h/epoch")
		b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB-peak")
		b.ReportMetric(0, "ns/op")
	}
}

// ScaleTask is the task of [Scale].
func ScaleTask() affinity.Task {
	stream := affinitytest.Token(testing.Short())
	return affinity.Task{Nodes: stream.Classes + stream.Users, Classes: stream.Classes, Step: 1}
}
