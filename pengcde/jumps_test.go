package pengcde_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// With constant steps the error of a field that jumps at knots falls with the order of the method, on the graphs of
// England, whose snapshots come into force at knots. While the steps on both sides of a knot saw the same graph, the
// error fell only linearly, 6.1e-3, 3.0e-3 and 1.4e-3 at 0.1, 0.05 and 0.025 for GN-ODE.
func TestOrderOfFieldsThatJumpAtKnots(t *testing.T) {
	series, err := pgt.EnglandCovid()
	if err != nil {
		t.Fatal(err)
	}
	windows, err := series.Windows(5, 5).List()
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]pengcde.Config{
		"gn-ode":               {Field: field.GNODE{}},
		"peng, straight lines": {Equation: pengcde.Equation{Path: path.Linear}},
		"original, straight line": {Field: field.Original{},
			Equation: pengcde.Equation{Path: path.Linear}},
	} {
		config.Nodes, config.Features, config.Float64 = series.Nodes(), series.FeatureSize, true
		config.Layers = 1 // without a kink of a ReLU between layers
		forecast := func(step float64) []float64 {
			config.Step = step
			m, err := pengcde.New(xlatest.Backend(t), config)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			y, err := m.Predict(context.Background(), windows[3], nil)
			if err != nil {
				t.Fatal(err)
			}
			return y.Values
		}
		want := forecast(1.0 / 128)
		var steps, errors []float64
		for _, step := range []float64{1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32} {
			steps, errors = append(steps, math.Log(step)), append(errors, floats.Distance(forecast(step), want,
				2)/math.Sqrt(float64(len(want))))
		}
		logs := make([]float64, len(errors))
		for i, e := range errors {
			logs[i] = math.Log(e)
		}
		_, order := stat.LinearRegression(steps, logs, nil, false)
		t.Logf("%s: order %.2f, errors %.1e", name, order, errors)
		if !(order >= 4.5) || !(errors[3] <= 1e-5) {
			t.Errorf("%s: error falls with the step to the power %.2f to %.1e, want about 5 and 1e-5", name, order, errors[3])
		}
	}
}
