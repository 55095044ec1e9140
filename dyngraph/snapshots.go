package dyngraph

import (
	"iter"
	"math"
	"slices"
)

// Snapshot is the graph of one step of a stream: sums of weights, sorted by (From, To), each pair once.
type Snapshot struct {
	Time     float64 // at which the step begins
	Events   int     // number of events in the sums
	From, To []int32
	Weights  []float64
}

// MaxSnapshots bounds the number of steps of a stream.
const MaxSnapshots = 1 << 20

// Snapshots sums the weights of each pair of nodes over steps of time. Snapshot k holds the events with
//
//	first + k*step <= time < first + (k+1)*step
//
// up to rounding, see [StepOf], where first is the time of the first event. The last snapshot holds the last event.
// Snapshots in between without an event are empty. Only one snapshot is held in memory at a time, and never the events.
// Errors wrap [ErrInvalid] or come from the stream.
func (e Events) Snapshots(step float64) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		if !(step > 0) || math.IsInf(step, 1) {
			yield(Snapshot{}, invalid("step %g of snapshots, want a positive number in the unit of the times", step))
			return
		}
		var first float64
		b := bin{sums: make(map[uint64]float64)}
		k, at := 0, 0
		for event, err := range e.Checked() {
			if err != nil {
				yield(Snapshot{}, err)
				return
			}
			if at == 0 {
				first, b.time = event.Time, event.Time
			}
			now := StepOf(first, step, event.Time)
			if now >= MaxSnapshots {
				yield(Snapshot{}, invalid("more than %d snapshots of step %g from %s to %s, want a larger step",
					MaxSnapshots, step, timeText(first), timeText(event.Time)))
				return
			}
			for ; k < int(now); k++ {
				if !b.close(yield) {
					return
				}
				b.time = first + float64(k+1)*step
			}
			b.sums[pair(event.Source, event.Destination)] += event.Weight
			b.events++
			at++
		}
		if at > 0 {
			b.close(yield)
		}
	}
}

// StepOf returns the number k of the step that contains time t, first + k*step <= t < first + (k+1)*step, as a whole
// number that may be too large for an int. A time within rounding of the beginning of a step is in that step, so that
// 0.3 is in step 3 of 0.1 from 0 on, although 0.3/0.1 is below 3 in float64.
func StepOf(first, step, t float64) float64 {
	const rounding = 0x1p-50
	q := (t - first) / step
	if whole := math.Round(q); math.Abs(q-whole) <= rounding*max(math.Abs(first), math.Abs(t))/step {
		return whole
	}
	return math.Floor(q)
}

// Aggregate collects the snapshots of [Events.Snapshots].
func (e Events) Aggregate(step float64) ([]Snapshot, error) {
	var all []Snapshot
	for snapshot, err := range e.Snapshots(step) {
		if err != nil {
			return nil, err
		}
		all = append(all, snapshot)
	}
	return all, nil
}

// bin accumulates the current step.
type bin struct {
	time   float64
	events int
	sums   map[uint64]float64
	pairs  []uint64 // buffer for sorting
}

// pair orders edges by source, then destination.
func pair(from, to int32) uint64 { return uint64(from)<<32 | uint64(to) }

func (b *bin) close(yield func(Snapshot, error) bool) bool {
	b.pairs = b.pairs[:0]
	for p := range b.sums {
		b.pairs = append(b.pairs, p)
	}
	slices.Sort(b.pairs)
	n := len(b.pairs)
	s := Snapshot{Time: b.time, Events: b.events, From: make([]int32, n), To: make([]int32, n),
		Weights: make([]float64, n)}
	for i, p := range b.pairs {
		s.From[i], s.To[i], s.Weights[i] = int32(p>>32), int32(p&math.MaxUint32), b.sums[p]
		if !finite(s.Weights[i]) {
			yield(Snapshot{}, invalid("weights of %d -> %d from time %s on sum to %g: the sum overflows, want a smaller "+
				"unit of the weights", s.From[i], s.To[i], timeText(s.Time), s.Weights[i]))
			return false
		}
	}
	clear(b.sums)
	b.events = 0
	return yield(s, nil)
}

func (s Snapshot) check() error {
	if len(s.To) != len(s.From) || len(s.Weights) != len(s.From) {
		return invalid("snapshot of time %s with %d sources, %d targets and %d weights, want as many of each",
			timeText(s.Time), len(s.From), len(s.To), len(s.Weights))
	}
	return nil
}

// EventsOf converts snapshots back to a stream, with an event for each edge at the time of its snapshot.
func EventsOf(snapshots []Snapshot) Events {
	return func(yield func(Event, error) bool) {
		for _, s := range snapshots {
			if err := s.check(); err != nil {
				yield(Event{}, err)
				return
			}
			for i, from := range s.From {
				if !yield(Event{s.Time, from, s.To[i], s.Weights[i]}, nil) {
					return
				}
			}
		}
	}
}

// SeriesOf puts snapshots of a graph of n nodes on their union pattern. The feature of each node is a constant 1. The
// series stores snapshots × union edges numbers: models on many nodes read the snapshots directly.
func SeriesOf(name string, nodes int, snapshots []Snapshot) (*Series, error) {
	var pairs []uint64
	for _, s := range snapshots {
		if err := s.check(); err != nil {
			return nil, err
		}
		for i, from := range s.From {
			pairs = append(pairs, pair(from, s.To[i]))
		}
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	p := &Pattern{Nodes: nodes}
	for _, one := range pairs {
		p.From, p.To = append(p.From, int32(one>>32)), append(p.To, int32(one&math.MaxUint32))
	}
	series := &Series{Name: name, Pattern: p, FeatureSize: 1}
	for _, s := range snapshots {
		row := make([]float64, len(pairs))
		for i, from := range s.From {
			e, _ := slices.BinarySearch(pairs, pair(from, s.To[i]))
			row[e] += s.Weights[i]
		}
		series.Times, series.Weights = append(series.Times, s.Time), append(series.Weights, row)
		series.Features = append(series.Features, slices.Repeat([]float64{1}, max(nodes, 0)))
	}
	if err := series.Validate(); err != nil {
		return nil, err
	}
	return series, nil
}
