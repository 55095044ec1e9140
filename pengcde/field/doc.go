// Package field implements vector fields of controlled differential equations on graphs, each in the file of its name:
//
//	dZ/dt = F(Z, A(t), A'(t)) dX/dt
//
// for node states Z [batch, n, hidden], a path of graphs A(t) and, if a field uses it, a path of node features X(t).
// The fields differ in the message matrix M of their layers, or M_k if each layer has its own:
//
//   - [PENG]: M_k, a learned sum of the 15 maps of A and A'
//   - [Original]: M = A + A'
//   - [Adjacency]: M = A
//   - [PreMult]: M_k = W_1k A + W_2k A'
//   - [GNODE]: M = the most recent snapshot
//   - [Constant]: no graph, dZ/dt = b
//
// A_ij is the weight of the edge i -> j, so node i of A Z has the states of the nodes that its edges lead to. PENG also
// has the transpose of A among its maps, so both ends of an edge hear. Adjacency, Original and GNODE have A alone:
// exchange the sources and destinations of edges where messages should go along them.
//
// All fields except PreMult commute with relabelling the nodes, as long as PENG and Original have no
// [equivariant.Identities]. Under a change of clock t = φ(s) the solution is unchanged for fields that do not use A',
// for fields that are affine in A' ([LastLayer]), and for fields with the option PerChannel, which measures A' per unit
// of the time channel instead of the solver's time. The two units differ if [Sample] has a Clock.
//
// [Control] holds both paths while a graph is built; [NewControl] makes its tensors from observed samples.
//
// Start with [PENG]. [Equation] converts a field to the form that package ode solves; its args are the parameters, then
// the control's tensors.
package field
