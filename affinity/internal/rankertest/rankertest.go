// Package rankertest holds the tests that networks of package ranker share.
package rankertest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/xla"
)

// Stream is a series of events between nodes, and labels that follow from them.
func Stream(t *testing.T, nodes, classes, times, each int, follow bool) *affinity.Data {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	source := &affinity.Memory{Classes: classes}
	for u := range nodes {
		source.NodeNames = append(source.NodeNames, string(rune('a'+u)))
	}
	for at := range times {
		sums := make(map[[2]int]float64)
		for i := range each {
			from, to := random.IntN(nodes), random.IntN(classes)
			if follow { // each node has a favourite, which moves
				to = (from + at/6) % classes
			}
			e := dyngraph.Event{Time: float64(at) + float64(i)/float64(2*each), Source: int32(from), Destination: int32(to),
				Weight: 1 + random.Float64()}
			source.EventList = append(source.EventList, e)
			sums[[2]int{from, to}] += e.Weight
		}
		labels := affinity.Labels{Time: float64(at) + 0.9, Affinities: dyngraph.Affinities{Start: []int{0}}}
		for u := range nodes {
			for c := range classes {
				if w := sums[[2]int{u, c}]; w > 0 {
					labels.Classes, labels.Values = append(labels.Classes, int32(c)), append(labels.Values, w)
				}
			}
			if len(labels.Classes) > labels.Start[len(labels.Start)-1] {
				labels.Nodes, labels.Start = append(labels.Nodes, int32(u)), append(labels.Start, len(labels.Classes))
			}
		}
		for k := range labels.Nodes { // affinities sum to 1
			total := 0.0
			for _, w := range labels.Values[labels.Start[k]:labels.Start[k+1]] {
				total += w
			}
			for i := labels.Start[k]; i < labels.Start[k+1]; i++ {
				labels.Values[i] /= total
			}
		}
		source.LabelList = append(source.LabelList, labels)
	}
	data, err := affinity.New(t.Context(), "stream", 1, source)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// latest leaves a forecaster with the events and labels known at the last question, and keeps the question.
type latest struct {
	affinity.Forecaster
	at     float64
	answer affinity.Labels
}

func (l *latest) Ask(q affinity.Question, answer affinity.Labels) error {
	l.at, l.answer = q.Time, answer
	return nil
}

// walk passes a forecaster all that the last question may know.
func walk(t *testing.T, f affinity.Forecaster, data *affinity.Data) *latest {
	t.Helper()
	plans, err := data.Rotation(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := &latest{Forecaster: f}
	if err := plans[0].Walk(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	return last
}

// Gradient tests that the gradient of each parameter agrees with central differences, and that only the named
// parameters have no influence.
func Gradient(t *testing.T, name string, r *ranker.Ranker, f affinity.Forecaster, loss ranker.Loss, data *affinity.Data,
	without ...string) {
	t.Helper()
	last := walk(t, f, data)
	_, gradients, err := loss(last.at, last.answer)
	if err != nil {
		t.Fatal(err)
	}
	defer xla.Free(gradients...)
	for i, p := range r.Declared() {
		slopes := host.Floats(gradients[i])
		used := slices.ContainsFunc(slopes, func(g float64) bool { return math.Abs(g) > 1e-15 })
		if used == slices.Contains(without, p.Name) {
			t.Errorf("%s: %s has an influence: %t", name, p.Name, used)
		}
		values := host.Floats(r.Params[i])
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for range min(6, len(values)) {
			j := random.IntN(len(values))
			const h = 1e-6
			at := func(x float64) float64 {
				changed := slices.Clone(values)
				changed[j] = x
				old := r.Params[i]
				r.Params[i] = r.Tensor(changed, p.Dims...)
				loss, more, err := loss(last.at, last.answer)
				if err != nil {
					t.Fatal(err)
				}
				xla.Free(append(more, r.Params[i])...)
				r.Params[i] = old
				return loss
			}
			slope := (at(values[j]+h) - at(values[j]-h)) / (2 * h)
			if math.Abs(slope-slopes[j]) > 1e-7*(1+math.Abs(slope)) {
				t.Errorf("%s: %s, entry %d: gradient %g, differences %g", name, p.Name, j, slopes[j], slope)
			}
		}
	}
}

// AskedTogether tests that the order of the asked nodes, and how many are asked at once, change nothing.
func AskedTogether(t *testing.T, name string, f affinity.Forecaster, data *affinity.Data) {
	t.Helper()
	last := walk(t, f, data)
	nodes, classes := []int32{5, 0, 3, 1, 4}, data.Classes
	forecast := func(nodes ...int32) []float64 {
		scores := make([]float64, len(nodes)*classes)
		if err := f.Forecast(t.Context(), last.at, nodes, scores); err != nil {
			t.Fatal(err)
		}
		return scores
	}
	all := forecast(nodes...)
	for i, u := range nodes {
		for k, one := range forecast(u) {
			if together := all[i*classes+k]; math.Abs(one-together) > 1e-12 {
				t.Errorf("%s, node %d, class %d: %g alone, %g among others", name, u, k, one, together)
			}
		}
	}
}

// Peer is what a published network gave: its parameters, events in batches, and the scores of all nodes after each.
type Peer struct {
	Nodes, Classes, Width, TimeWidth, Neighbours int
	Params                                       map[string][]float64
	Steps                                        []struct {
		At                   float64
		Source, Destination  []int32
		Time, Weight, Scores []float64
	}
}

// ReadPeer reads a file of bench/tgn.
func ReadPeer(t *testing.T, path string) (p Peer) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(content, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Task returns the task of a peer.
func (p Peer) Task() affinity.Task { return affinity.Task{Nodes: p.Nodes, Classes: p.Classes, Step: 1} }

// Compare tests that a network with the peer's parameters has its scores, up to a relative tolerance.
func (p Peer) Compare(t *testing.T, name string, r *ranker.Ranker, f affinity.Forecaster, tolerance float64) {
	t.Helper()
	for i, declared := range r.Declared() {
		values := p.Params[declared.Name]
		if len(values) != declared.Size() {
			t.Fatalf("%s: %s has %d entries, want %d", name, declared.Name, len(values), declared.Size())
		}
		r.Params[i] = r.Tensor(values, declared.Dims...)
	}
	if nn.Count(r.Declared()) != total(p.Params) {
		t.Errorf("%s: %d parameters, the peer has %d", name, nn.Count(r.Declared()), total(p.Params))
	}
	nodes := make([]int32, p.Nodes)
	for u := range nodes {
		nodes[u] = int32(u)
	}
	for k, step := range p.Steps {
		var events []dyngraph.Event
		for i, at := range step.Time {
			events = append(events, dyngraph.Event{Time: at, Source: step.Source[i], Destination: step.Destination[i],
				Weight: step.Weight[i]})
		}
		if err := f.Observe(events); err != nil {
			t.Fatal(err)
		}
		scores := make([]float64, len(step.Scores))
		if err := f.Forecast(t.Context(), step.At, nodes, scores); err != nil {
			t.Fatal(err)
		}
		for i, want := range step.Scores {
			if math.Abs(scores[i]-want) > tolerance*(1+math.Abs(want)) {
				t.Errorf("%s, batch %d, score %d: %.15g, want %.15g", name, k, i, scores[i], want)
				break
			}
		}
	}
}

func total(params map[string][]float64) (n int) {
	for _, values := range params {
		n += len(values)
	}
	return n
}
