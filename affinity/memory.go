package affinity

import (
	"context"
	"iter"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Memory is a [Source] in memory, for your own data.
type Memory struct {
	NodeNames []string
	Classes   int
	EventList []dyngraph.Event
	LabelList []Labels
}

// Events streams m.EventList.
func (m *Memory) Events(context.Context) dyngraph.Events {
	return func(yield func(dyngraph.Event, error) bool) {
		for _, event := range m.EventList {
			if !yield(event, nil) {
				return
			}
		}
	}
}

// Labels streams m.LabelList.
func (m *Memory) Labels(context.Context) iter.Seq2[Labels, error] {
	return func(yield func(Labels, error) bool) {
		for _, labels := range m.LabelList {
			if !yield(labels, nil) {
				return
			}
		}
	}
}

// Nodes returns m.NodeNames and m.Classes.
func (m *Memory) Nodes() ([]string, int) { return m.NodeNames, m.Classes }
