package ode

import (
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
	"github.com/peng-cde/pengcde-go/internal/rk"
)

// Euler is the method of order 1 with one stage, z + h f(t, z). Its extension inside steps is linear. It has no error
// estimate.
//
// L. Euler, Institutiones Calculi Integralis I (1768), § 650.
var Euler = (*Method)(rk.Euler)

// Midpoint is the method of order 2 with two stages. It takes the slope at the middle of the step, which an Euler step
// of half the length reaches. Its extension inside steps is a quadratic of order 2. It has no error estimate.
//
// C. Runge, "Über die numerische Auflösung von Differentialgleichungen", Mathematische Annalen 46 (1895) 167-178.
var Midpoint = (*Method)(rk.Midpoint)

// Heun is the trapezoid method of order 2(1) with two stages. It takes the mean of the slopes at both ends of an Euler
// step. The distance from the end of the Euler step is the error estimate. Its extension inside steps is a quadratic of
// order 2.
//
// K. Heun, "Neue Methoden zur approximativen Integration der Differentialgleichungen einer unabhängigen
// Veränderlichen", Zeitschrift für Mathematik und Physik 45 (1900) 23-38.
var Heun = (*Method)(rk.Heun)

// Bosh3 is the method of order 3(2) with 4 stages, first same as last, and a cubic Hermite extension of order 3.
//
// P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", Applied Mathematics Letters 2 (1989) 321-325.
var Bosh3 = (*Method)(rk.Bosh3)

// RK4 is the classical method of order 4 with 4 stages. Its extension inside steps is a cubic Hermite polynomial of
// order 3, which uses the slope at the end of the step, where the next step starts. It has no error estimate.
//
// W. Kutta, "Beitrag zur näherungsweisen Integration totaler Differentialgleichungen", Zeitschrift für Mathematik und
// Physik 46 (1901) 435-453.
var RK4 = (*Method)(rk.RK4)

// Dopri5 is the method of order 5(4) with 7 stages, first same as last, and a continuous extension of order 4.
//
// J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", Journal of Computational and Applied
// Mathematics 6 (1980) 19-26. The extension comes from L. F. Shampine, "Some practical Runge-Kutta formulas",
// Mathematics of Computation 46 (1986) 135-150, with the coefficients of the program DOPRI5 of E. Hairer, S. P.
// Nørsett, G. Wanner, Solving Ordinary Differential Equations I (1993), II.6: the cubic of Hermite plus θ²(1-θ)² Σ d_i
// k_i.
var Dopri5 = (*Method)(rk.Dopri5)

// Tsit5 is the method of order 5(4) with 7 stages, first same as last, and a continuous extension of order 4.
//
// Ch. Tsitouras, "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption", Computers
// and Mathematics with Applications 62 (2011) 770-775. Coefficients with the digits of the author's tables.
var Tsit5 = (*Method)(rk.Tsit5)

// Methods returns the methods of this package, in the order of the table at [Method].
func Methods() []*Method { return []*Method{Euler, Midpoint, Heun, Bosh3, RK4, Dopri5, Tsit5} }

// MethodNamed returns the method of this package with a name. For an unknown name the error wraps [ErrInput].
func MethodNamed(name string) (*Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, errs.New(ErrInput, "pengcde/ode: no method %q, %s", name, nearest.Want(name, names))
}
