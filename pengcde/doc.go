// Package pengcde trains permutation equivariant neural graph controlled differential equations on graphs that change
// in time.
//
// A hidden state Z(t), one row for each node, follows
//
//	dZ/dt = f(Z, A(t), A'(t)) dX/dt,  Z(0) = encoder(x(0)),  y(t) = readout(Z(t))
//
// where A(t) is the interpolated adjacency path and X(t) the path of time and node features, or time alone. The vector
// field f mixes A and A' with the linear maps that commute with relabelling the nodes, so the model does not depend on
// how nodes are numbered.
//
// Start with [Recommended] and [New], then [Model.Fit], [Model.Predict] and [Model.Save]. The packages below do the
// work and can be used separately: pengcde/ode solves and differentiates, pengcde/path interpolates,
// pengcde/equivariant holds the maps, pengcde/field the vector fields, pengcde/train the training loop. Config.Field
// takes any [field.Field], including your own. Config.Network takes a [sequence.Network] instead, which processes the
// observations in discrete steps, such as the networks of package rivals. Training, forecasts and files are the same
// for both.
//
// # Several seeds
//
// [FitSeeds] trains several seeds of one configuration in one program, for a GPU that one small batch leaves mostly
// idle. docs/performance.md says what that costs and where its code is.
//
// # Large controls
//
// States grow to the order of the sums of the control's entries at a node, about 1e5 for weights that count people with
// [dyngraph.Raw]. The solver's error grows with them. Rounding, or another order of the nodes, then changes forecasts
// by as much as that error. Normalise the weights, or set tolerances so tight that this error does not matter. A model
// with such a control writes one warning to Config.Notices.
//
// # Tolerances
//
// The zero Config has the published field. This field has A' in each layer, and each layer divides its input rows by
// their root mean square. Rows after a ReLU may almost vanish, and there the field is far steeper in a thin layer of
// states. The default tolerances of Config.Adaptive, the published ones, step over this layer: the states may then be
// wrong, and the gradient explodes, to NaN in float32. [Recommended] sets a field without such layers.
//
// The symptom is a GradientNorm in the training report that jumps by orders of magnitude. Clipping hides it from the
// loss, but the clipped gradient still points in a meaningless direction. To keep the published field, try RTol 1e-6,
// and less for larger graphs: the error norm is a mean over nodes, so the error allowed at one node grows with the
// square root of Nodes × Hidden. Or try Max 0.01 in the field's time unit, about the step at which Tsit5 becomes stable
// in such a layer; trained weights may need a smaller one.
//
// [train.Guard], which [train.Recommended] sets, lets a training survive occasional gradients of this kind: it solves
// the batch again with smaller tolerances, and skips it if that does not help. [Model.Stiffness] tells how close a
// solve came to its stability limit, and [train.Report.Unresolved] marks a training whose gradients were not resolved.
//
// docs/tolerances.md has the measurements, and advises which setting to choose when.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025.
package pengcde
