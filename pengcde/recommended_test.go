package pengcde_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// Zero fields are filled in, and what the caller set stays.
func TestRecommended(t *testing.T) {
	parity := pengcde.Equation{Parity: true}
	all := pengcde.Config{Nodes: 5, Features: 2, Field: field.Affine(),
		Equation: pengcde.Equation{Path: path.Ramp, Adaptive: &ode.PID{}}}
	tight, linear := &ode.PID{RTol: 1e-6}, field.Affine()
	linear.Style.Linear = true
	for name, c := range map[string]struct{ given, want pengcde.Config }{
		"nothing set": {pengcde.Config{Nodes: 5, Features: 2}, all},
		"again":       {all, all},
		"field, path and tolerance": {
			pengcde.Config{Field: field.GNODE{},
				Equation: pengcde.Equation{Path: path.Hermite, Adaptive: tight}},
			pengcde.Config{Field: field.GNODE{},
				Equation: pengcde.Equation{Path: path.Hermite, Adaptive: tight}}},
		"step": {pengcde.Config{Equation: pengcde.Equation{Step: 0.5}, Hidden: 8},
			pengcde.Config{Equation: pengcde.Equation{Step: 0.5, Path: path.Ramp},
				Hidden: 8, Field: field.Affine()}},
		"driven by the graph alone": {pengcde.Config{Input: pengcde.Input{GraphOnly: true}}, pengcde.Config{
			Input: pengcde.Input{GraphOnly: true, Normalise: dyngraph.MeanDegree}, Field: linear,
			Equation: pengcde.Equation{Path: path.Ramp, Adaptive: &ode.PID{}}}},
		"parity":  {pengcde.Config{Equation: parity}, pengcde.Config{Equation: parity}},
		"network": {networkOf(t), networkOf(t)},
	} {
		if got := pengcde.Recommended(c.given); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	for _, guard := range []*train.Guard{{}, {Retries: -1}} {
		given := train.Config{Epochs: 3}
		if *guard != (train.Guard{}) {
			given.Guard = guard
		}
		if got := train.Recommended(given); *got.Guard != *guard || got.Epochs != 3 {
			t.Errorf("training with guard %+v became %+v", given.Guard, got)
		}
	}
}

// networkOf returns the configuration of a network in discrete steps.
func networkOf(t *testing.T) pengcde.Config {
	t.Helper()
	for _, one := range smallModels(t) {
		if one.Config.Network != nil {
			return one.Config
		}
	}
	t.Fatal("no network")
	return pengcde.Config{}
}

// Every head trains with the recommended options, including the linear part, the residual readout, rows and pairs.
func TestRecommendedOfEveryHead(t *testing.T) {
	for _, one := range smallModels(t) {
		if one.Config.Network != nil {
			continue
		}
		t.Run(one.Name, func(t *testing.T) {
			one.Config.Step, one.Config.Layers = 0, 2
			one.Config = pengcde.Recommended(one.Config)
			model := newModel(t, one)
			report, err := model.Fit(t.Context(), one.Windows[1:], one.Windows[:1], train.Recommended(keptTraining(2)))
			if err != nil {
				t.Fatal(err)
			}
			for i, epoch := range report.Epochs {
				if math.IsNaN(epoch.TrainLoss) || epoch.GradientNorm == 0 || epoch.Skipped > 0 {
					t.Errorf("epoch %d: %+v", i, epoch)
				}
			}
		})
	}
}

// Identities are refused by the affine field, with what to try.
func TestRecommendedWithIdentities(t *testing.T) {
	affine := field.Affine()
	affine.Identities = equivariant.Identities{Size: 2}
	c := pengcde.Recommended(pengcde.Config{Nodes: 5, Features: 2, Field: affine})
	_, err := pengcde.New(xlatest.Go(t), c)
	if !errors.Is(err, pengcde.ErrInput) || !strings.Contains(err.Error(), `take "every" or "none"`) {
		t.Errorf("%v, want an error that says what to take", err)
	}
	for _, layers := range []field.Layers{field.NoLayer, field.EveryLayer} {
		affine.DerivativeIn = layers
		c.Field = affine
		if _, err := c.Resolved(); err != nil {
			t.Errorf("%s: %v", layers, err)
		}
	}
}

// Configurations name the affine field as PENG with options, and read its name too.
func TestAffineByName(t *testing.T) {
	c := pengcde.Recommended(pengcde.Config{Nodes: 5, Features: 2})
	text, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(text), `"Field":"peng"`) {
		t.Fatalf("%s, %v", text, err)
	}
	var read pengcde.Config
	if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read.Field, c.Field) {
		t.Errorf("%+v, %v", read.Field, err)
	}
	var named pengcde.Config
	err = json.Unmarshal([]byte(`{"Nodes":5,"Features":2,"Field":"affine"}`), &named)
	if err != nil || !reflect.DeepEqual(named.Field, c.Field) {
		t.Errorf("by its name: %+v, %v", named.Field, err)
	}
}
