package ode

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/peng-cde/pengcde-go/xla"
)

// fitter is implemented by [Steps] that can fit their first step to the field.
type fitter interface {
	// FitOrder returns the Method.ErrorOrder, or 0 if the first step is not fitted.
	FitOrder() float64
	// Begin sets the length of the first step.
	Begin(h float64)
}

// fitFirstSteps fits the first step of each sample whose control asks for it, by E. Hairer, S. P. Nørsett, G. Wanner,
// Solving Ordinary Differential Equations I (1993), II.4, "Starting step size". It uses the root mean square norm,
// scaled by the tolerances, of z0, f0 = f(t0, z0) and f1 = f(t0 + h0, z0 + h0 f0):
//
//	h0 = 0.01 |z0| / |f0|             1e-6 when either norm is below 1e-5
//	m  = max(|f0|, |f1 - f0| / h0)
//	h1 = (0.01 / m)^(1/k)             max(1e-6, h0/1000) when m <= 1e-15
//	h  = min(100 h0, h1)
func (m *integration) fitFirstSteps() error {
	fits := make([]fitter, len(m.samples))
	wanted := false
	for b := range m.samples {
		if f, ok := m.samples[b].steps.(fitter); ok && m.samples[b].active() && f.FitOrder() > 0 {
			fits[b], wanted = f, true
		}
	}
	if !wanted {
		return nil
	}
	s := m.solver
	d0, d1, err := m.norms(m.slope)
	if err != nil {
		return err
	}
	at, h0 := m.spans().t, make([]float64, len(fits)) // at and signed h0 of the probing step; 0 for other samples
	for b, sm := range m.samples {
		if fits[b] == nil {
			continue
		}
		h := 0.01 * d0[b] / d1[b]
		if !(d0[b] >= 1e-5) || !(d1[b] >= 1e-5) || !(h > 0) {
			h = 1e-6
		}
		at[b] = sm.t + direction(sm.t, sm.t1)*math.Min(h, math.Abs(sm.t1-sm.t))
		h0[b] = at[b] - sm.t
		if h0[b] == 0 {
			at[b] = math.Nextafter(sm.t, sm.t1)
			h0[b] = at[b] - sm.t
		}
	}
	probe, err := s.probe.Call(h0, m.z, m.slope)
	if err != nil {
		return err
	}
	defer xla.Free(probe...)
	ahead, err := call(s.first, m.args, at, make([]float64, len(at)), probe[0])
	if err != nil {
		return err
	}
	defer xla.Free(ahead...)
	difference, err := s.probe.Call(slices.Repeat([]float64{-1}, len(fits)), ahead[0], m.slope)
	if err != nil {
		return err
	}
	defer xla.Free(difference...)
	_, d2, err := m.norms(difference[0])
	if err != nil {
		return err
	}
	for b := range m.samples {
		sm := &m.samples[b]
		if fits[b] == nil {
			continue
		}
		sm.stats.Evaluations++
		fits[b].Begin(math.Min(firstStep(math.Abs(h0[b]), d1[b], d2[b], fits[b].FitOrder()), math.Abs(sm.t1-sm.t)))
	}
	return nil
}

// firstStep returns h of the rule above, from the norms of f0 and of f1 - f0. It returns h0 if f1 is not finite.
func firstStep(h0, d1, d2, order float64) float64 {
	m := math.Max(d1, d2/h0)
	h1 := math.Pow(0.01/m, 1/order)
	switch {
	case !finite(m):
		h1 = h0
	case m <= 1e-15:
		h1 = math.Max(1e-6, h0*1e-3)
	}
	return math.Min(100*h0, h1)
}

// norms returns for each sample the norms of its state z and of x, scaled by the tolerances at z.
func (m *integration) norms(x *tensors.Tensor) (ofZ, ofX []float64, err error) {
	out, err := m.solver.scaled.Call(m.z, x, m.tolerances[0], m.tolerances[1])
	if err != nil {
		return nil, nil, err
	}
	defer xla.Free(out...)
	return tensors.MustCopyFlatData[float64](out[0]), tensors.MustCopyFlatData[float64](out[1]), nil
}

// buildScaled builds the norms of z and x: (z, x, rtol, atol) -> two norms [batch] float64.
func buildScaled(in []*Node) []*Node {
	rtol, atol := in[2], in[3]
	z, x := ConvertDType(in[0], rtol.DType()), ConvertDType(in[1], rtol.DType())
	scale := Add(leading(atol, z), Mul(leading(rtol, z), Abs(z)))
	axes := withinSample(z)
	norm := func(x *Node) *Node { return Sqrt(ReduceMean(Square(Div(x, scale)), axes...)) }
	return []*Node{norm(z), norm(x)}
}

// buildProbe builds z + h k: (h [batch], z, k) -> [batch, ...].
func buildProbe(in []*Node) []*Node { return []*Node{Add(in[1], Mul(leading(in[0], in[1]), in[2]))} }
