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
// The initial state is an image of N x N pixels, N = ceil(sqrt n), zero except in three rectangles that do not overlap,
// of floor(0.2 N) x floor(0.2 N), floor(0.3 N) x floor(0.3 N) and floor(0.2 N) x floor(0.3 N) pixels, each with its own
// amplitude; node i is pixel i, row by row. Observations 0..q-1 are divided at random, in the same way for all
// trajectories, into round(0.2 q) for interpolation and the others, including 0, for training; observations from q on
// are extrapolation.
//
// Start with [Generate], or with [Cache.Generate] to keep generated sets in files. Training, validation and test are
// three sets with different seeds, in the published experiments s, s+500 and s+1500 with s = 1234. Your own dynamics
// are a [Task] with one Go function, see [dynamics.Rate].
//
// The task [Contact] is not published: the change of the graph itself moves the states, unlike in the published
// dynamics. States observed at an event have moved.
//
// Two defects of the published data can be repeated: with [Config.AsPublished] states do not change between an event
// and the observation before it; with asPublished in [Set.TrainingIndex] training uses the wrong observations for
// events.
//
// Time and memory grow with the number of edges. For large n choose Config.EventProbability proportional to 1/n: a
// trajectory of heat on a grid of 100,000 nodes then takes half a minute and keeps 240 MB.
//
// Reference: C. Zang, F. Wang, Neural Dynamics on Complex Networks, KDD 2020, from which the published experiments take
// grid, rectangles and times. Limits: all states and weights are in memory, 8 T n + 104 edges bytes per trajectory;
// draws have the published distributions, not the published random numbers.
//
// # Epidemics to be told apart
//
// [GenerateClasses] makes trajectories of several tasks, and [ClassSet.Windows] labelled series of them. The published
// classes are two epidemics ([SIRClasses]), 50 of each for training, for validation and for test, on a grid of 100
// nodes that changes as above: n = 20, 40, ..., 200 observations ([Config.Observations]), or 20 with Gamma(k)
// increments ([Config.Shape]). They are the epidemics of figure 3 in: Permutation Equivariant Neural Controlled
// Differential Equations for Dynamic Graph Representation Learning, NeurIPS 2025. Its generator passes neither rate to
// the dynamics and has one channel, so its data cannot be reproduced. Unpublished settings are chosen as follows.
//
//   - Start: the image is I, its amplitudes from 0.5 to 1; S = 1 - I and R = 0.
//   - Interval: [0, 1], which is Config.Horizon 1. Exactly n times, where the published code draws 1.2 n: of a pool of
//     10 n points, the first overwritten by 0; or n-1 increments, scaled so that the last time is 1.
//   - Shapes: k = 3, 5, 10, 25, 50, 100, as printed; the printed list may lack a value after 25.
//   - Labels: 0 for gamma 0.7 and 1 for gamma 0.3, of the graph as a whole at its last observation.
//   - Events: the number above, drawn for each trajectory. States do not freeze before them.
//   - Noise ([ClassSet.Noisy]): in no published experiment.
//
// Two facts help to judge models. The largest eigenvalue of the grid's A is about 7.5, and beta times 7.5 is 1.9, above
// gamma 0.7: the class that is said to die out also grows at first, and on [0, 1] hardly ever stops. And as R' = gamma
// I, the change of R over the integral of I gives gamma ([RemovedRatio]). A threshold of 0.5 on it separates the
// classes without learning, as long as noise is small.
package synthetic
