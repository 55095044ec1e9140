package affinity_test

import (
	"context"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/affinitytest"
)

var heuristics = map[string]func() affinity.Forecaster{
	"zero":                func() affinity.Forecaster { return affinity.Zero{} },
	"mean":                func() affinity.Forecaster { return &affinity.Mean{} },
	"persistent forecast": func() affinity.Forecaster { return &affinity.PersistentForecast{} },
	"moving average":      func() affinity.Forecaster { return &affinity.MovingAverage{} },
	"mean of messages":    func() affinity.Forecaster { return &affinity.MessageMean{} },
	"average of messages": func() affinity.Forecaster { return &affinity.MessageAverage{} },
	"ridge":               func() affinity.Forecaster { return &affinity.Ridge{} },
	"log-linear":          func() affinity.Forecaster { return &affinity.LogLinear{} },
	"gated state":         func() affinity.Forecaster { return &affinity.GatedState{Epochs: 3} },
	"trained":             func() affinity.Forecaster { return &popular{} },
}

// popular is a trained forecaster: it forecasts the mean of all answers, and of the events since then.
type popular struct {
	affinity.MessageMean
	mean []float64
}

func (p *popular) Train(ctx context.Context, past *affinity.Plan) error {
	p.mean = make([]float64, past.Classes)
	return past.Walk(ctx, popularity{p})
}

func (p *popular) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	if err := p.MessageMean.Forecast(ctx, at, nodes, scores); err != nil {
		return err
	}
	for i := range scores {
		scores[i] += p.mean[i%len(p.mean)]
	}
	return nil
}

// popularity is the listener that trains it.
type popularity struct{ *popular }

func (p popularity) Ask(_ affinity.Question, answer affinity.Labels) error {
	for i, class := range answer.Classes {
		p.mean[class] += answer.Values[i]
	}
	return nil
}

func TestStrictTimeKnowsThePastAlone(t *testing.T) {
	for protocol, plan := range map[string]affinitytest.Plan{
		"official": func(d *affinity.Data) (*affinity.Plan, error) { return d.Official(affinity.Strict) },
		"rotation": func(d *affinity.Data) (*affinity.Plan, error) {
			plans, err := d.Rotation(3, 2)
			if err != nil {
				return nil, err
			}
			return plans[1], nil
		},
	} {
		for name, forecaster := range heuristics {
			if err := affinitytest.Leak(context.Background(), plan, forecaster); err != nil {
				t.Errorf("%s, %s: %v", protocol, name, err)
			}
		}
	}
}

// The check finds the leak of the parity clock.
func TestParityTimeLeaks(t *testing.T) {
	err := affinitytest.Leak(context.Background(), func(d *affinity.Data) (*affinity.Plan, error) {
		return d.Official(affinity.Parity)
	}, heuristics["mean of messages"])
	if err == nil {
		t.Error("no leak in parity time")
	}
}

// diary records the events, labels and questions that it receives.
type diary struct {
	affinity.PersistentForecast
	newest, learned, reset float64
	questions              []affinity.Question
}

func (*diary) LabelsOnly() bool { return false }

func (d *diary) Reset(affinity.Task) { d.reset++; d.newest, d.learned = -1, -1 }

func (d *diary) Observe(events []dyngraph.Event) error {
	d.newest = events[len(events)-1].Time
	return nil
}

func (d *diary) Learn(labels affinity.Labels) error { d.learned = labels.Time; return nil }

func (d *diary) Ask(q affinity.Question, _ affinity.Labels) error {
	d.questions = append(d.questions, q)
	return nil
}

// A trainer receives nothing from the first test question on.
func TestTrainingEndsBeforeTheTest(t *testing.T) {
	data := yearly(t)
	plan, err := data.Official(affinity.Strict)
	if err != nil {
		t.Fatal(err)
	}
	var first float64
	for _, q := range plan.Questions {
		if q.Part == affinity.Test {
			first = q.Time
			break
		}
	}
	s := &student{t: t}
	if _, err := affinity.Evaluate(context.Background(), plan, s); err != nil {
		t.Fatal(err)
	}
	last := s.questions[len(s.questions)-1]
	if s.newest >= first || s.learned >= first || last.Part != affinity.Validation || last.Time >= first {
		t.Errorf("events to %g, labels to %g, questions to %v; the test begins with %g", s.newest, s.learned, last, first)
	}
}

// student is a trainer that records its training in a diary.
type student struct {
	affinity.PersistentForecast
	diary
	t *testing.T
}

func (s *student) Reset(task affinity.Task)         { s.PersistentForecast.Reset(task) }
func (s *student) Observe(e []dyngraph.Event) error { return s.PersistentForecast.Observe(e) }
func (s *student) Learn(l affinity.Labels) error    { return s.PersistentForecast.Learn(l) }
func (s *student) Train(ctx context.Context, past *affinity.Plan) error {
	for _, q := range past.Questions {
		if q.Part == affinity.Test {
			s.t.Errorf("the past has the test question %v", q)
		}
	}
	return past.Walk(ctx, &s.diary)
}
func (s *student) Forecast(ctx context.Context, at float64, nodes []int32, scores []float64) error {
	return s.PersistentForecast.Forecast(ctx, at, nodes, scores)
}
