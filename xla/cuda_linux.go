//go:build linux && cgo

package xla

/*
#include "cuda.h"
#include <stdlib.h>
*/
import "C"

import "unsafe"

// repeating is the file of the plugin whose programs repeat loops, or "". The mutex opening guards it.
var repeating string

// repeatLoops makes a loaded plugin compile programs with the loops of [NewLoop], and reports whether it does. One
// plugin of a process can.
func repeatLoops(file string) bool {
	opening.Lock()
	defer opening.Unlock()
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if repeating == "" && C.pengcde_insert_loops(path) != 0 {
		repeating = file
	}
	return repeating == file
}

//export pengcdeCompileLoops
func pengcdeCompileLoops(args *C.pengcde_compile_args) unsafe.Pointer {
	text := bytesAt(args.program.code, args.program.code_size)
	if with := repeated(text); &with[0] != &text[0] {
		defer replaceProgram(args, with)()
	}
	return C.pengcde_compile_below(args)
}

// addOptions makes a loaded plugin compile all programs with these flags of XLA, and reports whether it does. Programs
// compiled at the same time may or may not have them.
func addOptions(file string, flags map[string]any) bool {
	opening.Lock()
	defer opening.Unlock()
	path, options := C.CString(file), C.CBytes(overrides(flags))
	defer C.free(unsafe.Pointer(path))
	defer C.free(options)
	return C.pengcde_add_options(path, (*C.char)(options), C.size_t(len(overrides(flags)))) != 0
}
