package ode

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/internal/fixture"
)

func TestFixtureTsit5Tableau(t *testing.T) {
	f := fixture.Load(t, "tsit5_tableau")
	fixture.Close(t, "c", Tsit5.C[1:], f.Get("c").Array().Data, 1e-15)
	for i, row := range f.Get("a_lower").List() {
		var want []float64
		for _, v := range row.List() {
			want = append(want, v.Float())
		}
		fixture.Close(t, "a", Tsit5.A[1+i], want, 1e-15)
	}
	b := append(append([]float64{}, Tsit5.A[6]...), 0)
	fixture.Close(t, "b", b, f.Get("b_sol").Array().Data, 1e-15)
	fixture.Close(t, "b - b̂", Tsit5.Error, f.Get("b_error").Array().Data, 1e-15)
	for j, theta := range f.Get("dense_theta").Array().Data {
		fixture.Close(t, "dense", Tsit5.Dense(theta), f.Get("dense_b").Array().Row(j).Data, 1e-13)
	}
}

// The conditions that any tableau satisfies: rows of a sum to c, b sums to 1 and the error weights to 0; the
// continuous extension starts at 0, ends at b and has order conditions Σ b_i(θ) c_i^q = θ^(q+1)/(q+1) up to q = 3.
func TestTableauIdentities(t *testing.T) {
	sum := func(w []float64) (s float64) {
		for _, v := range w {
			s += v
		}
		return s
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-13 {
			t.Errorf("%s: got %.17g, want %.17g", what, got, want)
		}
	}
	for i, row := range Tsit5.A {
		near("sum of a row", sum(row), Tsit5.C[i])
	}
	near("sum of error weights", sum(Tsit5.Error), 0)
	for _, theta := range []float64{0, 0.2, 0.5, 0.9, 1} {
		w := Tsit5.Dense(theta)
		for q := 0; q <= 3; q++ {
			total := 0.0
			for i, c := range Tsit5.C {
				total += w[i] * math.Pow(c, float64(q))
			}
			near("dense order condition", total, math.Pow(theta, float64(q+1))/float64(q+1))
		}
	}
}
