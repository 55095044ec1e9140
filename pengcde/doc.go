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
// # Several seeds
//
// [FitSeeds] trains the seeds of one configuration in one program: S models' parameters get a leading axis [S, ...], their
// batches become one of S·B samples, and each run still has steps, early stopping and a checkpoint of its own. It is for devices
// that a step of one small batch leaves mostly idle, and compiles once for all. A CPU gains little but the latter: samples
// step side by side, so that a batch takes as many steps as its slowest sample. On two cores, with 4 graphs a seed, a seed's
// epoch took 0.77 s alone, 0.70 among 4 and 0.68 among 10 on 100 nodes, and 2.8, 3.9 and 4.5 s on 400; compiling took 9 s
// for one, 14 and 11 s for 4 and 10 (make bench-seeds).
//
// # Large controls
//
// States grow to the order of the sums of the control's entries at a node, some 1e5 for weights that count people with
// [dyngraph.Raw], and the solver's error grows with them. Adaptive steps are chosen by an estimate of that error, which
// rounding changes: so another order of the nodes, or features changed by 1e-15 of themselves, changes forecasts by as
// much as such errors come to. By the same steps only rounding is left; nothing depends on the order. On 52 regions
// with weights up to 1e5, 4 inputs, float64, the largest of three seeds:
//
//	field, control, RTol        forecasts   other order   by the same steps   features (1 + 1e-15)   error
//	PENG, raw, 1e-3               2e5          4e2             1e-9                 1.5e3             5e2
//	PENG, raw, 1e-6               2e5          4               8e-10                5                 19
//	PENG, log, 1e-3               85           7e-9            1e-13                1e-8              0.1
//	PENG, normalised, 1e-3        2            2e-8            6e-15                6e-8              0.02
//	Original, raw, 1e-3           1e5          1e2             7e-10                5e2               2e3
//	Original, raw, 1e-6           1e5         11               2e-10                2                 6
//
// A model with such a control says so once, on Config.Notices.
//
// # Tolerances
//
// Each layer divides the rows that it takes by their root mean square, and those behind a ReLU may all but vanish: there the
// field is up to 316 times steeper (1/sqrt(1e-5), the published constant of the norm) within a layer some 0.003 wide. The
// default tolerances of Config.Adaptive, the published ones, step over it: the states may then be wrong, and the gradient
// explodes, to NaN in float32. So it was for a PENG-CDE with drawn parameters, Hidden 8 and GraphOnly, on one
// trajectory of a small world of 64 nodes with states up to 6.7 (float64, ATol = RTol/1000, errors against RTol 1e-7):
//
//	RTol             steps accepted, rejected   largest error of a state   norm of the gradient
//	1e-3                  132   71                      7.1                      1e14
//	1e-4                  264  160                      0.10                     1e9
//	3e-5                  338  169                      0.08                     7e10
//	1e-5                  395  200                      0.07                     40
//	1e-6                  593  356                      0.01                     61
//	1e-7                  973  775                                               61
//	1e-3, Max 0.01        483    3                      0.06                     66
//
// Constant steps do no better: 2.8e36 at Step 0.03, 1.5e4 at 0.01. In the solve at 1e-3 nearly all of the gradient's growth
// was in the rows of 4 nodes, one at a time; there steps times the largest eigenvalue of the field came to 10, where
// [ode.Tsit5] is stable to 3.3, and a step multiplied the gradient by up to 82 where the exact solution shrinks it.
//
// The sign is a GradientNorm in the report of a training that jumps by orders of magnitude: clipping hides it from the loss,
// but leaves a direction that means nothing. Try RTol 1e-6, and less for larger graphs: the error norm is a mean over nodes, so
// what one node may err grows with the square root of Nodes × Hidden. Or try Max 0.01, about where Tsit5 becomes stable in
// such a layer; the time unit is that of the field, and trained weights may ask for less.
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025.
package pengcde
