package ode

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// switchedOscillator is an oscillator whose field jumps at given times: q' = w p and p' = w (r - q), with rest
// positions r and frequencies w that change there. Its state is [batch, 2], q and p; it has no parameters.
type switchedOscillator struct {
	// Start is the state at time 0.
	Start [2]float64
	// At are the times of the jumps, increasing. Rest and Frequency have one entry more, the first for the time before
	// At[0].
	At, Rest, Frequency []float64
	// Left makes the field left-continuous at jumps, else it is right-continuous.
	Left bool
}

// squareWave is an oscillator pushed by a square wave of the period 2·half until a time.
func squareWave(half, until float64, left bool) switchedOscillator {
	s := switchedOscillator{Start: [2]float64{0.3, -0.2}, Rest: []float64{1}, Frequency: []float64{1}, Left: left}
	for k := 1; float64(k)*half < until; k++ {
		s.At = append(s.At, float64(k)*half)
		s.Rest, s.Frequency = append(s.Rest, -s.Rest[k-1]), append(s.Frequency, 1)
	}
	return s
}

// pulses is nearly constant except for n pulses of a fast oscillation, so that the length of a step before a jump is no
// guide to the length needed after it.
func pulses(gap, width float64, n int) switchedOscillator {
	const quiet, fast = 1e-3, 40
	s := switchedOscillator{Start: [2]float64{0.3, -0.2}, Rest: []float64{0}, Frequency: []float64{quiet}}
	for k := 1; k <= n; k++ {
		s.At = append(s.At, float64(k)*gap, float64(k)*gap+width)
		s.Rest, s.Frequency = append(s.Rest, 0, 0), append(s.Frequency, fast, quiet)
	}
	return s
}

// Field builds dz/dt [batch, 2] from t [batch] float64 and z. It is an ode.Field.
func (s switchedOscillator) Field(t, z *Node, _ []*Node) *Node {
	rest, frequency := s.value(t, s.Rest), s.value(t, s.Frequency)
	q, p := Slice(z, AxisRange(), AxisRange(0, 1)), Slice(z, AxisRange(), AxisRange(1, 2))
	return Concatenate([]*Node{Mul(frequency, p), Mul(frequency, Sub(rest, q))}, 1)
}

// value is the entry of a list in force at t, [batch, 1].
func (s switchedOscillator) value(t *Node, list []float64) *Node {
	value := MulScalar(OnesLike(t), list[0])
	for i, at := range s.At {
		border := Scalar(t.Graph(), t.DType(), at)
		later := GreaterOrEqual(t, border)
		if s.Left {
			later = GreaterThan(t, border)
		}
		value = Where(later, MulScalar(OnesLike(t), list[i+1]), value)
	}
	return ExpandAxes(value, -1)
}

// Flow is the state at time t of the solution that is z at time s0.
func (s switchedOscillator) Flow(s0, t float64, z []float64) []float64 {
	q, p := z[0], z[1]
	turn := func(by float64, i int) {
		r := s.Rest[i]
		sin, cos := math.Sincos(s.Frequency[i] * by)
		q, p = r+(q-r)*cos+p*sin, p*cos-(q-r)*sin
	}
	if s0 <= t {
		for i := range s.Rest {
			from, to := s.bounds(i)
			if from, to = math.Max(from, s0), math.Min(to, t); from < to {
				turn(to-from, i)
			}
		}
		return []float64{q, p}
	}
	for i := len(s.Rest) - 1; i >= 0; i-- {
		from, to := s.bounds(i)
		if from, to = math.Max(from, t), math.Min(to, s0); from < to {
			turn(from-to, i)
		}
	}
	return []float64{q, p}
}

// bounds returns the start and the end of the time in which the i-th entries are in force.
func (s switchedOscillator) bounds(i int) (from, to float64) {
	from, to = math.Inf(-1), math.Inf(1)
	if i > 0 {
		from = s.At[i-1]
	}
	if i < len(s.At) {
		to = s.At[i]
	}
	return from, to
}
