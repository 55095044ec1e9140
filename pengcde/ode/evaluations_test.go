package ode

import (
	"context"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// A step evaluates the field as often as the table at [Method] says, since the previous step has computed the slope at
// its start. The program of a step contains the field this number of times, and the program of the start once.
func TestFirstSameAsLast(t *testing.T) {
	want := map[string]int{"Euler": 1, "Midpoint": 2, "Heun": 2, "Bosh3": 3, "RK4": 4, "Dopri5": 6, "Tsit5": 6}
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		built := 0
		config := Config{Method: m, StepSize: Constant{0.25}}
		if adaptive {
			config.StepSize = PID{First: 0.25, Max: 0.25}
		}
		s := newSolver(t, decay(&built), config)
		p := Problem{Z0: tensors.FromValue([][]float64{{1}}), Times: [][]float64{{0, 1}}}
		sol := run(t, s, p)
		if built != 1+want[m.Name] {
			t.Errorf("the field was built %d times, want once for the start and %d for a step", built, want[m.Name])
		}
		stats := sol.Stats[0]
		if tries := stats.Accepted + stats.Rejected; tries < 4 || stats.Evaluations != 1+want[m.Name]*tries {
			t.Errorf("%+v, want 1 evaluation and %d a try", stats, want[m.Name])
		}
		g, err := sol.Pullback(context.Background(), tensors.FromValue([][][]float64{{{0}, {1}}}))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		if again := built - 1 - want[m.Name]; again != want[m.Name] { // only stages, without the slope at the end
			t.Errorf("the pullback of a step holds the field %d times, want %d", again, want[m.Name])
		}
	})
}
