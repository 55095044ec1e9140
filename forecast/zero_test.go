package forecast

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde"
)

// Methods of a model that neither Fit nor Load made return errors that say where one comes from, and do not panic.
func TestModelsThatNobodyMade(t *testing.T) {
	data, path := read(t, 40, 1), filepath.Join(t.TempDir(), "model.pengcde")
	for name, m := range map[string]*Model{
		"zero":         {},
		"no parts":     {Inputs: 3, Recipe: data.Recipe, unit: 1},
		"a network":    {Network: new(pengcde.Model)},
		"no recipe":    {Network: new(pengcde.Model), Inputs: 3, unit: 1},
		"of no unit":   {Network: new(pengcde.Model), Inputs: 3, Recipe: data.Recipe},
		"of no inputs": {Network: new(pengcde.Model), Recipe: data.Recipe, unit: 1},
	} {
		for what, f := range map[string]func() error{
			"Save":           func() error { return m.Save(path) },
			"Ahead":          func() error { _, err := m.Ahead(t.Context(), data.Series); return err },
			"Notices":        func() error { _, err := m.Notices(data.Series, []Forecast{{Values: []float64{1}}}); return err },
			"Figure":         func() error { _, err := m.Figure(data.Series, nil); return err },
			"WriteForecasts": func() error { return m.WriteForecasts(path+".csv", []Forecast{{Values: []float64{1}}}) },
			"Write":          func() error { return (&Result{Model: *m}).Write(t.Context(), t.TempDir()) },
		} {
			var err error
			if panicked := panics.Catch(func() { err = f() }); panicked != nil || !errors.Is(err, ErrInput) ||
				!strings.Contains(err.Error(), "want one as Fit or Load returns it") {
				t.Errorf("%s of a model, %s: %v, a panic %v", what, name, err, panicked)
			}
		}
		if panicked := panics.Catch(func() {
			if got := m.Name(); got == "" || m.Network == nil && got != "no model" {
				t.Errorf("the name of a model, %s, is %q", name, got)
			}
			if got := m.Target(); got != strings.Join(m.Recipe.Config.Nodes.Targets, ", ") {
				t.Errorf("the target of a model, %s, is %q", name, got)
			}
			m.Close()
		}); panicked != nil {
			t.Errorf("a model, %s: %v", name, panicked)
		}
	}
	(*Model)(nil).Close()
	made := &Model{Network: new(pengcde.Model), Inputs: 3, Recipe: data.Recipe, unit: 1}
	if _, err := made.Notices(nil, nil); !errors.Is(err, ErrInput) {
		t.Errorf("notices of no series: %v", err)
	}
	if _, err := made.Figure(nil, nil); !errors.Is(err, ErrInput) {
		t.Errorf("a figure of no series: %v", err)
	}
	if err := made.Save(path); !errors.Is(err, pengcde.ErrClosed) {
		t.Errorf("a model with a zero network is saved: %v, want ErrClosed", err)
	}
}

// A zero result has no trainings, and no table.
func TestZeroResult(t *testing.T) {
	var r Result
	if panicked := panics.Catch(func() {
		_, table := r.Table()
		_, figures := r.Figures(nil)
		if _, err := r.StepTable(); err != nil || r.Epochs() != 0 || r.Stopped() != "" || r.Verdict() == "" ||
			!errors.Is(table, ErrInput) || !errors.Is(figures, ErrInput) || r.RemoveCheckpoints() != nil {
			t.Errorf("%v, %d epochs, %q, %q, %v, %v", err, r.Epochs(), r.Stopped(), r.Verdict(), table, figures)
		}
		r.Close()
	}); panicked != nil {
		t.Error(panicked)
	}
}
