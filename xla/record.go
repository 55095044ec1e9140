package xla

import (
	"bytes"
	"errors"
	"slices"
	"sync/atomic"
)

// Recorder is told of programs. Its functions may be called from several goroutines.
type Recorder struct {
	// Compiled, where set, is given every program that XLA on the CPU compiles, or takes from the folder of [CacheEnv].
	Compiled func(Source)
	// Called, where set, is given the name of a [Program] at each of its calls, and at each repetition of a loop.
	Called func(name string)
}

// recording is nil where nobody records.
var recording atomic.Pointer[Recorder]

// Record has a recorder told from now on, until stop is called. Called alone works on every backend; Compiled wants XLA
// on the CPU, opened before by [Open]. With [KernelsEnv] "gpu" when that was opened, the programs are, but for the
// precision of products, those that CUDA would be given; so a [Topology] can compile them for it. One recorder works at
// a time.
func Record(r Recorder) (stop func(), err error) {
	if r.Compiled != nil && !intercepts() {
		return nil, errors.New("xla: programs can be recorded on Linux, with an XLA plugin for the CPU that was " +
			"opened by this package and before any other")
	}
	if !recording.CompareAndSwap(nil, &r) {
		return nil, errors.New("xla: programs are being recorded already: stop that first")
	}
	return func() { recording.CompareAndSwap(&r, nil) }, nil
}

// record hands on a program.
func record(code, format, options []byte) {
	if r := recording.Load(); r != nil && r.Compiled != nil {
		r.Compiled(Source{Name: moduleName(code), Code: slices.Clone(code), Format: string(format),
			Options: slices.Clone(options)})
	}
}

// recordCall tells of a call.
func recordCall(name string) {
	if r := recording.Load(); r != nil && r.Called != nil {
		r.Called(name)
	}
}

// moduleName is the name in the text of a StableHLO module, "" without one.
func moduleName(code []byte) string {
	_, name, found := bytes.Cut(code, []byte("module @"))
	if !found {
		return ""
	}
	return string(name[:max(bytes.IndexAny(name, " {\n"), 0)])
}
