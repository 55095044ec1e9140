package export

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

// tests are the scores of six seeds.
var tests = []float64{0.5, 0.7, 0.6, 0.9, 0.8, 0.1}

// scored returns runs of seeds from 0.
func scored(seeds int, model experiments.Row) (all experiments.Results) {
	for seed := range seeds {
		all = append(all, experiments.Result{Run: experiments.Run{Model: model, Seed: uint64(seed),
			Keys: map[string]string{"data": "tgbn-trade", "protocol": "official"}},
			Record: &experiments.Record{Study: "node-affinity", Identity: json.RawMessage(`{"seed":1}`), Backend: "xla:cpu",
				Ended: ended, Machine: experiments.Machine{System: "linux/amd64", Backend: "cpu", CPUs: 8},
				Facts: &experiments.Facts{Parameters: 17, PeakBytes: 1 << 20,
					Scores: map[string]float64{"test": tests[seed], "validation": tests[seed] + 0.01}}}})
	}
	return all
}

func TestLeaderboard(t *testing.T) {
	network := experiments.Row{ID: "tgn", Name: "TGN"}
	heuristic := experiments.Row{ID: "mean", Name: "Mean", Untrained: true}
	l, err := NewLeaderboard(scored(5, network), experiments.Full, Submitter{Contact: "A, a@b.c"})
	if err != nil {
		t.Fatal(err)
	}
	deviation := math.Sqrt(0.1 / 4) // of .5, .6, .7, .8 and .9
	if !(math.Abs(l.Test.Mean-0.7) <= 1e-15) || !(math.Abs(l.Test.StandardDeviation-deviation) <= 1e-15) ||
		!(math.Abs(l.Validation.Mean-0.71) <= 1e-15) || l.Method != "TGN" || l.Contact != "A, a@b.c" ||
		l.Parameters != 17 || l.Dataset != "tgbn-trade" || l.Protocol != "official" || l.Deterministic ||
		len(l.Runs) != 5 {
		t.Errorf("%+v", l)
	}
	if r := l.Runs[3]; r.Seed != 3 || r.Test != 0.9 || r.Validation != 0.91 || !strings.HasSuffix(r.Name, "xla-cpu") ||
		r.Machine != "linux/amd64 with 8 CPUs (cpu)" || r.PeakBytes != 1<<20 || string(r.Identity) != `{"seed":1}` {
		t.Errorf("run %+v", r)
	}
	l, err = NewLeaderboard(scored(1, heuristic), experiments.Quick, Submitter{Method: "ours"})
	if err != nil || !l.Deterministic || l.Test != (Spread{Mean: 0.5}) || l.Method != "ours" {
		t.Errorf("%+v, %v", l, err)
	}

	changed := func(change func(experiments.Results)) experiments.Results {
		all := scored(6, network)
		change(all)
		return all
	}
	full, input, missing := experiments.Full, experiments.ErrInput, experiments.ErrNotStored
	for name, bad := range map[string]struct {
		results experiments.Results
		profile experiments.Profile
		want    error
	}{
		"nothing":     {nil, full, input},
		"four seeds":  {scored(4, network), full, input},
		"quick":       {scored(5, network), experiments.Quick, input},
		"seed twice":  {changed(func(r experiments.Results) { r[0].Seed = 1 }), full, input},
		"two models":  {changed(func(r experiments.Results) { r[0].Model = heuristic }), full, input},
		"missing run": {changed(func(r experiments.Results) { r[2].Record = nil }), full, missing},
		"diverged":    {changed(func(r experiments.Results) { r[5].Record.Facts.Failure = "not finite" }), full, missing},
	} {
		if l, err := NewLeaderboard(bad.results, bad.profile, Submitter{}); !errors.Is(err, bad.want) {
			t.Errorf("%s: %+v, %v, want %v", name, l, err, bad.want)
		}
	}
}
