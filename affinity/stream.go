package affinity

import (
	"context"
	"fmt"
	"iter"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// asked is a question about labels of the data, with the number of events known by then.
type asked struct {
	Question
	known int
}

// inTime returns the plan of questions in order of time, the test questions last.
func (d *Data) inTime(protocol string, questions []asked) *Plan {
	p := &Plan{Task: d.Task, Name: d.Name + ", " + protocol}
	for _, q := range questions {
		p.Questions = append(p.Questions, q.Question)
	}
	p.walk = func(ctx context.Context, tests bool, to Listener) error {
		w := walk{ctx: ctx, data: d, to: to}
		for _, q := range questions {
			if tests || q.Part != Test {
				w.questions = append(w.questions, q)
			}
		}
		return w.run()
	}
	return p
}

// walk passes a stream of events and a stream of labels to a listener.
type walk struct {
	ctx       context.Context
	data      *Data
	to        Listener
	questions []asked // still to ask
	told      int     // number of events passed on
	next      func() (Labels, error, bool)
	batch     []dyngraph.Event
}

const batchSize = 1 << 12 // number of events passed to a listener at once

func (w *walk) run() error {
	next, stop := iter.Pull2(w.data.Labels(w.ctx))
	defer stop()
	w.next = next
	w.to.Reset(w.data.Task)
	if readsLabelsOnly(w.to) {
		for i := range w.questions {
			w.questions[i].known = 0
		}
	}
	if err := w.ask(); err != nil || len(w.questions) == 0 {
		return err
	}
	for event, err := range w.data.Events(w.ctx) {
		if err != nil {
			return err
		}
		if len(w.questions) == 0 {
			return nil
		}
		w.batch = append(w.batch, event)
		w.told++
		if len(w.batch) == batchSize {
			if err := w.observe(); err != nil {
				return err
			}
		}
		if err := w.ask(); err != nil {
			return err
		}
	}
	if len(w.questions) > 0 {
		return w.data.invalid("%d events, %d when they were read first: they changed meanwhile", w.told,
			w.data.EventCount())
	}
	return nil
}

// observe passes on the collected events.
func (w *walk) observe() error {
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("affinity: %s: %w", w.data.Name, err)
	}
	if len(w.batch) == 0 {
		return nil
	}
	defer func() { w.batch = w.batch[:0] }()
	return w.to.Observe(w.batch)
}

// ask asks the questions whose known events have all been passed on.
func (w *walk) ask() error {
	for len(w.questions) > 0 && w.questions[0].known == w.told {
		q := w.questions[0].Question
		if err := w.observe(); err != nil {
			return err
		}
		answer, err := w.labels(q.Time)
		if err != nil {
			return err
		}
		if err := w.to.Ask(q, answer); err != nil {
			return errs.In(fmt.Sprintf("affinity: %s, time %s", w.data.Name, timeText(q.Time)), err)
		}
		if err := w.to.Learn(answer); err != nil {
			return err
		}
		w.questions = w.questions[1:]
	}
	return nil
}

// labels returns the labels of a time, and passes on earlier labels that no question asks for.
func (w *walk) labels(t float64) (Labels, error) {
	for {
		labels, err, more := w.next()
		switch {
		case err != nil:
			return Labels{}, err
		case !more || labels.Time > t:
			return Labels{}, w.data.invalid("no labels of time %s, which there were when they were read first: they "+
				"changed meanwhile", timeText(t))
		case labels.Time == t:
			return labels, nil
		}
		if err := w.to.Learn(labels); err != nil {
			return Labels{}, err
		}
	}
}
