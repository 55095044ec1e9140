//go:build linux && cgo

package xla

/*
#include "topology.h"
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"
)

type compiler struct{ c *C.pengcde_compiler }

// newCompiler loads a plugin, where it is not, and makes the topology. go-xla leaves XLA's flags changed.
func newCompiler(file string, target Target) (compiler, error) {
	opening.Lock()
	defer opening.Unlock()
	defer setEnv(flagsEnv, os.Getenv(flagsEnv))()
	if _, err := pjrt.GetPlugin(file); err != nil {
		return compiler{}, fmt.Errorf("%w: %s: %w", ErrPlugin, file, err)
	}
	path, text := C.CString(file), C.CString(target.Config)
	shape := C.CString(fmt.Sprintf("1x1x%d", max(target.GPUs, 1)))
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(shape))
	made := (*C.pengcde_compiler)(C.calloc(1, C.sizeof_pengcde_compiler))
	if err := failure(C.pengcde_topology(path, text, C.size_t(len(target.Config)), shape, made)); err != nil {
		C.free(unsafe.Pointer(made))
		return compiler{}, fmt.Errorf("%w: %s: %w", ErrTarget, file, err)
	}
	return compiler{made}, nil
}

// failure returns a message of C as an error, and frees the message. It returns nil for NULL.
func failure(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New(strings.TrimSpace(C.GoString(message)))
}

func (c compiler) compile(s Source, options []byte) (*Compiled, error) {
	code, format, given := C.CBytes(s.Code), C.CString(s.Format), C.CBytes(options)
	defer C.free(code)
	defer C.free(unsafe.Pointer(format))
	defer C.free(given)
	program := (*C.pengcde_program)(C.calloc(1, C.sizeof_pengcde_program))
	defer C.free(unsafe.Pointer(program))
	*program = C.pengcde_program{struct_size: C.sizeof_pengcde_program, code: (*C.char)(code),
		code_size: C.size_t(len(s.Code)), format: format, format_size: C.size_t(len(s.Format))}
	var out C.pengcde_compiled
	if err := failure(C.pengcde_compile_for(c.c, program, (*C.char)(given), C.size_t(len(options)), &out)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(out.optimized))
	return &Compiled{Code: int64(out.code), Arguments: int64(out.arguments), Outputs: int64(out.outputs),
		Aliased: int64(out.aliased), Temporary: int64(out.temporary),
		Optimized: C.GoBytes(unsafe.Pointer(out.optimized), C.int(out.optimized_size))}, nil
}

func (c compiler) close() {
	C.pengcde_topology_destroy(c.c)
	C.free(unsafe.Pointer(c.c))
}
