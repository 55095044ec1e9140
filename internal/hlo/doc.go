// Package hlo counts what a compiled program costs on a GPU, from the program as XLA optimised it: kernels, each of
// which is launched, calls of libraries, scatters, bytes and multiply-adds. It reads XLA's protocol buffers as far as
// that takes, for go-xla keeps its own to itself.
package hlo
