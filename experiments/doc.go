// Package experiments re-runs the experiments of the paper, one file each: which models on which data with which
// constants, what is stored, and the figures and tables made of it. Notebooks and programs call the same code.
//
// [Forecasting.Run] and [Worlds.Run] make the runs that are missing. A run is stored as soon as it is done, in one JSON
// file named by its identity (all values that decide the outcome, defaults written out), the [Generation] of the
// numerics and the kind of backend, and found again by them; training keeps checkpoints beside it meanwhile. Stored
// finds without computing. What is missing shows as missing in tables; a run of another generation shows as stale and
// is made again on request alone; one of another backend is shown and marked, and made anew by Run for the backend that
// computes. Results lie in the folder that PENGCDE_RESULTS names, else in build/results of this checkout, else in
// pengcde-results of the working folder.
//
// Start with [Table1] and [England]; shells find all by [ByName].
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025; "published" means its tables and its authors' code.
package experiments
