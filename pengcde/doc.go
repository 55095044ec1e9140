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
// Start with [New], then [Model.Fit], [Model.Predict] and [Model.Save]. The packages below do the work and can be used
// on their own: pengcde/ode solves and differentiates, pengcde/path interpolates, pengcde/equivariant holds the maps,
// pengcde/field the vector fields, pengcde/train the loop. Config.Field takes any [field.Field], also one of your own.
// Config.Network takes a [sequence.Network] in its place: one that goes through the observations in discrete steps,
// such as the networks of package rivals, with the same training, forecasts and files.
//
// # Several seeds
//
// [FitSeeds] trains the seeds of one configuration in one program. It is for devices that a step of one small batch
// leaves mostly idle, and compiles once for all. A CPU gains little but the latter: samples step side by side, so that
// a batch takes as many steps as its slowest sample.
//
// # Large controls
//
// States grow to the order of the sums of the control's entries at a node, some 1e5 for weights that count people with
// [dyngraph.Raw], and the solver's error grows with them: rounding, or another order of the nodes, then changes
// forecasts by as much as that error. Normalise, or take tolerances so tight that it does not matter. A model with such
// a control says so once, on Config.Notices.
//
// # Tolerances
//
// The published field, which the zero Config has, has A' in each layer, and each layer divides the rows that it
// takes by their root mean square. Those behind a ReLU may all but vanish: there the field is far steeper in a thin
// layer. The default tolerances of Config.Adaptive, the published ones, step over it: the states may then be wrong,
// and the gradient explodes, to NaN in float32. [Recommended] sets a field without such layers.
//
// The sign is a GradientNorm in the report of a training that jumps by orders of magnitude: clipping hides it from
// the loss, but leaves a direction that means nothing. To keep the published field try RTol 1e-6, and less for
// larger graphs: the error norm is a mean over nodes, so what one node may err grows with the square root of Nodes ×
// Hidden. Or try Max 0.01, about where Tsit5 becomes stable in such a layer, in the field's time unit; trained
// weights may ask for less.
//
// [train.Guard], which [train.Recommended] sets, keeps a training alive that meets such gradients now and then: it
// solves the batch again with smaller tolerances, and skips it where that does not help. [Model.Stiffness] says how
// near to its limit a solve came, and [train.Report.Unresolved] marks a training whose gradients were not resolved.
//
// What was measured is in docs/tolerances.md, which also says when to choose what.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025.
package pengcde
