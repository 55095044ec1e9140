// Package bench races the library against a peer: the same models on the same data with the same steps, written in JAX
// with diffrax as its documentation recommends, on dense control matrices (folder peer; make peer sets it up).
//
// A [Case] is one training batch of the simulated heat task. [Case.Export] writes it, with a model's parameters and the
// steps that the library accepts on them, for the peer; [Start] starts the peer as a process that answers
// one request at a time, so that turns of both can be alternated; [Check] tells how far their losses and gradients are
// apart, which is what makes a race fair. Start with [NewCase]; "go run ./bench/check" prints the checks.
//
// A [Race] alternates training epochs of the two, and [MeasureTogether] times seeds that train in one program. Each race is a
// [Row] of a [File], bench/latest.json, with machine, versions and commit; its tables and figures are those of "make bench" and of
// the notebook runtime. Numbers of nodes are rounded up to a square: grids of 128 nodes have 144, of 512 have 529.
//
// What the peer does differently, without effect on results; the first three favour it:
//
//   - its control has no time channel, which the published code stores beside each entry of the matrix: half the memory
//   - its times are float32 where its states are, those of the library float64
//   - with [Given] steps it tries none that it rejects, as the library does on its way to them
//   - its limit of memory is one of address space, so that it fails somewhat before as much is resident; what is reported of
//     both is resident memory
package bench
