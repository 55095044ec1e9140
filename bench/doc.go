// Package bench races the library against a peer: the same models on the same data with the same steps. The peer is
// written in JAX with diffrax, as its documentation recommends, on dense control matrices (folder peer; "make peer"
// sets it up).
//
// The task is heat on four changing grids, see [Setting]. A [Race] alternates training epochs of the two, each in its
// own process, or times only this library. [MeasureTogether] times seeds that train in one program. The measurements
// are rows of a [File], bench/latest.json, with machine, versions and commit; "make bench" and the notebook runtime
// show its tables and figures. Numbers of nodes are rounded up to a square: grids of 128 nodes have 144, of 512
// have 529.
//
// Start with "go run ./bench/race". "go run ./bench/check" prints how far losses and gradients of the two differ
// ([Check]), which shows that the race is fair.
//
// The peer differs in these points, without effect on results; the first three favour it:
//
//   - its control path has no time channel, which the published code stores next to each entry: half the memory
//   - its times are float32 if its states are, the library's times are float64
//   - it takes the steps that the library accepted, and does not try the steps that the library rejects in between
//   - its memory limit is a limit of address space, so it fails before that much memory is resident; rows report
//     the resident memory of both
package bench
