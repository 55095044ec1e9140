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

// callingPTX makes the programs of CUDA's plugin repeat loops and call kernels in PTX. If they cannot call kernels it
// returns the reason. loops reports whether they repeat loops.
func callingPTX(file string) (kernelless string, loops bool) {
	to := inPTX
	if setting := os.Getenv(KernelsEnv); setting == "off" {
		kernelless, to = KernelsEnv+"="+setting, noKernels
	} else if !mentions(file, "xla.gpu.ptx") {
		kernelless, to = "the plugin does not know kernels in PTX", noKernels
	}
	if loops = rewriteCUDA(file, to); !loops {
		return "the plugin is the second one, or has another C API", false
	}
	return kernelless, true
}

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
