// Package aot compiles the programs of models for a GPU that is not there, and says into how many kernels, with how
// much memory, and how long they would take by a simple model. It serves the command tools/aot, "make aot".
//
// A model is trained for one epoch on a CPU, without its kernels, while its programs are recorded and their calls
// counted; these are the programs that CUDA would be given. They are then compiled for the GPU.
package aot
