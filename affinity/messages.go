package affinity

import (
	"cmp"
	"context"
	"math"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Neither the paper nor TGB defines Moving Average (M), an average of messages instead of labels. The types below are
// two readings of it.

// MessageMean forecasts the mean weight of the last messages of each pair of nodes, 0 for a pair without messages:
// Moving Average (M), first reading.
type MessageMean struct {
	// Last is the number of messages of a pair that count; 0 means 2048.
	Last    int `json:"Last"`
	classes int
	pairs   map[int32]map[int32]*messages // by source and destination
}

// messages holds the last messages of a pair.
type messages struct {
	weights []float64
	oldest  int // index of the oldest, once weights is full
	mean    float64
	stale   bool // whether mean is out of date
}

// Reset forgets all messages.
func (m *MessageMean) Reset(task Task) {
	m.classes, m.pairs = task.Classes, make(map[int32]map[int32]*messages)
}

// Observe stores the messages.
func (m *MessageMean) Observe(events []dyngraph.Event) error {
	last := cmp.Or(m.Last, 2048)
	if last < 1 {
		return invalid("the mean of the last %d messages, want 1 or more", last)
	}
	for _, event := range events {
		if err := checkDestination(event, m.classes); err != nil {
			return err
		}
		to := m.pairs[event.Source]
		if to == nil {
			to = make(map[int32]*messages)
			m.pairs[event.Source] = to
		}
		pair := to[event.Destination]
		if pair == nil {
			pair = &messages{}
			to[event.Destination] = pair
		}
		pair.stale = true
		if len(pair.weights) < last {
			pair.weights = append(pair.weights, event.Weight)
			continue
		}
		pair.weights[pair.oldest] = event.Weight
		pair.oldest = (pair.oldest + 1) % last
	}
	return nil
}

// Learn ignores labels.
func (*MessageMean) Learn(Labels) error { return nil }

// Forecast writes the means. They are computed again from the weights: a running sum would keep the rounding error of
// large weights that are no longer in it.
func (m *MessageMean) Forecast(_ context.Context, _ float64, nodes []int32, scores []float64) error {
	for k, u := range nodes {
		for class, pair := range m.pairs[u] {
			if pair.stale {
				pair.mean, pair.stale = 0, false
				for _, w := range pair.weights {
					pair.mean += w / float64(len(pair.weights))
				}
			}
			scores[k*m.classes+int(class)] = pair.mean
		}
	}
	return nil
}

// MessageAverage is [MovingAverage] on messages: instead of labels it uses the sums of the weights from a node to each
// class over a step of task.Step, counted from the first event. The current, incomplete step is not used. A step
// without a message of the node leaves its average unchanged. This is Moving Average (M), second reading.
type MessageAverage struct {
	// Window is W, 1 or more; 0 means 7.
	Window float64 `json:"Window"`
	step   float64
	first  float64 // time of the first event, NaN before it
	number float64 // of the current step, counted from the first
	sums   map[int32]map[int32]float64
	rows
}

// Reset forgets all messages.
func (m *MessageAverage) Reset(task Task) {
	m.step, m.first, m.number, m.sums = task.Step, math.NaN(), 0, make(map[int32]map[int32]float64)
	m.rows.Reset(task)
}

// Observe adds the messages to the sums of the current step.
func (m *MessageAverage) Observe(events []dyngraph.Event) error {
	for _, event := range events {
		if err := checkDestination(event, m.classes); err != nil {
			return err
		}
		if err := m.pass(event.Time); err != nil {
			return err
		}
		to := m.sums[event.Source]
		if to == nil {
			to = make(map[int32]float64)
			m.sums[event.Source] = to
		}
		to[event.Destination] += event.Weight
	}
	return nil
}

// pass ends the current step if a time is after it, and begins the step of that time.
func (m *MessageAverage) pass(t float64) error {
	if math.IsNaN(m.first) {
		m.first = t
	}
	now := dyngraph.StepOf(m.first, m.step, t)
	if now <= m.number {
		return nil
	}
	m.number = now
	w, err := window7(m.Window)
	if err != nil {
		return err
	}
	for u, sums := range m.sums {
		m.average(u, rowOf(sums), w)
	}
	clear(m.sums)
	return nil
}

// Learn ignores labels.
func (*MessageAverage) Learn(Labels) error { return nil }

// Forecast writes the averages.
func (m *MessageAverage) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	if len(m.sums) > 0 {
		if err := m.pass(at); err != nil {
			return err
		}
	}
	return m.rows.Forecast(ctx, at, nodes, scores)
}

func checkDestination(event dyngraph.Event, classes int) error {
	if int(event.Destination) >= classes {
		return invalid("an event at time %s has the destination %d, want a class, 0..%d", timeText(event.Time),
			event.Destination, classes-1)
	}
	return nil
}
