package xla

import (
	"bytes"
	"errors"
	"slices"
	"sync/atomic"
)

// Recorder receives programs while they are recorded, see [Record]. Its functions may be called from several
// goroutines.
type Recorder struct {
	// Compiled, if not nil, receives every program that XLA on the CPU compiles, or reads from the folder of
	// [CacheEnv].
	Compiled func(Source)
	// Called, if not nil, receives the name of a [Program] at each of its calls, and at each repetition of a loop.
	Called func(name string)
}

// recording is the recorder at work, or nil.
var recording atomic.Pointer[Recorder]

// Record passes programs and calls to a recorder until stop is called. Called works on every backend; Compiled needs
// XLA on the CPU, opened before by [Open]. If [KernelsEnv] was "gpu" when it was opened, the programs are the ones that
// CUDA receives, except for the precision of products, and a [Topology] can compile them. One recorder works at a time.
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

// record passes a program to the recorder.
func record(code, format, options []byte) {
	if r := recording.Load(); r != nil && r.Compiled != nil {
		r.Compiled(Source{Name: moduleName(code), Code: slices.Clone(code), Format: string(format),
			Options: slices.Clone(options)})
	}
}

// recordCall passes a call to the recorder.
func recordCall(name string) {
	if r := recording.Load(); r != nil && r.Called != nil {
		r.Called(name)
	}
}

// moduleName returns the name in the text of a StableHLO module, or "".
func moduleName(code []byte) string {
	_, name, found := bytes.Cut(code, []byte("module @"))
	if !found {
		return ""
	}
	return string(name[:max(bytes.IndexAny(name, " {\n"), 0)])
}
