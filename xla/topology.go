package xla

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrTarget is a [Target] that is not known, or whose Config XLA does not take.
	ErrTarget = errors.New("target to compile for cannot be used")
	// ErrCompile is a program that does not compile for a target; the message is XLA's.
	ErrCompile = errors.New("program does not compile")
)

// Source is a program as it is handed to XLA's compiler, see [Record].
type Source struct {
	// Name is the program's, as XLA writes it: "ode step" is "ode_step".
	Name string
	// Code is the program, in StableHLO (see Format).
	Code []byte
	// Format is "mlir" in XLA's C API.
	Format string
	// Options are XLA's CompileOptionsProto in binary form; none are the defaults.
	Options []byte
}

// Compiled is a program that was compiled for a [Topology]: bytes of device memory that a call takes, and what XLA made
// of the program.
type Compiled struct {
	// Code is the size of the machine code, Arguments and Outputs are inputs and outputs, Aliased those outputs that
	// are in the memory of donated inputs, and Temporary what a call needs while it runs. All are bytes.
	Code, Arguments, Outputs, Aliased, Temporary int64
	// Optimized is the program after XLA's optimisation, an HloModuleProtoWithConfig in binary form.
	Optimized []byte
}

// Topology compiles programs for a GPU that need not be there: XLA's CUDA plugin, the libraries beside it and a
// [Target]. What it compiles cannot be run. It is for seeing, before a GPU is paid for, whether programs compile, into
// how many kernels and with how much memory. XLA tunes kernels by timing them, which it cannot do here, so on a GPU it
// may choose others. A Topology is safe for use by several goroutines.
type Topology struct {
	target   Target
	plugin   string
	options  map[string]any
	compiler compiler
}

// OpenTopology opens a CUDA plugin, given by its file, to compile for a target; "" is the first in [PluginFolders]. The
// error wraps [ErrPlugin] where there is none that works, and [ErrTarget] where it does not take the target. The caller
// closes it. It is for Linux, and leaves $XLA_FLAGS as they are.
func OpenTopology(plugin string, target Target) (*Topology, error) {
	t, err := openTopology(plugin, target)
	if err != nil {
		return nil, fmt.Errorf("xla: compiling for %s: %w", cmp.Or(target.Name, "a target"), err)
	}
	return t, nil
}

func openTopology(file string, target Target) (*Topology, error) {
	if err := target.check(); err != nil {
		return nil, err
	}
	if file == "" {
		found := findPlugins(cuda)
		if len(found) == 0 {
			return nil, fmt.Errorf("%w: no pjrt_c_api_cuda_plugin%s in %s; %s", ErrPlugin, libraryExtension(),
				strings.Join(PluginFolders(), ", "), howToGetCUDA)
		}
		file = found[0]
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlugin, err)
	}
	if err := checkPlugin(file); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPlugin, file, err)
	}
	t := &Topology{target: target, plugin: file, options: map[string]any{
		"xla_gpu_autotune_level": 0, // which would time kernels on a GPU
		"xla_gpu_cuda_data_dir":  filepath.Dir(file),
	}}
	maps.Copy(t.options, cudaOptions())
	if t.compiler, err = newCompiler(file, target); err != nil {
		return nil, err
	}
	return t, nil
}

// String names the target and the plugin.
func (t *Topology) String() string { return t.target.Name + " by " + t.plugin }

// Identity has the target, the plugin's file and the flags: with the same one, programs compile alike.
func (t *Topology) Identity() string {
	file := ""
	if info, err := os.Stat(t.plugin); err == nil {
		file = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	target := fmt.Sprintf("{%s %s}", t.target.Name, t.target.Config)
	if t.target.GPUs > 1 {
		target += fmt.Sprint(" x", t.target.GPUs)
	}
	return fmt.Sprintln(target, t.plugin, file, t.options)
}

// Set sets a flag of XLA, a field of its DebugOptions such as "xla_gpu_enable_triton_gemm", for the programs that are
// compiled from then on. The value is a bool, an int or a string. No Compile may run at the same time.
func (t *Topology) Set(flag string, value any) { t.options[flag] = value }

// Code returns a program's code as Compile compiles it, with the loop of [NewLoop].
func (t *Topology) Code(s Source) []byte { return repeated(s.Code) }

// Compile compiles a program; the error wraps [ErrCompile].
func (t *Topology) Compile(s Source) (*Compiled, error) {
	s.Code = t.Code(s)
	options := s.Options
	if len(options) == 0 {
		options = oneDevice()
	}
	compiled, err := t.compiler.compile(s, slices.Concat(options, overrides(t.options)))
	if err != nil {
		return nil, fmt.Errorf("xla: %w for %s: %q: %w", ErrCompile, t.target.Name, s.Name, err)
	}
	return compiled, nil
}

// Close releases the topology. The plugin stays loaded.
func (t *Topology) Close() { t.compiler.close() }
