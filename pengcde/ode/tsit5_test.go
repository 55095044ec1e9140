package ode

import (
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
		fixture.Close(t, "dense", Tsit5.Interpolant(theta), f.Get("dense_b").Array().Row(j).Data, 1e-13)
	}
}
