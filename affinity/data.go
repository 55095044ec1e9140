package affinity

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Source provides events and labels. Both are streams, because a data set may be larger than memory. Each call returns
// the same data.
type Source interface {
	// Events returns the events in order of time.
	Events(ctx context.Context) dyngraph.Events
	// Labels returns the labels in order of time, one set per time. The caller may keep the sets. It is called after
	// events were read.
	Labels(ctx context.Context) iter.Seq2[Labels, error]
	// Nodes returns a name for each node and the number of classes, which are the nodes 0 to classes-1. It is called
	// after the events were read to their end.
	Nodes() (names []string, classes int)
}

// Data holds events and the labels to forecast. Make it with [New]. Several goroutines may read it at once if they may
// read the source.
type Data struct {
	Name string
	Task
	NodeNames []string
	// LabelTimes increase.
	LabelTimes []float64

	source Source
	events timeline
}

// Task gives the size of a forecast.
type Task struct {
	Nodes int
	// Classes is the number of classes, the nodes 0 to Classes-1. A forecast gives each a score.
	Classes int
	// Step is the length of a snapshot in the unit of the times.
	Step float64
}

// New reads the source once and checks it; step is the length of a snapshot. Errors about content wrap
// [dyngraph.ErrInvalid].
func New(ctx context.Context, name string, step float64, source Source) (*Data, error) {
	d := &Data{Name: name, Task: Task{Step: step}, source: source}
	most := int32(-1)
	for event, err := range source.Events(ctx).Checked() {
		if err != nil {
			return nil, err
		}
		d.events.add(event.Time)
		most = max(most, event.Source, event.Destination)
	}
	d.NodeNames, d.Classes = source.Nodes()
	d.Nodes = len(d.NodeNames)
	switch {
	case d.events.count() == 0:
		return nil, d.invalid("no events, want one at least")
	case int(most) >= d.Nodes:
		return nil, d.invalid("events of node %d, want nodes in 0..%d: there are names of %d", most, d.Nodes-1, d.Nodes)
	case d.Classes < 1 || d.Classes > d.Nodes:
		return nil, d.invalid("%d classes among %d nodes, want 1 to %d", d.Classes, d.Nodes, d.Nodes)
	case !(step > 0) || math.IsInf(step, 1):
		return nil, d.invalid("step %g of snapshots, want a positive number", step)
	}
	last := math.Inf(-1)
	for labels, err := range source.Labels(ctx) {
		if err == nil {
			err = labels.check(d.Nodes, d.Classes, last)
		}
		if err != nil {
			return nil, err
		}
		last = labels.Time
		d.LabelTimes = append(d.LabelTimes, last)
	}
	if len(d.LabelTimes) == 0 {
		return nil, d.invalid("no labels, want labels of one time at least")
	}
	return d, nil
}

// Events streams the events.
func (d *Data) Events(ctx context.Context) dyngraph.Events { return d.source.Events(ctx) }

// Labels streams the labels.
func (d *Data) Labels(ctx context.Context) iter.Seq2[Labels, error] { return d.source.Labels(ctx) }

// InMemory reads the data into memory, for code that reads them many times.
func (d *Data) InMemory(ctx context.Context) (*Data, error) {
	m := &Memory{NodeNames: d.NodeNames, Classes: d.Classes}
	for event, err := range d.Events(ctx) {
		if err != nil {
			return nil, err
		}
		m.EventList = append(m.EventList, event)
	}
	for labels, err := range d.Labels(ctx) {
		if err != nil {
			return nil, err
		}
		m.LabelList = append(m.LabelList, labels)
	}
	loaded := *d
	loaded.source = m
	return &loaded, nil
}

// EventCount returns the number of events.
func (d *Data) EventCount() int { return d.events.count() }

// Series returns the graph in snapshots of d.Step, on the union of their edges, see [dyngraph.SeriesOf].
func (d *Data) Series(ctx context.Context) (*dyngraph.Series, error) {
	snapshots, err := d.Events(ctx).Aggregate(d.Step)
	if err != nil {
		return nil, err
	}
	s, err := dyngraph.SeriesOf(d.Name, d.Nodes, snapshots)
	if err != nil {
		return nil, err
	}
	s.NodeNames = slices.Clone(d.NodeNames)
	return s, s.Validate()
}

func (d *Data) invalid(format string, args ...any) error {
	return invalid("%s: %s", d.Name, fmt.Sprintf(format, args...))
}

// timeText writes a time without an exponent, so that years and seconds since 1970 can be read back.
func timeText(t float64) string { return strconv.FormatFloat(t, 'f', -1, 64) }
