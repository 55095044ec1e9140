package xla

import (
	"bytes"
	"errors"
	"slices"
	"sync/atomic"
)

// recording takes the programs that are compiled; nil where nobody records.
var recording atomic.Pointer[func(Source)]

// Record hands f every program that XLA on the CPU, opened before by [Open], compiles from now on or takes from the
// folder of [CacheEnv], until stop is called. With [KernelsEnv] "off" when that was opened they are, but for the
// precision of products, the programs that CUDA would be given; so a [Topology] can compile them for it. Calls of f may
// come from several goroutines. One recorder works at a time.
func Record(f func(Source)) (stop func(), err error) {
	if !intercepts() {
		return nil, errors.New("xla: programs can be recorded on Linux, with an XLA plugin for the CPU that was opened " +
			"by this package and before any other")
	}
	if !recording.CompareAndSwap(nil, &f) {
		return nil, errors.New("xla: programs are being recorded already: stop that first")
	}
	return func() { recording.CompareAndSwap(&f, nil) }, nil
}

// record hands on a program.
func record(code, format, options []byte) {
	if f := recording.Load(); f != nil {
		(*f)(Source{Name: moduleName(code), Code: slices.Clone(code), Format: string(format),
			Options: slices.Clone(options)})
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
