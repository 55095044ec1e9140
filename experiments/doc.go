// Package experiments re-runs the experiments of the paper, one file each: which models on which data with which
// constants, what is stored, and the figures and tables made of it. Notebooks and programs call the same code.
//
// [Forecasting.Run] and [Worlds.Run] make the runs that are missing. A run is stored as soon as it is done, in one JSON file
// named by the hash of its configuration, and found again by it; training keeps checkpoints beside it meanwhile. Stored finds
// without computing, and what is missing shows as missing in tables. Results lie in the folder that PENGCDE_RESULTS names,
// else in build/results of this checkout, else in pengcde-results of the working folder.
//
// Start with [Table1] and [England]; shells find all by [ByName].
//
// Reference: Permutation Equivariant Neural Controlled Differential Equations for Dynamic Graph Representation
// Learning, NeurIPS 2025; "published" means its tables and its authors' code.
package experiments
