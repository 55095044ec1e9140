package ode

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/xlatest"
)

// forMethods runs a test for each method. adaptive is false for methods without an error estimate.
func forMethods(t *testing.T, test func(t *testing.T, m *Method, adaptive bool)) {
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) { test(t, m, m.Error != nil) })
	}
}

// weights are b with the weight 0 of the stage at the end.
func (m *Method) weights() []float64 { return append(append([]float64{}, m.A[len(m.A)-1]...), 0) }

func TestTableauIdentities(t *testing.T) {
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) < 1e-14) {
				t.Errorf("%s: got %.17g, want %.17g", what, got, want)
			}
		}
		for i, row := range m.A {
			near("sum of a row of A", sum(row), m.C[i])
		}
		near("sum of b", sum(m.weights()), 1)
		if adaptive {
			near("sum of error weights", sum(m.Error), 0)
		}
		for i, w := range m.Interpolant(0) {
			near("weight at 0", w, 0)
			near("weight at 1", m.Interpolant(1)[i], m.weights()[i])
		}
	})
}

func sum(w []float64) (s float64) {
	for _, v := range w {
		s += v
	}
	return s
}

// The conditions of all rooted trees hold up to the order that a method, its embedded solution and its continuous
// extension claim, and not at the next order.
func TestOrderConditions(t *testing.T) {
	all := trees(6)
	for p, count := range []int{1, 1, 2, 4, 9, 20} {
		if len(all[p]) != count {
			t.Fatalf("%d trees of order %d, want %d", len(all[p]), p+1, count)
		}
	}
	forMethods(t, func(t *testing.T, m *Method, adaptive bool) {
		check := func(what string, order int, b []float64, theta float64) {
			t.Helper()
			for p, trees := range all[:order+1] {
				worst := 0.0
				for _, tree := range trees {
					worst = max(worst, tree.residual(m.A, b, theta))
				}
				if p < order && !(worst < 2e-14) {
					t.Errorf("%s: misses a condition of order %d by %.2g", what, p+1, worst)
				}
				if p == order && worst < 1e-6 {
					t.Errorf("%s: order %d was claimed and %d is met", what, order, p+1)
				}
			}
		}
		check("solution", m.Order, m.weights(), 1)
		if adaptive {
			embedded := m.weights()
			for i, e := range m.Error {
				embedded[i] -= e
			}
			check("embedded solution", m.ErrorOrder-1, embedded, 1)
		}
		for _, theta := range []float64{0.2, 0.4, 0.7, 0.9} {
			check("continuous extension", m.InterpolantOrder, m.Interpolant(theta), theta)
		}
	})
}

func TestMethodErrors(t *testing.T) {
	field := func(_, z *Node, _ []*Node) *Node { return z }
	change := func(m Method, by func(*Method)) *Method {
		by(&m)
		return &m
	}
	for name, config := range map[string]Config{
		"Euler, default control": {Method: Euler},
		"Midpoint, adaptive":     {Method: Midpoint, StepSize: PID{}},
		"RK4, adaptive":          {Method: RK4, StepSize: &PID{RTol: 1e-3}},
		"no stage at the end":    {Method: change(*RK4, func(m *Method) { m.C, m.A = m.C[:3], m.A[:3] })},
		"a row of zeros": {Method: change(*RK4, func(m *Method) {
			m.A = slices.Concat([][]float64{nil, {0}}, m.A[2:])
		})},
		"rows missing": {Method: change(*RK4, func(m *Method) { m.A = m.A[1:] })},
		"implicit": {Method: change(*Tsit5, func(m *Method) {
			m.A = append([][]float64{{1}}, m.A[1:]...)
		})},
		"short error":            {Method: change(*Tsit5, func(m *Method) { m.Error = m.Error[1:] })},
		"no order of the error":  {Method: change(*Tsit5, func(m *Method) { m.ErrorOrder = 0 })},
		"no extension":           {Method: change(*Tsit5, func(m *Method) { m.Interpolant = nil })},
		"no order":               {Method: change(*Tsit5, func(m *Method) { m.Order = 0 })},
		"empty":                  {Method: &Method{}},
		"nodes that are no sum":  {Method: change(*Heun, func(m *Method) { m.A = [][]float64{nil, {0.5}, m.A[2]} })},
		"weights below 1":        {Method: change(*Heun, func(m *Method) { m.A = [][]float64{nil, m.A[1], {0.5, 0.4}} })},
		"an error of a constant": {Method: change(*Heun, func(m *Method) { m.Error = []float64{0.5, 0.5, 0} })},
		"an extension to another end": {Method: change(*Heun, func(m *Method) {
			m.Interpolant = func(x float64) []float64 { return []float64{x, 0, 0} }
		})},
		"a nil step size":     {StepSize: (*PID)(nil)},
		"a nil constant step": {StepSize: (*Constant)(nil)},
	} {
		if _, err := New(xlatest.Go(t), field, config); !errors.Is(err, ErrInput) {
			t.Errorf("%s: got %v, want ErrInput", name, err)
		}
	}
	for _, m := range []*Method{Euler, Midpoint, RK4} {
		for _, control := range []StepSize{Constant{0.1}, &Constant{0.1}, Given{}} {
			s, err := New(xlatest.Go(t), field, Config{Method: m, StepSize: control})
			if err != nil {
				t.Errorf("%s with %T: %v", m.Name, control, err)
				continue
			}
			s.Close()
		}
	}
}

func TestMethodNamed(t *testing.T) {
	for _, m := range Methods() {
		if got, err := MethodNamed(m.Name); got != m || err != nil {
			t.Errorf("%s: %v, %v", m.Name, got, err)
		}
	}
	_, err := MethodNamed("dopri5")
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "did you mean Dopri5?") {
		t.Errorf("%v, want the names", err)
	}
}
