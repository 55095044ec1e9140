package pengcde

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// ownMethod returns a copy of a method under a name.
func ownMethod(of *ode.Method, name string) *ode.Method {
	m := *of
	m.Name = name
	return &m
}

// A model is solved by its method, and is again once it is loaded.
func TestMethodOfModel(t *testing.T) {
	window := ringSplit(t).Test[0]
	config := func(m *ode.Method) Config {
		return Config{Nodes: window.Series.Nodes(), Features: window.Series.FeatureSize,
			Equation: Equation{Method: m, Step: 1}}
	}
	own := ownMethod(ode.Midpoint, "halfway")
	names, forecasts := map[string]bool{}, map[float64]bool{}
	for _, method := range []*ode.Method{nil, ode.Euler, ode.RK4, own} {
		m, err := New(xlatest.Go(t), config(method))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		want := forecast(t, m, window)
		file := filepath.Join(t.TempDir(), "model")
		if err := m.Save(file); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(xlatest.Go(t), file, own)
		if err != nil {
			t.Fatal(err)
		}
		defer loaded.Close()
		if got := forecast(t, loaded, window); !slices.Equal(got, want) || loaded.Config().Method != method {
			t.Errorf("loaded with %v: %v, want %v", loaded.Config().Method, got, want)
		}
		r, err := m.Config().Resolved()
		if err != nil {
			t.Fatal(err)
		}
		names[r.Method], forecasts[want[0]] = true, true
		if method != own {
			continue
		}
		if _, err := Load(xlatest.Go(t), file); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), `"halfway"`) {
			t.Errorf("a method of one's own, without its value: %v", err)
		}
	}
	if len(names) != 4 || len(forecasts) != 4 {
		t.Errorf("four methods have the names %v and forecast %v", names, forecasts)
	}
}

func TestFaultyMethods(t *testing.T) {
	adding := ownMethod(ode.Heun, "adding")
	adding.C = []float64{0, 2}
	for want, e := range map[string]Equation{
		"has no error estimate":        {Method: ode.RK4, Adaptive: &ode.PID{}},
		`has the name "RK4"`:           {Method: ownMethod(ode.Heun, "RK4")},
		`has the name ""`:              {Method: ownMethod(ode.Heun, "")},
		"Config.Method: method adding": {Method: adding},
	} {
		_, err := New(xlatest.Go(t), Config{Nodes: 2, Features: 1, Equation: e})
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", e, err, want)
		}
	}
}
