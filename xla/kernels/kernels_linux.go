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

// Level returns the level of x86-64 whose instructions the kernels of this process use: 4 with AVX-512, 3 with AVX2, or
// 1, also on other processors.
func Level() int { return int(C.level()) }

// Limit sets the highest level that the kernels of this process use, for tests.
func Limit(level int) { C.pengcde_highest = C.int(level) }

func inFiles(from, to int) map[string]unsafe.Pointer {
	all := make(map[string]unsafe.Pointer)
	for file := from; file < to; file++ {
		for k := C.file(C.int(file)); k.name != nil; k = (*C.kernel)(unsafe.Add(unsafe.Pointer(k), C.sizeof_kernel)) {
			all[C.GoString(k.name)] = unsafe.Pointer(k.run)
		}
	}
	return all
}
