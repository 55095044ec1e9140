package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

func TestUnresolved(t *testing.T) {
	norms := func(list ...float64) (epochs []Epoch) {
		for _, norm := range list {
			epochs = append(epochs, Epoch{GradientNorm: norm})
		}
		return epochs
	}
	level := slices.Repeat([]float64{2}, 200)
	skipped := func(count int) []Epoch {
		epochs := norms(level...)
		for i := range count {
			epochs[7*i].Skipped = 1
		}
		return epochs
	}
	unused := norms(level...)
	unused[90].LargestNorm, unused[90].Retried = math.MaxFloat64, 1
	for name, c := range map[string]struct {
		report Report
		want   bool
	}{
		"nothing":             {Report{}, false},
		"level":               {Report{Epochs: norms(level...)}, false},
		"ended not finite":    {Report{Epochs: norms(level...), Stop: StopNotFinite}, true},
		"a jump":              {Report{Epochs: norms(append(slices.Clone(level), 2001, 2)...)}, true},
		"a smaller jump":      {Report{Epochs: norms(append(slices.Clone(level), 2000, 2)...)}, false},
		"large at first":      {Report{Epochs: norms(append([]float64{1e9, 1e6, 1e4, 10, 10}, level...)...)}, false},
		"too early to say":    {Report{Epochs: norms(1, 1, 1, 1, 1e9)}, false},
		"early jump":          {Report{Epochs: norms(1, 1, 1, 1, 1, 1e9)}, true},
		"after a slow fall":   {Report{Epochs: norms(append(slices.Repeat([]float64{1e6}, 30), level...)...)}, false},
		"1% of epochs skip":   {Report{Epochs: skipped(2)}, false},
		"1.5% of epochs skip": {Report{Epochs: skipped(3)}, true},
		"kept from use":       {Report{Epochs: unused}, false},
	} {
		if got := c.report.Unresolved(); got != c.want {
			t.Errorf("%s: unresolved %v, want %v", name, got, c.want)
		}
	}
}

// A configuration without the newer options is encoded as before they existed, as stored runs name it.
func TestResolvedWithoutOptions(t *testing.T) {
	resolved, err := Config{}.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(resolved)
	const want = `{"AdamW":{"LearningRate":0.01,"WeightDecay":0.0001,"Clip":1,"Beta1":0.9,"Beta2":0.999,` +
		`"Epsilon":1e-8},"Epochs":200,"EvaluateEvery":5,"Patience":15,"MinEpochs":20,"BatchSize":1}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

// Defaults of the options are written out, in a copy, and a resolved configuration is resolved to itself.
func TestResolvedOptions(t *testing.T) {
	guard := Guard{Skips: 3}
	for name, c := range map[string]struct{ config, want Config }{
		"guard": {Config{Guard: &guard}, Config{Guard: &Guard{Multiple: 100, Window: 20, Retries: 3, Skips: 3}}},
		"no bound": {Config{Guard: &Guard{Multiple: -7, Retries: -3}},
			Config{Guard: &Guard{Multiple: -1, Window: 20, Retries: -1, Skips: 10}}},
		"cosine": {Config{Epochs: 300, Schedule: Schedule{Kind: Cosine}},
			Config{Schedule: Schedule{Kind: Cosine, To: 0.01, Epochs: 300}}},
		"plateau": {Config{Patience: 200, Schedule: Schedule{Kind: Plateau}},
			Config{Schedule: Schedule{Kind: Plateau, To: 0.01, After: 4}}},
		"average": {Config{Average: 0.9}, Config{Average: 0.9}},
	} {
		got, err := c.config.Resolved()
		if err != nil || !reflect.DeepEqual([]any{got.Guard, got.Schedule, got.Average}, []any{c.want.Guard,
			c.want.Schedule, c.want.Average}) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
		again, err := got.Resolved()
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: resolved again %+v, %v, want %+v", name, again, err, got)
		}
	}
	if guard != (Guard{Skips: 3}) {
		t.Errorf("the caller's guard became %+v", guard)
	}
}

func TestOptionErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, config := range map[string]Config{
		"multiple below 1":          {Guard: &Guard{Multiple: 0.5}},
		"NaN multiple":              {Guard: &Guard{Multiple: nan}},
		"infinite multiple":         {Guard: &Guard{Multiple: inf}},
		"negative window":           {Guard: &Guard{Window: -1}},
		"negative skips":            {Guard: &Guard{Skips: -1}},
		"average 1":                 {Average: 1},
		"negative average":          {Average: -0.5},
		"NaN average":               {Average: nan},
		"unknown schedule":          {Schedule: Schedule{Kind: "linear"}},
		"schedule without a kind":   {Schedule: Schedule{To: 0.5}},
		"share above 1":             {Schedule: Schedule{Kind: Cosine, To: 2}},
		"negative share":            {Schedule: Schedule{Kind: Cosine, To: -1}},
		"cosine and After":          {Schedule: Schedule{Kind: Cosine, After: 3}},
		"negative epochs of cosine": {Schedule: Schedule{Kind: Cosine, Epochs: -3}},
		"plateau and Epochs":        {Patience: 200, Schedule: Schedule{Kind: Plateau, Epochs: 3}},
		"plateau, negative After":   {Patience: 200, Schedule: Schedule{Kind: Plateau, After: -3}},
		"plateau, no validation":    {EvaluateEvery: NoValidation, Patience: 200, Schedule: Schedule{Kind: Plateau}},
		"plateau after the end":     {Patience: 20, EvaluateEvery: 5, Schedule: Schedule{Kind: Plateau}},
		"stiffness of a bowl":       {Stiffness: true},
	} {
		if _, _, err := Fit(context.Background(), xlatest.Go(t), &bowl{target: downhill}, start(),
			config); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
}

// stiff is a bowl with a stiffness: the first parameter.
type stiff struct {
	bowl
	asked int
}

func (s *stiff) Stiffness(_ context.Context, params []*tensors.Tensor) (float64, error) {
	s.asked++
	return tensors.MustCopyFlatData[float64](params[0])[0], nil
}

var _ Stiff = (*stiff)(nil)

// Stiffness is computed for the kept parameters, and only if the configuration requests it.
func TestReportOfStiffness(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		s := &stiff{bowl: bowl{target: downhill, validations: []float64{2, 1, 3}}}
		config := guardedConfig(nil)
		config.Stiffness = wanted
		kept, report, err := Fit(context.Background(), xlatest.Go(t), s, start(), config)
		if err != nil {
			t.Fatal(err)
		}
		want, asked := 0.0, 0
		if wanted {
			want, asked = tensors.MustCopyFlatData[float64](kept[0])[0], 1
		}
		if report.Stiffness != want || s.asked != asked {
			t.Errorf("wanted %v: %g, asked %d times, want %g", wanted, report.Stiffness, s.asked, want)
		}
	}
}
