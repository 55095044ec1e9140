// Package field holds the vector fields of controlled differential equations on graphs, each in the file of its name:
//
//	dZ/dt = F(Z, A(t), A'(t)) dX/dt
//
// for node states Z [batch, n, hidden], a path of graphs A(t) and, where a field takes it, a path of node features
// X(t). The fields differ in the message matrix M of their layers, M_k where each layer has its own:
//
//   - [PENG]: M_k, a learned sum of the 15 maps of A and A'
//   - [Original]: M = A + A'
//   - [Adjacency]: M = A
//   - [PreMult]: M_k = W_1k A + W_2k A'
//   - [GNODE]: M = the most recent snapshot
//   - [Constant]: no graph, dZ/dt = b
//
// All but PreMult commute with relabelling the nodes, as long as PENG and Original have no [equivariant.Identities].
// Under a change of clock t = φ(s) the solution is the same for those that take no A', and for those that do with their
// option PerChannel: A' per unit of the time channel in place of per unit of the solver's time. The two differ where
// [Sample] has a Clock.
//
// [Control] holds both paths while a graph is built; [NewControl] makes its tensors from observed samples.
//
// Start with [PENG]. [Equation] makes of a field what package ode solves, with args the parameters, then the control's
// tensors.
package field
