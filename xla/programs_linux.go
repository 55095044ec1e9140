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

// State of the plugin whose compiler was intercepted: its file, or "" before; why it has no kernels, or "" if it has
// them; the store of its programs, or nil; and the kernels that it knows, or nil. The mutex opening guards the
// first two.
var (
	interceptedFile string
	kernelless      string
	programs        atomic.Pointer[store]
	known           atomic.Pointer[map[string]unsafe.Pointer]
)

// intercepting opens a plugin and replaces the compiler in the plugin's table of functions, which its C API documents.
// go-xla has no call for this. Our compiler stores compiled programs in the folder of [CacheEnv], where other processes
// find them, and inserts calls of kernels, see [Call]. If a plugin does not support this, it compiles as usual.
//
// The result of XLA's compiler depends on the flags that XLA read when it was loaded. A plugin loaded earlier, with
// unknown flags, is therefore not changed, and neither is a second plugin. The caller must hold opening. The notice
// says, for display, why programs are not stored where they could be.
func intercepting(file string, open func() error) (notice string, err error) {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if interceptedFile != "" || C.pengcde_loaded(path) != 0 {
		return "", open()
	}
	keep, refused := newStore(file, os.Getenv(flagsEnv))
	if err := open(); err != nil {
		return "", err
	}
	programs.Store(keep) // before the first request
	if C.pengcde_intercept(path) != 0 {
		interceptedFile = file
		kernelless = registerKernels(os.Getenv(KernelsEnv))
		if refused != nil {
			notice = refused.Error()
		}
	}
	return notice, nil
}

// registerKernels registers all kernels with the intercepted plugin. If that fails it returns the reason, and no kernel
// is used afterwards.
func registerKernels(setting string) (kernelless string) {
	if setting == "off" || setting == "gpu" {
		return KernelsEnv + "=" + setting
	}
	if highest, ok := kernels.Levels[setting]; ok {
		kernels.Limit(highest)
	}
	all := kernels.All()
	for name, handler := range all {
		if setting == "refused" {
			handler = nil
		}
		target := C.CString(name)
		defer C.free(unsafe.Pointer(target))
		if C.pengcde_register(target, handler) == 0 {
			return "the plugin does not take " + name
		}
	}
	if setting != "plain" {
		known.Store(&all)
	}
	return ""
}

// intercepted reports whether the compiler of the plugin in a file was intercepted. The caller must hold opening.
func intercepted(file string) bool { return file == interceptedFile }

// withoutKernels returns the reason why the plugin in a file has no kernels, or "" if it has them. The caller must hold
// opening.
func withoutKernels(file string) string {
	if !intercepted(file) {
		return "the plugin was loaded by others, is the second one, or has another C API"
	}
	return kernelless
}

// intercepts reports whether a plugin's compiler was intercepted.
func intercepts() bool {
	opening.Lock()
	defer opening.Unlock()
	return interceptedFile != ""
}

//export pengcdeCompile
func pengcdeCompile(args *C.pengcde_compile_args) unsafe.Pointer {
	record(bytesAt(args.program.code, args.program.code_size), bytesAt(args.program.format, args.program.format_size),
		bytesAt(args.options, args.options_size))
	var handlers map[string]unsafe.Pointer
	if all := known.Load(); all != nil {
		handlers = *all
	}
	text := bytesAt(args.program.code, args.program.code_size)
	if with := repeated(withKernels(text, handlers)); &with[0] != &text[0] {
		defer replaceProgram(args, with)()
	}
	s := programs.Load()
	if s == nil {
		return C.pengcde_compile(args)
	}
	p := args.program
	key := s.key(bytesAt(p.format, p.format_size), bytesAt(p.code, p.code_size),
		bytesAt(args.options, args.options_size))
	release := s.hold(key) // others wait instead of compiling it, too
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

// replaceProgram replaces the text to compile.
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

// bytesAt returns C memory as a slice, without a copy.
func bytesAt(at *C.char, size C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(at)), int(size))
}

// compileElsewhere makes programs requested by this thread compile with all cores, if programs are stored.
func compileElsewhere() {
	opening.Lock() // while the environment is the user's
	defer opening.Unlock()
	C.pengcde_compile_elsewhere()
}
