// Package kernels holds functions in C that replace some of XLA's operations on a CPU, where a loop over the
// neighbours of nodes is several times as fast as gathers and small products. XLA calls the functions by its foreign
// function interface; [github.com/peng-cde/pengcde-go/xla.Call] builds graphs that do, with the same in plain
// operations for where they cannot be had.
//
// Each kernel checks the number, types and dimensions of the tensors of a call, and gives XLA an error for others. It
// computes without state: calls at the same time share what they read.
package kernels
