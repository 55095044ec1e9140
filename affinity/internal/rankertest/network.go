package rankertest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/affinity/internal/ranker"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
	"github.com/peng-cde/pengcde-go/internal/host"
	"github.com/peng-cde/pengcde-go/xla"
)

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
func Gradient(t *testing.T, name string, r *ranker.Ranker, f affinity.Forecaster, data *affinity.Data,
	without ...string) {
	t.Helper()
	last := walk(t, f, data)
	_, gradients, err := r.Loss(last.at, last.answer)
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
				loss, more, err := r.Loss(last.at, last.answer)
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

// InParts tests that loss, gradient and forecast of a network do not depend on how many nodes a program takes at once.
func InParts(t *testing.T, name string, r *ranker.Ranker, f affinity.Forecaster, data *affinity.Data) {
	t.Helper()
	last := walk(t, f, data)
	all := func(most int) (numbers []float64) {
		r.Most = most
		loss, gradient, err := r.Loss(last.at, last.answer)
		if err != nil {
			t.Fatal(err)
		}
		defer xla.Free(gradient...)
		numbers = make([]float64, len(last.answer.Nodes)*data.Classes)
		if err := f.Forecast(t.Context(), last.at, last.answer.Nodes, numbers); err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, loss)
		for _, g := range gradient {
			numbers = append(numbers, host.Floats(g)...)
		}
		return numbers
	}
	whole := all(len(last.answer.Nodes))
	for i, part := range all(2) {
		if math.Abs(part-whole[i]) > 1e-12 {
			t.Fatalf("%s: number %d is %g in parts of two nodes, else %g", name, i, part, whole[i])
		}
	}
}

// Strict tests that no forecast of a new network in strict time changes when events change from its time on.
func Strict(t *testing.T, name string, make func(task affinity.Task) affinity.Forecaster) {
	t.Helper()
	err := affinitytest.Leak(t.Context(), func(d *affinity.Data) (*affinity.Plan, error) {
		return d.Official(affinity.Strict)
	}, func() affinity.Forecaster { return make(affinity.Task{Nodes: 8, Classes: 8}) })
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
