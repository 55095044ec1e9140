// Package field holds the vector fields of controlled differential equations on graphs, each in the file of its name:
//
//	dZ/dt = F(Z, A(t), A'(t)) dX/dt
//
// for node states Z [batch, n, hidden], a path of graphs A(t) and, where a field takes it, a path of node features X(t).
// [Control] holds both paths while a graph is built; [NewControl] makes its tensors from observed samples.
//
// A field becomes what package ode solves by
//
//	func(t, z *graph.Node, args []*graph.Node) *graph.Node {
//		params := f.Params()
//		return f.Derivative(nn.Bind(params, args), field.Bind(args[len(params):]), t, z)
//	}
//
// with args the parameters, then the control's tensors.
package field
