// Package synthetic generates the data sets of the synthetic experiments: node dynamics on graphs that change at random
// events, observed at irregular times.
//
// A [Set] is a few trajectories (4). With n nodes (400), q ticks (100) and T = floor(1.2 q) observations, each has
//
//	Times      [T]          of a pool of 10 q equispaced points on [0, 5], no two alike, sorted, the first 0
//	Snapshots  [13][edges]  of a graph of the family, and after each of 12 events, on the union pattern of all
//	Events     [12]         10 indices drawn from 2..floor(0.8 T)-1, 2 from there to T-1; one draw for the whole set
//	Values     [T][n]       of the dynamics from the initial state on, with the snapshot in force
//
// The initial state is an image of N x N pixels, N = ceil(sqrt n), zero but for three rectangles that do not overlap,
// of floor(0.2 N) x floor(0.2 N), floor(0.3 N) x floor(0.3 N) and floor(0.2 N) x floor(0.3 N) pixels, each with an
// amplitude of its own; node i is pixel i, row by row. Observations 0..q-1 are divided at random, for all trajectories
// alike, into round(0.2 q) for interpolation and the others, with 0, for training; those from q on are extrapolation.
//
// Start with [Generate], or [Cache.Generate] to keep what was generated in files. Training, validation and test are
// three sets with seeds of their own, in the published experiments s, s+500 and s+1500 with s = 1234. Dynamics of one's
// own are a [Task] with one Go function, see [dynamics.Rate].
//
// One task is ours, [Contact]: the change of the graph itself moves the states, which the published dynamics do not
// know. States observed at an event have moved.
//
// Two defects of the published data can be repeated: with [Config.AsPublished] states do not change
// between an event and the observation before it; with asPublished in [Set.TrainingIndex] training places events on the
// wrong observations.
//
// Time and memory grow with the edges. For large n let Config.EventProbability fall as 1/n: a trajectory of heat on a
// grid of 100,000 nodes then takes half a minute and keeps 240 MB.
//
// Reference: C. Zang, F. Wang, Neural Dynamics on Complex Networks, KDD 2020, from which the published experiments take
// grid, rectangles and times. Limits: states and weights are kept whole, 8 T n + 104 edges bytes a trajectory; draws
// have the published distributions, not the published random numbers.
//
// # Epidemics to be told apart
//
// [GenerateClasses] makes trajectories of several tasks, and [ClassSet.Windows] labelled series of them. The published
// ones are two epidemics ([SIRClasses]), 50 of each for training, for validation and for test, on a grid of 100 nodes
// that changes as above: n = 20, 40, ..., 200 observations ([Config.Observations]), or 20 that are Gamma(k) increments
// apart ([Config.Shape]). They are the epidemics of figure 3 in: Permutation Equivariant Neural Controlled Differential
// Equations for Dynamic Graph Representation Learning, NeurIPS 2025. Its generator hands neither rate to the dynamics
// and has one channel, so its data cannot be repeated. What was not published is chosen as follows.
//
//   - Start: the image is I, its amplitudes from 0.5 to 1; S = 1 - I and R = 0.
//   - Interval: [0, 1], which is Config.Horizon 1. Exactly n times, where the published code draws 1.2 n: of a pool of
//     10 n points, the first overwritten by 0; or n-1 increments, scaled so that the last time is 1.
//   - Shapes: k = 3, 5, 10, 25, 50, 100, as the print has them, which may lack one after 25.
//   - Labels: 0 for gamma 0.7 and 1 for gamma 0.3, of the graph as a whole at its last observation.
//   - Events: the number above, drawn for each trajectory. States do not freeze before them.
//   - Noise ([ClassSet.Noisy]): in no published experiment.
//
// Two facts should stand beside what models achieve. The largest eigenvalue of the grid's A is about 7.5, so beta times
// it is 1.9, above gamma 0.7: the class that is said to die out grows at first, too, and on [0, 1] hardly ever stops.
// And as R' = gamma I, the change of R over the integral of I gives gamma ([RemovedRatio]); whether that is
// above 0.5 tells the classes without learning, while noise is small.
package synthetic
