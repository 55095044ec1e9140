//go:build linux && cgo

package kernels

/*
#cgo CFLAGS: -O3 -Wall -Wextra
#cgo LDFLAGS: -lm
#include "kernels.h"

extern const kernel pengcde_product_kernels[], pengcde_ranks_kernels[], pengcde_linear_kernels[];
static const kernel *file(int i) {
  const kernel *files[] = {pengcde_product_kernels, pengcde_ranks_kernels, pengcde_linear_kernels};
  return files[i];
}
*/
import "C"

import "unsafe"

// All returns the kernels of this package by name.
func All() map[string]unsafe.Pointer {
	all := make(map[string]unsafe.Pointer)
	for file := range 3 {
		for k := C.file(C.int(file)); k.name != nil; k = (*C.kernel)(unsafe.Add(unsafe.Pointer(k), C.sizeof_kernel)) {
			all[C.GoString(k.name)] = unsafe.Pointer(k.run)
		}
	}
	return all
}
