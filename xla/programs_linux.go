//go:build linux && cgo

package xla

/*
#include "programs.h"
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/peng-cde/pengcde-go/xla/kernels"
)

// Of the plugin whose compiler was intercepted: its file, "" before; why it has no kernels, "" where it has them; the
// programs that it keeps, nil for none; and whether it knows the kernels. The first two are guarded by opening.
var (
	intercepted string
	kernelless  string
	programs    atomic.Pointer[store]
	hasKernels  atomic.Bool
)

// intercepting opens a plugin and puts a compiler of our own in the place of that in the plugin's table of functions,
// which its C API documents, for go-xla has no call for what it does: it has the programs that the plugin compiles kept
// in the folder of [CacheEnv], where other processes find them, and kernels called, see [Call]. Where a plugin cannot
// do it, it compiles as always.
//
// What XLA compiles depends on the flags that it finds when it is loaded. So a plugin that was loaded before, by whom
// and with which flags is not known, is left alone; and so is a second plugin. It is called with opening held. The notice
// says, for people, why programs are not kept where they could be.
func intercepting(file string, open func() error) (notice string, err error) {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if intercepted != "" || C.pengcde_loaded(path) != 0 {
		return "", open()
	}
	keep, refused := newStore(file, os.Getenv(flagsEnv))
	if err := open(); err != nil {
		return "", err
	}
	programs.Store(keep) // before it is asked for
	if C.pengcde_intercept(path) != 0 {
		intercepted = file
		kernelless = registerKernels(os.Getenv(KernelsEnv))
		hasKernels.Store(kernelless == "")
		if refused != nil {
			notice = refused.Error()
		}
	}
	return notice, nil
}

// registerKernels makes all known to the plugin that was intercepted; else it says why not, after which none is used.
func registerKernels(setting string) (kernelless string) {
	if setting == "off" {
		return KernelsEnv + "=off"
	}
	for name, handler := range kernels.All() {
		if setting == "refused" {
			handler = nil
		}
		target := C.CString(name)
		defer C.free(unsafe.Pointer(target))
		if C.pengcde_register(target, handler) == 0 {
			return "the plugin does not take " + name
		}
	}
	return ""
}

// withoutKernels says why the plugin in a file has no kernels; "" where it has them. It is called with opening held.
func withoutKernels(file string) string {
	if file != intercepted {
		return "the plugin was loaded by others, is the second one, or has another C API"
	}
	return kernelless
}

// intercepts says whether a plugin's compiler was intercepted.
func intercepts() bool {
	opening.Lock()
	defer opening.Unlock()
	return intercepted != ""
}

//export pengcdeCompile
func pengcdeCompile(args *C.pengcde_compile_args) unsafe.Pointer {
	record(bytesAt(args.program.code, args.program.code_size), bytesAt(args.program.format, args.program.format_size),
		bytesAt(args.options, args.options_size))
	if hasKernels.Load() && os.Getenv(KernelsEnv) != "plain" {
		text := bytesAt(args.program.code, args.program.code_size)
		if with := withKernels(text, kernels.All()); &with[0] != &text[0] {
			defer replaceProgram(args, with)()
		}
	}
	s := programs.Load()
	if s == nil {
		return C.pengcde_compile(args)
	}
	p := args.program
	key := s.key(bytesAt(p.format, p.format_size), bytesAt(p.code, p.code_size),
		bytesAt(args.options, args.options_size))
	release := s.hold(key) // so that others wait for it rather than compile it, too
	defer release()
	if program := s.read(key); len(program) > 0 {
		if C.pengcde_load(args, (*C.char)(unsafe.Pointer(&program[0])), C.size_t(len(program))) != 0 {
			s.found.Add(1)
			return nil
		}
		os.Remove(s.file(key))
	}
	var made C.pengcde_serialized
	if C.pengcde_elsewhere(args, &made) != 0 {
		s.write(key, bytesAt(made.bytes, made.size))
		loaded := C.pengcde_load(args, made.bytes, made.size)
		C.pengcde_release(&made)
		if loaded != 0 {
			return nil
		}
	}
	if failure := C.pengcde_compile(args); failure != nil {
		return failure
	}
	if C.pengcde_serialize(args, &made) != 0 {
		s.write(key, bytesAt(made.bytes, made.size))
		C.pengcde_release(&made)
	}
	return nil
}

// replaceProgram puts a text in the place of that to be compiled.
func replaceProgram(args *C.pengcde_compile_args, text []byte) (restore func()) {
	given := args.program
	own := (*C.pengcde_program)(C.malloc(C.sizeof_pengcde_program))
	*own = *given
	own.code, own.code_size = (*C.char)(C.CBytes(text)), C.size_t(len(text))
	args.program = own
	return func() {
		args.program = given
		C.free(unsafe.Pointer(own.code))
		C.free(unsafe.Pointer(own))
	}
}

// bytesAt are C's, without a copy.
func bytesAt(at *C.char, size C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(at)), int(size))
}

// compileElsewhere has what the present thread compiles compiled with all cores, where programs are kept.
func compileElsewhere() {
	opening.Lock() // while the environment is the user's
	defer opening.Unlock()
	C.pengcde_compile_elsewhere()
}
