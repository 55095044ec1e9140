package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// order is what a worker is told, a line of JSON: runs that one program trains, by the names of their slots.
type order struct {
	Runs  []string
	Retry bool
	// InParts says that the others are to be made where another process has some of the runs, rather than none.
	InParts bool
}

// message is what a worker tells, a line of JSON with one of these.
type message struct {
	// Ready says that it takes orders.
	Ready bool `json:",omitempty"`
	// Run is at a position.
	Run string   `json:",omitempty"`
	At  Position `json:",omitzero"`
	// Notice is for people.
	Notice string `json:",omitempty"`
	// Done ends an order; other processes have the runs Left.
	Done bool     `json:",omitempty"`
	Left []string `json:",omitempty"`
	// Failed is why it ends, an error that wraps a sentinel of that name.
	Failed, Sentinel string `json:",omitempty"`
}

// sentinels are wrapped by the errors that end a study, by name.
var sentinels = map[string]error{"store": ErrStore, "backend": errBackend, "input": ErrInput}

// sayAgain is how long a worker waits before it says again how far a run is.
const sayAgain = 100 * time.Millisecond

// Work makes runs for a process that called [Study.Run] with [Options].Jobs and the same options, as that orders, and
// reports to it. When orders end, or ctx does, it keeps a checkpoint of a training that is under way. Both
// streams are pipes: for a command that Run starts, its standard input and file 3.
func (s Study) Work(ctx context.Context, o Options, orders io.Reader, reports io.Writer) error {
	tell := json.NewEncoder(reports)
	err := s.obey(ctx, o, orders, func(m message) {
		_ = tell.Encode(m) // who does not hear ends the orders
	})
	if err == nil || errors.Is(err, context.Canceled) && !errors.Is(err, ErrStore) {
		return err
	}
	m := message{Failed: err.Error()}
	for name, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			m.Sentinel = name
		}
	}
	_ = tell.Encode(m)
	return err
}

func (s Study) obey(ctx context.Context, o Options, orders io.Reader, tell func(message)) error {
	said := make(map[string]time.Time)
	o.Progress, o.Jobs = nil, 0
	o.Notice = func(text string) { tell(message{Notice: text}) }
	o.heard = func(run string, at Position) {
		if between := at.Epoch > 0 && at.Epoch < at.Epochs; between && time.Since(said[run]) < sayAgain {
			return
		}
		said[run] = time.Now()
		tell(message{Run: run, At: at})
	}
	planned, err := s.plan(ctx, o)
	if err != nil {
		return err
	}
	w := s.runner(planned, o)
	defer w.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan order)
	go func() {
		defer cancel()
		defer close(next)
		for read := json.NewDecoder(orders); ; {
			var o order
			if read.Decode(&o) != nil {
				return
			}
			next <- o
		}
	}()
	tell(message{Ready: true})
	for {
		var asked order
		select {
		case <-ctx.Done():
			return ctx.Err()
		case order, more := <-next:
			if !more {
				return nil
			}
			asked = order
		}
		w.options.Retry = asked.Retry
		w.missing = planned.Results.only(func(r Result) bool { return slices.Contains(asked.Runs, r.slot.Name()) })
		if len(w.missing) != len(asked.Runs) {
			return fmt.Errorf("experiments: ordered to make runs %q, of which %d are planned here: start workers with the "+
				"options of the process that orders", asked.Runs, len(w.missing))
		}
		if err := w.group(ctx, w.missing, asked.InParts); err != nil {
			return err
		}
		done := message{Done: true}
		for _, r := range w.missing {
			done.Left = append(done.Left, r.slot.Name())
		}
		tell(done)
	}
}
