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
package synthetic
