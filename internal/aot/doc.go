// Package aot compiles the programs of models for a GPU that this machine does not have. It reports the number of
// kernels, the memory, and the time predicted by a simple model. The command tools/aot, "make aot", uses it.
//
// A model is trained for one epoch on a CPU, without its kernels, while its programs are recorded and their calls
// counted; CUDA would get the same programs. They are then compiled for the GPU.
package aot
