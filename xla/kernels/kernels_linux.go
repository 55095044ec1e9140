//go:build linux && cgo

package kernels

/*
#cgo CFLAGS: -O3 -Wall -Wextra
#cgo LDFLAGS: -lm
#include "kernels.h"
#include "parts.h"

extern const kernel pengcde_product_kernels[], pengcde_ranks_kernels[], pengcde_linear_kernels[];
extern const kernel pengcde_combine_kernels[], pengcde_path_kernels[];
enum { FILES = 5 };
static int64_t tasks(void) { return pengcde_tasks; }
static const kernel *file(int i) {
  const kernel *files[FILES] = {pengcde_product_kernels, pengcde_ranks_kernels, pengcde_linear_kernels,
                                pengcde_combine_kernels, pengcde_path_kernels};
  return files[i];
}
*/
import "C"

import "unsafe"

// All returns the kernels of this package by name.
func All() map[string]unsafe.Pointer {
	all := make(map[string]unsafe.Pointer)
	for file := range C.int(C.FILES) {
		for k := C.file(file); k.name != nil; k = (*C.kernel)(unsafe.Add(unsafe.Pointer(k), C.sizeof_kernel)) {
			all[C.GoString(k.name)] = unsafe.Pointer(k.run)
		}
	}
	return all
}

// Level returns the level of x86-64 whose instructions the kernels of this process use: 4 with AVX-512, 3 with AVX2, or
// 1, also on other processors.
func Level() int { return int(C.level()) }

// Limit sets the highest level that the kernels of this process use, for tests.
func Limit(level int) { C.pengcde_highest = C.int(level) }

// Divide sets the number of entries of lists in a part of a kernel's work, at least 1, for tests. XLA's threads share
// work of two parts or more.
func Divide(entries int) { C.pengcde_part = C.int64_t(entries) }

// Tasks returns the number of times that a thread of XLA joined in a kernel's work, for tests.
func Tasks() int { return int(C.tasks()) }
