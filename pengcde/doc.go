// Package pengcde trains permutation equivariant neural graph controlled differential equations on graphs that change
// in time.
//
// A hidden state Z(t), one row for each node, follows
//
//	dZ/dt = f(Z, A(t), A'(t)) dX/dt,  Z(0) = encoder(x(0)),  y(t) = readout(Z(t))
//
// driven by the interpolated adjacency path A(t) and the node-feature path X(t). f mixes A and A' with the linear maps
// that commute with relabelling the nodes, so the model does not depend on how nodes are numbered.
//
// Start with [New], then [Model.Fit], [Model.Predict] and [Model.Save]. The rooms below do the work and can be used on
// their own: pengcde/ode solves and differentiates, pengcde/path interpolates, pengcde/equivariant holds the maps,
// pengcde/field the vector fields, pengcde/train the loop.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025.
package pengcde
