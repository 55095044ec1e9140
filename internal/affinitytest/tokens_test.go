package affinitytest

import (
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
)

// Each entry of a label is an event, and the data are valid.
func TestTokens(t *testing.T) {
	source := Tokens{Classes: 10, Users: 40, Weeks: 6}
	data, err := affinity.New(t.Context(), "tokens", 1, source)
	if err != nil {
		t.Fatal(err)
	}
	if count := source.EventCount(); data.EventCount() != count || count <= 40*6 || count > 40*6*TokensAWeek ||
		len(data.LabelTimes) != 6 || data.Nodes != 50 || data.Classes != 10 {
		t.Errorf("%d events counted, %d streamed, %+v", count, data.EventCount(), data.Task)
	}
	weights := make(map[[2]int32]float64)
	for event, err := range data.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Time == 2 {
			weights[[2]int32{event.Source, event.Destination}] += event.Weight
		}
	}
	labels := source.Week(2)
	for k := range labels.Nodes {
		u, classes, values := labels.Row(k)
		for i, class := range classes {
			if got := weights[[2]int32{int32(u), class}]; got != TokensAWeek*values[i] {
				t.Errorf("user %d, class %d: events of weight %g, label %g", u, class, got, values[i])
			}
		}
	}
	if len(weights) != len(labels.Classes) {
		t.Errorf("%d pairs with events, %d entries of labels", len(weights), len(labels.Classes))
	}
}
