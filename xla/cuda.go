package xla

// cudaOptions are XLA's flags for programs on CUDA.
var cudaOptions = map[string]any{}
