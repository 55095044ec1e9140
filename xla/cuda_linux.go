//go:build linux && cgo

package xla

/*
#include "cuda.h"
#include <stdlib.h>
*/
import "C"

import "unsafe"

// rewrittenCUDA holds the file of the plugin whose programs are rewritten, or "", and how they call kernels. The mutex
// opening guards it.
var rewrittenCUDA struct {
	file string
	to   target
}

// rewriteCUDA makes a loaded plugin compile programs as [rewritten], and reports whether it does. One plugin of a
// process can.
func rewriteCUDA(file string, to target) bool {
	opening.Lock()
	defer opening.Unlock()
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if rewrittenCUDA.file == "" {
		rewrittenCUDA.to = to // before the first program
		if C.pengcde_insert_ptx(path) != 0 {
			rewrittenCUDA.file = file
		}
	}
	return rewrittenCUDA.file == file
}

//export pengcdeCompilePTX
func pengcdeCompilePTX(args *C.pengcde_compile_args) unsafe.Pointer {
	text := bytesAt(args.program.code, args.program.code_size)
	if with := rewritten(text, rewrittenCUDA.to); &with[0] != &text[0] {
		defer replaceProgram(args, with)()
	}
	return C.pengcde_compile_below(args)
}

// addOptions makes a loaded plugin compile all programs with these flags of XLA, and reports whether it does. Programs
// compiled at the same time may or may not have them.
func addOptions(file string, flags map[string]any) bool {
	path, options := C.CString(file), C.CBytes(overrides(flags))
	defer C.free(unsafe.Pointer(path))
	defer C.free(options)
	return C.pengcde_add_options(path, (*C.char)(options), C.size_t(len(overrides(flags)))) != 0
}
