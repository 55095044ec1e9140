//go:build linux && cgo

package xla

/*
#include "cuda.h"
#include <stdlib.h>
*/
import "C"

import "unsafe"

// withPTX is the file of the plugin whose programs call kernels in PTX, or "". The mutex opening guards it.
var withPTX string

// insertPTX makes the programs of a loaded plugin call kernels in PTX, and reports whether they do. One plugin of a
// process can.
func insertPTX(file string) bool {
	opening.Lock()
	defer opening.Unlock()
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if withPTX == "" && C.pengcde_insert_ptx(path) != 0 {
		withPTX = file
	}
	return withPTX == file
}

//export pengcdeCompilePTX
func pengcdeCompilePTX(args *C.pengcde_compile_args) unsafe.Pointer {
	text := bytesAt(args.program.code, args.program.code_size)
	if with := withKernels(text, inPTX); &with[0] != &text[0] {
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
