package xla

import (
	"maps"
	"os"
	"strings"
)

// cudaOptions are XLA's flags for programs on CUDA. Triton's kernels for products are off: XLA fuses the joining of a
// product's factors into them, and then finds no configuration that compiles for some of ours, as in the first stage of
// a step of the published field on 100 nodes: "No supported config found". cuBLAS has no such limit.
func cudaOptions() map[string]any { return map[string]any{tritonFlag: false} }

const tritonFlag = "xla_gpu_enable_triton_gemm"

// tuneCUDA makes a loaded CUDA plugin compile with cudaOptions, except for flags that the user sets by $XLA_FLAGS and
// flags that the plugin does not know.
func tuneCUDA(file string) {
	flags := cudaOptions()
	maps.DeleteFunc(flags, func(flag string, _ any) bool {
		return strings.Contains(os.Getenv(flagsEnv), flag) || !mentions(file, flag)
	})
	if len(flags) > 0 {
		addOptions(file, flags)
	}
}
