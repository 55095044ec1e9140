//go:build linux && cgo

package kernels

/*
#cgo CFLAGS: -O3 -Wall -Wextra
#cgo LDFLAGS: -lm
#include "kernels.h"

extern const kernel pengcde_product_kernels[], pengcde_ranks_kernels[], pengcde_linear_kernels[];
extern const kernel pengcde_combine_kernels[], pengcde_path_kernels[];
extern const kernel pengcde_emulated_linear[], pengcde_emulated_messages[];
extern int pengcde_backwards;
static int wide(void) { return is_wide(); }
static const kernel *file(int i) {
  const kernel *files[] = {pengcde_product_kernels, pengcde_ranks_kernels,     pengcde_linear_kernels,
                           pengcde_combine_kernels, pengcde_path_kernels,      pengcde_emulated_linear,
                           pengcde_emulated_messages};
  return files[i];
}
*/
import "C"

import "unsafe"

// All returns the kernels of this package by name.
func All() map[string]unsafe.Pointer { return inFiles(0, 5) }

// Emulated returns the kernels of [PTX] as functions for a CPU, by name, for tests. The threads of a block run one
// after another; backwards, which holds for the whole process, is from the last to the first.
func Emulated(backwards bool) map[string]unsafe.Pointer {
	C.pengcde_backwards = 0
	if backwards {
		C.pengcde_backwards = 1
	}
	return inFiles(5, 7)
}

// Wide reports whether the kernels of this process use AVX-512.
func Wide() bool { return C.wide() != 0 }

// Narrow makes the kernels of this process do without AVX-512, for tests.
func Narrow() { C.pengcde_narrow = 1 }

func inFiles(from, to int) map[string]unsafe.Pointer {
	all := make(map[string]unsafe.Pointer)
	for file := from; file < to; file++ {
		for k := C.file(C.int(file)); k.name != nil; k = (*C.kernel)(unsafe.Add(unsafe.Pointer(k), C.sizeof_kernel)) {
			all[C.GoString(k.name)] = unsafe.Pointer(k.run)
		}
	}
	return all
}
