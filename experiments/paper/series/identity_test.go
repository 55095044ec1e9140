package series

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// draft is a row before it becomes a setting, for tests that change it.
type draft struct {
	config      pengcde.Config
	training    train.Config
	split       Split
	overlapping bool
}

// The identity of a run contains all values, including defaults.
func TestIdentityHasEveryValue(t *testing.T) {
	identityOf := func(change func(*draft)) string {
		t.Helper()
		d := draft{config: pengcde.Config{Nodes: 129, Features: 8}, split: Random, training: train.Config{Epochs: 3,
			EvaluateEvery: 1}}
		d.config.Field, d.config.Hidden = field.Constant{}, 3
		change(&d)
		e := england(t)
		e.settings = func(experiments.Profile, pengcde.Config) []setting {
			s := network("three", "Three", d.config, d.training)
			s.overlapping = d.overlapping
			return s.on(map[Split]int{d.split: 1})
		}
		runs, err := e.Plan(context.Background(), experiments.Scope{Profile: experiments.Quick})
		if err != nil {
			t.Fatal(err)
		}
		identity, err := runs[0].Identity()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(identity)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	base := identityOf(func(*draft) {})
	for _, want := range []string{`"Layers":2`, `"Step":0.1`, `"Float":"Float32"`, `"Control":"normalised"`,
		`"Path":"hermite"`, `"Method":"Tsit5"`, `"Parity":false`,
		`"Patience":15`, `"MinEpochs":20`, `"BatchSize":1`, `"Clip":1`, `"LearningRate":0.01`, `"WeightDecay":0.0001`,
		`"Beta2":0.999`, `"test":[[`,
		`"data":"`, `"seed":0`} {
		if !strings.Contains(strings.ToLower(base), strings.ToLower(want)) {
			t.Errorf("no %s in %s", want, base)
		}
	}
	adaptive := identityOf(func(s *draft) { s.config.Adaptive = &ode.PID{} })
	for _, want := range []string{`"RTol":0.001`, `"ATol":0.000001`, `"I":1`, `"First":0.01`, `"Safety":0.9`, `"Min":0`,
		`"MaxSteps":4096`} {
		if !strings.Contains(adaptive, want) {
			t.Errorf("no %s in %s", want, adaptive)
		}
	}
	for name, c := range map[string]struct {
		change func(*draft)
		same   bool
	}{
		"written out": {func(s *draft) {
			s.config.Layers, s.config.Step, s.config.Outputs = 2, 0.1, 1
			s.training.Patience, s.training.AdamW = 15, train.AdamW{LearningRate: 0.01, Beta1: 0.9}
		}, true},
		"step": {func(s *draft) { s.config.Step = 0.2 }, false}, "float64": {func(s *draft) { s.config.Float64 = true },
			false},
		"patience": {func(s *draft) { s.training.Patience = 16 },
			false}, "no clip": {func(s *draft) { s.training.AdamW.Clip = -1 }, false},
		"windows": {func(s *draft) { s.overlapping = true }, false}, "deal": {func(s *draft) { s.split = PurgedRotation },
			false},
		"field": {func(s *draft) { s.config.Field = field.GNODE{} }, false},
	} {
		if got := identityOf(c.change); (got == base) != c.same {
			t.Errorf("%s: %s, want it the same as\n%s: %t", name, got, base, c.same)
		}
	}
}
