// Package graphs draws the graphs of the synthetic experiments and lets them change: five families, an order of the
// nodes by communities, and events that drop and add edges. A graph is a [dyngraph.Pattern] whose edges all have weight
// 1, undirected edges as both of their directions; no n × n array is made, so that 100,000 nodes fit.
//
//	Community   planted partition     probability 0.25 inside four blocks, 0.01 between them
//	Grid        8-neighbour lattice   side ceil(sqrt n), so at least n nodes
//	PowerLaw    Barabási-Albert       5 edges for each new node
//	SmallWorld  Newman-Watts          2 neighbours on each side, a shortcut for half of the ring's edges
//	Random      Erdős-Rényi           probability 0.1
//
// The zero value of a family has the published constants above; if any field is set, all are used as given. Draws have
// the distribution of networkx's generators, not their stream of random numbers.
//
// Start with [Draw], then [Events] for the snapshots:
//
//	rng := rand.New(rand.NewPCG(seed, 0))
//	graph, err := graphs.Draw(graphs.PowerLaw{}, 400, rng)                // n nodes, ordered by communities
//	at, err := graphs.Schedule{}.Draw(120, rng)                           // indices of the 12 events among 120 times
//	pattern, snapshots, err := graphs.Events{}.Apply(graph, len(at), rng) // snapshots [13][edges]
//	index := graphs.InForce(at, 120)                                      // which snapshot holds at each time
//
// Time and memory of draws and events are O(n + edges); in practice finding communities takes little more. Community,
// Random and the edges that Events add grow as n²: for large n set probabilities proportional to 1/n. Graphs with more
// than 2^28 entries are refused.
//
// Decisions use only integers and single, exactly rounded operations on float64, so a generator in the same state gives
// the same graph on every machine; tests hold one checksum for each family.
//
// References: the papers named at each family; A. Hagberg, D. Schult, P. Swart, Exploring network structure, dynamics,
// and function using NetworkX, SciPy 2008; V. Batagelj, U. Brandes, Efficient generation of large random networks,
// Physical Review E 71, 036113, 2005, for skipping over absent edges.
package graphs
