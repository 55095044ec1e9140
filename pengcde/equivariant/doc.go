// Package equivariant holds the linear maps of n x n matrices that commute with relabelling the nodes, and applies
// weighted sums of them to node states without forming the matrix.
//
// A layer of a permutation equivariant field mixes the adjacency A(t) and its derivative A'(t) into a message matrix
//
//	M = Σ_k (w_k φ_k(A) + w'_k φ_k(A')),  with 1 added to the weights of the identity map,
//
// where φ_1 .. φ_15 span the linear maps with P φ(A) P^T = φ(P A P^T) for every permutation P ([Map]). Every φ_k(A) Z
// is one of A Z, A^T Z, a diagonal times Z, or a matrix of rank one times Z. M Z therefore costs O(edges·d + n·d) for
// states Z of width d, and the n x n matrix M is never formed.
//
// Start with [Layer], the building block of vector fields. [Fusion] is only the action M Z. [Convolution] is the layer
// for any other message matrix, such as a [Matrix]. The statistics of A that the maps need are linear in A. They are
// computed once for each snapshot ([Product.Snapshots]) and interpolated together with its entries. If every snapshot
// is symmetric, both directions of an edge are stored once, and A Z and A^T Z are one product with one set of mixed
// weights, forward and backward.
//
// A [Modulation] breaks the equivariance on purpose: the entries of A then depend on the [Identities] of their source
// and target.
//
// References: H. Maron, H. Ben-Hamu, N. Shamir, Y. Lipman, Invariant and Equivariant Graph Networks, ICLR 2019, on the
// 15 maps; Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation Learning,
// NeurIPS 2025, on their use with A and A' (the list there names one map twice and misses "row sums on rows").
package equivariant
