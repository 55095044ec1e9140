// Package hlo counts the cost of a compiled program on a GPU, from the program as XLA optimised it: kernels (each is a
// launch), library calls, scatters, bytes and multiply-adds. It reads only the required parts of XLA's protocol
// buffers, since go-xla does not export its own definitions.
package hlo
