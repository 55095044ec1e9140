package forecast

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/path"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// The published field is configured, trained and found by its checkpoint as before other fields existed; the default
// is the recommended configuration.
func TestFieldByName(t *testing.T) {
	data := read(t, 40, 1)
	series, _, err := prepared(data.Series, 0)
	if err != nil {
		t.Fatal(err)
	}
	const published = "training-cf01aac6"
	names := map[string]bool{}
	for _, c := range []struct {
		name  string
		field field.Field
		path  path.Kind
		guard *train.Guard
	}{
		{"", field.Affine(), path.Ramp, &train.Guard{}},
		{"peng", field.PENG{}, "", nil},
		{"gn-ode", field.GNODE{}, path.Ramp, &train.Guard{}},
	} {
		config := small
		config.Model, config.Checkpoint = c.name, "training"
		if config, err = config.resolved(); err != nil {
			t.Fatal(err)
		}
		model, training := config.model(series), config.training(0, 0)
		if !reflect.DeepEqual(model.Field, c.field) || model.Path != c.path || model.Step != 1 || model.Adaptive != nil ||
			!reflect.DeepEqual(training.Guard, c.guard) {
			t.Errorf("%q: field %+v, path %q, step %g, guard %+v", c.name, model.Field, model.Path, model.Step, training.Guard)
		}
		name := config.checkpoint(series)
		if names[name] || (name == published) != (c.name == "peng") {
			t.Errorf("%q: checkpoint %s, where the published field's was %s", c.name, name, published)
		}
		names[name] = true
	}
}

// Networks of the same family have names of their own.
func TestNameOf(t *testing.T) {
	for want, c := range map[string]pengcde.Config{
		"PENG-CDE":           {Field: field.Affine()},
		"PENG-CDE published": {Field: field.PENG{}},
		"GN-ODE + linear":    {Field: field.GNODE{}, Head: head.Corrected{}},
	} {
		if got := nameOf(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Tables and files call a model with another field by the field's name.
func TestNameOfAnotherField(t *testing.T) {
	config, folder := small, t.TempDir()
	config.Model, config.Epochs = "gn-ode", 1
	r := fit(t, read(t, 40, 1), config)
	if err := r.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{ForecastsFile: "time,GN-ODE,", ErrorsFile: "\nGN-ODE,Ayr",
		PageFile: "model gn-ode"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), ModelName) {
			t.Errorf("%s, %v: want %q and no %q in\n%.300s", file, err, want, ModelName, text)
		}
	}
}
