// Package affinitytest checks that forecasters of package affinity do not use future data.
package affinitytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Plan applies a protocol to data.
type Plan func(*affinity.Data) (*affinity.Plan, error)

// Leak evaluates a forecaster on small data, and again for each tested time after events and labels from that time on
// were altered. Every forecast for that time must be the same to the last bit, and so must be the score against the
// true labels. The error names the time at which a forecast differs.
func Leak(ctx context.Context, plan Plan, forecaster func() affinity.Forecaster) error {
	before, err := forecasts(ctx, plan, forecaster(), source())
	if err != nil {
		return err
	}
	for t, want := range before {
		altered := source()
		alter(altered, t)
		after, err := forecasts(ctx, plan, forecaster(), altered)
		if err != nil {
			return err
		}
		if !slices.Equal(after[t], want) {
			return fmt.Errorf("the forecast for time %g changes with what happens from then on", t)
		}
	}
	return nil
}

const nodes, years, eventsAYear = 8, 16, 240 // more events than a batch of the official loop has

// source returns data similar to trade: the labels of a year are the shares of its events.
func source() *affinity.Memory {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &affinity.Memory{Classes: nodes}
	for u := range nodes {
		m.NodeNames = append(m.NodeNames, fmt.Sprint("node ", u))
	}
	for year := range years {
		labels := affinity.Labels{Time: float64(year), Affinities: dyngraph.Affinities{Start: []int{0}}}
		sums := make([]float64, nodes*nodes)
		for range eventsAYear {
			from, to := rng.IntN(nodes), rng.IntN(nodes)
			weight := rng.Float64() * float64(1+(from+to+year/4)%nodes)
			m.EventList = append(m.EventList, dyngraph.Event{Time: float64(year), Source: int32(from),
				Destination: int32(to), Weight: weight})
			sums[from*nodes+to] += weight
		}
		for u := range nodes {
			labels.Nodes = append(labels.Nodes, int32(u))
			for v, w := range sums[u*nodes : (u+1)*nodes] {
				if w > 0 {
					labels.Classes, labels.Values = append(labels.Classes, int32(v)), append(labels.Values, w)
				}
			}
			labels.Start = append(labels.Start, len(labels.Classes))
		}
		if year > 0 {
			m.LabelList = append(m.LabelList, labels)
		}
	}
	return m
}

// alter changes events and labels from a time on. Times and the nodes to forecast stay the same.
func alter(m *affinity.Memory, from float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range m.EventList {
		if e := &m.EventList[i]; e.Time >= from {
			e.Source, e.Destination, e.Weight = rng.Int32N(nodes), rng.Int32N(nodes), 100*rng.Float64()
		}
	}
	for i := range m.LabelList {
		if m.LabelList[i].Time >= from {
			for k := range m.LabelList[i].Values {
				m.LabelList[i].Values[k] = rng.Float64()
			}
		}
	}
}

// forecasts returns the forecasts for the tested times.
func forecasts(ctx context.Context, plan Plan, f affinity.Forecaster, m *affinity.Memory) (
	map[float64][]float64, error) {
	data, err := affinity.New(ctx, "generated", 1, m)
	if err != nil {
		return nil, err
	}
	p, err := plan(data)
	if err != nil {
		return nil, err
	}
	r := &recorder{Forecaster: f, scores: make(map[float64][]float64)}
	report, err := affinity.Evaluate(ctx, p, r)
	if err != nil {
		return nil, err
	}
	for _, s := range report.Scores {
		if s.Part != affinity.Test {
			delete(r.scores, s.Time)
		}
	}
	if len(r.scores) == 0 {
		return nil, fmt.Errorf("nothing is tested by %s", p.Name)
	}
	return r.scores, nil
}

// recorder keeps the forecasts of another forecaster.
type recorder struct {
	affinity.Forecaster
	scores map[float64][]float64
}

func (r *recorder) Train(ctx context.Context, past *affinity.Plan) error {
	if t, ok := r.Forecaster.(affinity.Trainer); ok {
		return t.Train(ctx, past)
	}
	return nil
}

func (r *recorder) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	err := r.Forecaster.Forecast(ctx, at, nodes, scores)
	r.scores[at] = append(r.scores[at], scores...)
	return err
}
