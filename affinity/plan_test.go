package affinity_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// memory has the given number of events among three nodes at each time, and labels at all times except the first: node
// 0 sends to a node that changes every other time.
func memory(times []float64, events int) *affinity.Memory {
	m := &affinity.Memory{NodeNames: []string{"a", "b", "c"}, Classes: 3}
	for i, at := range times {
		to := int32(1 + i/2%2)
		for range events {
			m.EventList = append(m.EventList, dyngraph.Event{Time: at, Source: 0, Destination: to, Weight: 1})
		}
		if i > 0 && at > times[i-1] {
			m.LabelList = append(m.LabelList, affinity.Labels{Time: at, Affinities: dyngraph.Affinities{Nodes: []int32{0}, Start: []int{0, 1},
				Classes: []int32{to}, Values: []float64{1}}})
		}
	}
	return m
}

func yearly(t testing.TB) *affinity.Data {
	t.Helper()
	var years []float64
	for i := range 20 {
		years = append(years, float64(1990+i))
	}
	data, err := affinity.New(context.Background(), "yearly", 1, memory(years, 250))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The loop of TGB as its code has it: batch by batch, with a pointer.
func TestOfficialIsTheLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var times []float64
		for i := range rapid.IntRange(300, 3000).Draw(t, "events") {
			at := 0.0
			if i > 0 {
				at = times[i-1]
			}
			times = append(times, at+float64(rapid.SampledFrom([]int{0, 0, 0, 1, 40}).Draw(t, "gap")))
		}
		m := &affinity.Memory{NodeNames: []string{"a"}, Classes: 1}
		for _, at := range times {
			m.EventList = append(m.EventList, dyngraph.Event{Time: at})
		}
		// Label times at or just after the end of a batch, and one that no event passes.
		every := rapid.SampledFrom([]int{40, 100, 199, 200, 201, 500}).Draw(t, "events between label times")
		later := float64(rapid.IntRange(0, 1).Draw(t, "later"))
		for i, last := every-1, -1.0; i < len(times)+every; i += every {
			if at := times[min(i, len(times)-1)] + later; at > last {
				m.LabelList = append(m.LabelList, affinity.Labels{Time: at, Affinities: dyngraph.Affinities{Nodes: []int32{0}, Start: []int{0, 0}}})
				last = at
			}
		}
		data, err := affinity.New(context.Background(), "drawn", 1, m)
		if err != nil {
			t.Fatal(err)
		}
		// The order statistics around .70 and .85 are interpolated; the parts are those no later.
		var want []affinity.Question
		var known []int
		q70, q85 := quantile(times, .7), quantile(times, .85)
		pointer, done := 0, 0
		for _, part := range []affinity.Part{affinity.Train, affinity.Validation, affinity.Test} {
			var own []float64
			for _, at := range times {
				if p := partOf(at, q70, q85); p == part {
					own = append(own, at)
				}
			}
			for batch := range slices.Chunk(own, 200) {
				if last := batch[len(batch)-1]; pointer < len(m.LabelList) && last > m.LabelList[pointer].Time {
					want = append(want, affinity.Question{Time: m.LabelList[pointer].Time, Part: part})
					pointer++
					next, seen := m.LabelList[min(pointer, len(m.LabelList)-1)].Time, 0
					for _, at := range batch {
						if at < next {
							seen++
						}
					}
					known = append(known, done+seen)
				}
				done += len(batch)
			}
		}
		for _, clock := range []affinity.Clock{affinity.Strict, affinity.Parity} {
			plan, err := data.Official(clock)
			if err != nil {
				if !errors.Is(err, dyngraph.ErrInvalid) {
					t.Fatal(err)
				}
				t.Skip(err) // a part without a question
			}
			if !slices.Equal(plan.Questions, want) {
				t.Fatalf("%s: questions %v, want %v", clock, plan.Questions, want)
			}
			c := &counting{}
			if err := plan.Walk(context.Background(), c); err != nil {
				t.Fatal(err)
			}
			for i, q := range want {
				strict := 0
				for _, at := range times {
					if at < q.Time {
						strict++
					}
				}
				if clock == affinity.Strict && c.known[i] != strict || clock == affinity.Parity && c.known[i] != known[i] {
					t.Fatalf("%s, question %v: %d events known, want %d or %d", clock, q, c.known[i], strict, known[i])
				}
			}
		}
	})
}

func partOf(at, q70, q85 float64) affinity.Part {
	switch {
	case at <= q70:
		return affinity.Train
	case at <= q85:
		return affinity.Validation
	}
	return affinity.Test
}

func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	a, b := sorted[int(at)], sorted[min(int(at)+1, len(sorted)-1)]
	return a + (b-a)*(at-math.Floor(at))
}

// counting counts the events known at each question.
type counting struct {
	diary
	events int
	known  []int
}

func (c *counting) Observe(events []dyngraph.Event) error { c.events += len(events); return nil }
func (c *counting) Ask(affinity.Question, affinity.Labels) error {
	c.known = append(c.known, c.events)
	return nil
}

func TestRotation(t *testing.T) {
	data := yearly(t)
	plans, err := data.Rotation(2, 3)
	if err != nil || len(plans) != 2 {
		t.Fatal(len(plans), err)
	}
	for i, plan := range plans {
		test := 2008 + float64(i)
		for _, q := range plan.Questions {
			want := affinity.Train
			switch {
			case q.Time == test:
				want = affinity.Test
			case q.Time >= test-3:
				want = affinity.Validation
			}
			if q.Part != want || q.Time > test {
				t.Errorf("plan %d: question %v", i, q)
			}
		}
		if len(plan.Questions) != 18+i {
			t.Errorf("plan %d has %d questions", i, len(plan.Questions))
		}
	}
	for _, c := range [][2]int{{0, 1}, {1, -1}, {17, 2}, {1, 18}} {
		if _, err := data.Rotation(c[0], c[1]); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("rotation %v: %v", c, err)
		}
	}
}

func TestWindows(t *testing.T) {
	data, ctx := yearly(t), context.Background()
	plan, err := data.Windows(ctx, affinity.WindowConfig{Length: 3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	parts := make(map[affinity.Part]int)
	seen := make(map[float64]bool)
	for _, q := range plan.Questions {
		parts[q.Part]++
		seen[q.Time] = true
		if math.Mod(q.Time-1992, 3) != 0 {
			t.Errorf("question at %g", q.Time)
		}
	}
	if fmt.Sprint(parts) != "map[test:2 train:3 validation:1]" || len(seen) != 6 {
		t.Errorf("%v questions at %d times", parts, len(seen))
	}
	d := &diary{}
	if err := plan.Walk(ctx, windowDiary{d, t}); err != nil || d.reset != 6 {
		t.Errorf("%g windows: %v", d.reset, err)
	}
	same, err := data.Windows(ctx, affinity.WindowConfig{Length: 3, Seed: 4, Train: .6, Validation: .2})
	if err != nil || !slices.Equal(same.Questions, plan.Questions) || same.Name != plan.Name {
		t.Errorf("the same seed gives %v: %v", same.Questions, err)
	}
	// Node 0 sends to one node for two years, then to the other: in a window the last year either repeats the one before.
	report, err := affinity.Evaluate(ctx, plan, &affinity.PersistentForecast{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Scores {
		if changes := math.Mod(s.Time, 2) == 0; changes != (s.NDCG < 1) {
			t.Errorf("score %v at %g", s.NDCG, s.Time)
		}
	}
	for _, c := range []affinity.WindowConfig{{}, {Length: 1}, {Length: 3, Train: .9, Validation: .2}, {Length: 11}} {
		if _, err := data.Windows(ctx, c); !errors.Is(err, dyngraph.ErrInvalid) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// windowDiary checks that each window receives only the snapshots before the question.
type windowDiary struct {
	*diary
	t *testing.T
}

func (w windowDiary) Ask(q affinity.Question, answer affinity.Labels) error {
	if w.newest != q.Time-1 || w.learned != q.Time-1 || answer.Time != q.Time {
		w.t.Errorf("question %v: events to %g, labels to %g", q, w.newest, w.learned)
	}
	return nil
}

func TestEmptySplit(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		times  []float64
		events int
		says   string
	}{
		"no events after training": {[]float64{1, 2, 3, 3, 3}, 500,
			"{Train:2500 Validation:0 Test:0} events, and those for validation pass no label time"},
		"few events": {[]float64{1, 2, 3, 4}, 100, "{Train:300 Validation:100 Test:0} events, and those for test"},
	} {
		data, err := affinity.New(ctx, name, 1, memory(c.times, c.events))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := data.Official(affinity.Strict); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
	if _, err := yearly(t).Official("lenient"); !errors.Is(err, dyngraph.ErrInvalid) {
		t.Errorf("unknown clock: %v", err)
	}
}

// A part that no plan has is an error that names the parts, before anything is trained.
func TestUnknownPart(t *testing.T) {
	for _, score := range []func(context.Context, *affinity.Plan, affinity.Forecaster, ...affinity.Part) (*affinity.Report,
		error){affinity.Evaluate, affinity.Score} {
		_, err := score(t.Context(), &affinity.Plan{}, &popular{}, "tests")
		if !errors.Is(err, dyngraph.ErrInvalid) || !strings.Contains(err.Error(), "train, validation or test") {
			t.Errorf("%v, want the names of the parts", err)
		}
	}
}
