// Package bench races the library against a peer: the same models on the same data with the same steps, written in JAX
// with diffrax as its documentation recommends, on dense control matrices (folder peer; "make peer" sets it up).
//
// The task is heat on four grids that change, a [Setting]. A [Race] alternates training epochs of the two, each in a
// process of its own, or times this library alone; [MeasureTogether] times seeds that train in one program. The
// measurements are rows of a [File], bench/latest.json, with machine, versions and commit; "make bench" and the
// notebook runtime show its tables and figures. Numbers of nodes are rounded up to a square: grids of 128 nodes have
// 144, of 512 have 529.
//
// Start with "go run ./bench/race"; "go run ./bench/check" prints how far losses and gradients of the two differ
// ([Check]), which is what makes a race fair.
//
// What the peer does differently, without effect on results; the first three favour it:
//
//   - its control path has no time channel, which the published code stores beside each entry: half the memory
//   - its times are float32 where its states are, the library's times float64
//   - it takes the steps that the library accepted, and tries none that the library rejects on its way to them
//   - its limit of memory is one of address space, so that it fails somewhat before as much is resident; rows report
//     the resident memory of both
package bench
