package ode

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
	"github.com/peng-cde/pengcde-go/xla"
)

// The flow solves the problem: its derivative in time is the slope, and it composes.
func TestFlowOfKnownProblems(t *testing.T) {
	for _, p := range knownProblems() {
		t.Run(p.Name, func(t *testing.T) {
			near := func(what string, got, want []float64, tolerance float64) {
				t.Helper()
				if len(got) != len(want) || !(distanceOf(got, want) < tolerance) {
					t.Errorf("%s: got %v, want %v", what, got, want)
				}
			}
			near("start", p.At(p.T0), p.Z0, 1e-14)
			for _, part := range []float64{0.02, 0.3, 0.7, 1} {
				at := p.T0 + part*(p.T1-p.T0)
				z := p.At(at)
				const h = 1e-4
				var slope []float64
				for i := range z {
					d := func(by float64) float64 { return p.At(at + by)[i] - p.At(at - by)[i] }
					slope = append(slope, (8*d(h)-d(2*h))/(12*h))
				}
				near("slope", slope, p.Slope(at, z, p.A), 1e-6)
				near("end", p.Flow(at, p.T1, z, p.A), p.At(p.T1), 1e-13)
			}
		})
	}
}

// The field of nodes is the slope in plain Go, for each sample with its own time.
func TestKnownFieldEqualsSlope(t *testing.T) {
	const batch = 3
	for _, p := range knownProblems() {
		t.Run(p.Name, func(t *testing.T) {
			program, err := xla.NewProgram(xlatest.Backend(t), p.Name, func(in []*Node) []*Node {
				return []*Node{p.Field(in[0], in[1], in[2:])}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer program.Close()
			times, states := make([]float64, batch), make([][]float64, batch)
			for b := range times {
				times[b] = p.T0 + 0.4*float64(b)*(p.T1-p.T0)
				states[b] = p.At(times[b])
			}
			out, err := program.Call(times, states, p.A)
			if err != nil {
				t.Fatal(err)
			}
			defer xla.Free(out...)
			got := out[0].Value().([][]float64)
			for b := range times {
				if want := p.Slope(times[b], states[b], p.A); !(distanceOf(got[b], want) < 1e-13) {
					t.Errorf("t = %g: field %v, slope %v", times[b], got[b], want)
				}
			}
		})
	}
}

func TestOrderOf(t *testing.T) {
	steps := []float64{1, 0.5, 0.1}
	var errors []float64
	for _, h := range steps {
		errors = append(errors, 3*math.Pow(h, 2.5))
	}
	if got := orderOf(steps, errors); !(math.Abs(got-2.5) <= 1e-12) {
		t.Errorf("got %g, want 2.5", got)
	}
}
