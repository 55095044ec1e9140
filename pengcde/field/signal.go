package field

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/pengcde/equivariant"
)

// signal is the control of a batch at one time.
type signal struct {
	// a and da are A and A'; da is nil for a graph that is constant between events.
	a, da *equivariant.Matrix
	// dx [batch, n, p] is dX/dt of the features; nil if there are none.
	dx *Node
	// rate [batch] float64 is the derivative of the time channel; nil if it is 1.
	rate *Node
	// present [batch, n, 1] is 1 for present nodes, else 0; nil if all are present.
	present *Node
}

// speed returns the rate, or 1, in the type of x [batch, ...] and a shape that broadcasts to it.
func (s signal) speed(x *Node) *Node {
	if s.rate == nil {
		return ScalarOne(x.Graph(), x.DType())
	}
	rate := ConvertDType(s.rate, x.DType())
	for rate.Rank() < x.Rank() {
		rate = ExpandAxes(rate, -1)
	}
	return rate
}

// timed returns A times the rate of the time channel.
func (s signal) timed() *equivariant.Matrix {
	if s.rate == nil {
		return s.a
	}
	return s.a.With(Mul(s.a.Rows, s.speed(s.a.Rows)))
}

// perChannel returns the signal with A' per unit of the time channel, if wanted, instead of per unit of time.
func (s signal) perChannel(wanted bool) signal {
	if wanted && s.rate != nil {
		s.da = s.da.With(Div(s.da.Rows, s.speed(s.da.Rows)))
	}
	return s
}

// contract returns dZ/dt: the output f of a field's layers times the derivative of the control. Without features the
// control is the time channel, and f is [batch, n, hidden]. With p features f is [batch, n, hidden·p·2], feature and
// channel fastest, and
//
//	dz_um/dt = Σ_l (f_uml0 dτ/dt + f_uml1 dx_ul/dt)
//
// where the time channel τ is paired with every feature, as in the published code.
func (s signal) contract(f *Node) *Node {
	if s.dx == nil {
		if s.rate == nil {
			return f
		}
		return Mul(f, s.speed(f))
	}
	time := Mul(OnesLike(s.dx), s.speed(s.dx))
	channels := Stack([]*Node{time, s.dx}, -1) // [batch, n, p, 2]
	nodes, width := s.dx.Shape().Dim(1), 2*s.dx.Shape().Dim(2)
	drive, out := Reshape(channels, -1, nodes, width), Reshape(f, -1, nodes, f.Shape().Dim(-1)/width, width)
	return DotGeneral(out, []int{3}, []int{0, 1}, drive, []int{2}, []int{0, 1})
}
