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
)

// programs are those of the plugin whose compiler was intercepted; nil before.
var programs atomic.Pointer[store]

// keepingPrograms opens a plugin and has the programs that it compiles kept in the folder of [CacheEnv], where other
// processes find them. go-xla has no call for that; so the compiler in the plugin's table of functions, which its C API
// documents, is replaced by one that looks into the folder first. Where a plugin cannot do it, it compiles as always.
//
// What XLA compiles depends on the flags that it finds when it is loaded. So a plugin that was loaded before, by whom
// and with which flags is not known, keeps nothing; and nothing is kept of a second plugin. It is called with opening
// held.
func keepingPrograms(file string, open func() error) error {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	s := newStore(file, os.Getenv(flagsEnv))
	if s == nil || programs.Load() != nil || C.pengcde_loaded(path) != 0 {
		return open()
	}
	if err := open(); err != nil {
		return err
	}
	programs.Store(s) // before it is asked for
	if C.pengcde_intercept(path) == 0 {
		programs.Store(nil)
	}
	return nil
}

//export pengcdeCompile
func pengcdeCompile(args *C.pengcde_compile_args) unsafe.Pointer {
	s, p := programs.Load(), args.program
	key := s.key(bytesAt(p.format, p.format_size), bytesAt(p.code, p.code_size), bytesAt(args.options, args.options_size))
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
