// Package kernels holds functions in C that replace some of XLA's operations on a CPU, where a loop over the neighbours
// of nodes is several times as fast as gathers and small products. XLA calls the functions by its foreign function
// interface. [github.com/peng-cde/pengcde-go/xla.Call] builds graphs with these calls, and falls back to plain
// operations where kernels are not available.
//
// Each of them checks the number, types and dimensions of the tensors of a call, and returns an error to XLA if they do
// not match. Kernels have no state but for tests, so calls may run at the same time and share their inputs.
package kernels

// Levels are the settings of PENGCDE_KERNELS that lower the highest level of x86-64 that kernels use, see [Level].
var Levels = map[string]int{"avx2": 3, "baseline": 1}
