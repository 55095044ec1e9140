package affinity

import "fmt"

// Clock says which events are known when the labels of a time are forecast.
type Clock string

const (
	// Strict lets a forecast know only the events before the label time.
	Strict Clock = "strict"
	// Parity lets a forecast know the same events as the models in the examples of TGB: all earlier batches of the
	// loop and, in the batch that asks the question, the events before the next label time. Some of these events are at
	// the label time or later, and the labels of tgbn-trade are made from them, so its scores are not forecast scores.
	Parity Clock = "parity"
)

// Split gives the number of events in each part of a stream, in order of time.
type Split struct{ Train, Validation, Test int }

// Split returns TGB's split: training up to the .70 quantile of the times of events, validation up to the .85 quantile,
// and the rest for the test.
func (d *Data) Split() Split {
	const test, validation = .15, .15
	train := d.events.through(d.events.quantile(1 - validation - test))
	both := d.events.through(d.events.quantile(1 - test))
	return Split{train, both - train, d.events.count() - both}
}

// Official returns the protocol of TGB. Its loop goes through the events of each part in batches of 200. One pointer to
// the next label time runs through all parts. When the last event of a batch is later than this time, the loop asks for
// the labels of that time, and the pointer advances by one. Label times after the last event are therefore never asked
// for.
//
// S. Huang et al., Temporal Graph Benchmark for Machine Learning on Temporal Graphs, NeurIPS 2023, and version 2.3.0 of
// its package. The error wraps [dyngraph.ErrInvalid] if a part has no event or no question.
func (d *Data) Official(clock Clock) (*Plan, error) {
	if clock != Strict && clock != Parity {
		return nil, d.invalid("clock %q, want %q or %q", clock, Strict, Parity)
	}
	const batch = 200
	var questions []asked
	split, begin, pointer := d.Split(), 0, 0
	for _, part := range []struct {
		name   Part
		events int
	}{{Train, split.Train}, {Validation, split.Validation}, {Test, split.Test}} {
		first, end := len(questions), begin+part.events
		for ; begin < end && pointer < len(d.LabelTimes); begin = min(begin+batch, end) {
			last, at := min(begin+batch, end), d.LabelTimes[pointer]
			if d.events.time(last-1) <= at {
				continue
			}
			pointer++
			known := d.events.before(at)
			if clock == Parity {
				next := d.LabelTimes[min(pointer, len(d.LabelTimes)-1)]
				known = min(max(d.events.before(next), begin), last)
			}
			questions = append(questions, asked{Question{at, part.name}, known})
		}
		if begin = end; len(questions) == first {
			return nil, d.invalid("the official split is %+v events, and those for %s pass no label time that is left: want "+
				"data over a longer time", split, part.name)
		}
	}
	return d.inTime(fmt.Sprintf("official protocol, %s time", clock), questions), nil
}

// Rotation tests each of the last label times separately, in strict time. The model of a test time knows the label
// times before it; the newest of them are for validation, the rest for training. One model is trained for each plan.
func (d *Data) Rotation(tested, validation int) ([]*Plan, error) {
	first := len(d.LabelTimes) - tested
	if tested < 1 || validation < 0 || first-validation < 1 {
		return nil, d.invalid("%d tested label times and %d for validation, want 1 or more tested, 0 or more for "+
			"validation, and one of the %d label times left for training", tested, validation, len(d.LabelTimes))
	}
	var plans []*Plan
	for test := first; test < len(d.LabelTimes); test++ {
		var questions []asked
		for k, at := range d.LabelTimes[:test+1] {
			part := Train
			if k >= test-validation {
				part = Validation
			}
			if k == test {
				part = Test
			}
			questions = append(questions, asked{Question{at, part}, d.events.before(at)})
		}
		plans = append(plans, d.inTime("rotation over label times, strict time", questions))
	}
	return plans, nil
}
