//go:build linux && cgo

package xla

/*
#include "cuda.h"
#include <stdlib.h>
*/
import "C"

import "unsafe"

// addOptions makes a loaded plugin compile all programs with these flags of XLA, and reports whether it does. Programs
// compiled at the same time may or may not have them.
func addOptions(file string, flags map[string]any) bool {
	path, options := C.CString(file), C.CBytes(overrides(flags))
	defer C.free(unsafe.Pointer(path))
	defer C.free(options)
	return C.pengcde_add_options(path, (*C.char)(options), C.size_t(len(overrides(flags)))) != 0
}
