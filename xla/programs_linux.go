//go:build linux && cgo

package xla

/*
#include "programs.h"
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"sync"
	"unsafe"
)

// programs are those of the plugin whose compiler was intercepted; nil before. keeping is held while that is done.
var (
	programs *store
	keeping  sync.Mutex
)

// keepPrograms lets programs that the plugin in a file compiles be kept in the folder of [CacheEnv] and found there by
// other processes. go-xla has no call for that; so the compiler in the plugin's table of functions, which its C API
// documents, is replaced by one that looks into the folder first. Where a plugin cannot do it, it compiles as always.
func keepPrograms(file string) {
	keeping.Lock()
	defer keeping.Unlock()
	folder := cacheFolder()
	if folder == "" || programs != nil {
		return
	}
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	programs = &store{folder: folder, compiler: compilerOf(file)}
	if why := C.pengcde_intercept(path); why != nil {
		programs = nil
	}
}

//export pengcdeCompile
func pengcdeCompile(args *C.pengcde_compile_args) unsafe.Pointer {
	p := args.program
	key := programs.key(bytesAt(p.format, p.format_size), bytesAt(p.code, p.code_size),
		bytesAt(args.options, args.options_size))
	release := programs.hold(key) // so that others wait for it rather than compile it, too
	defer release()
	if kept := programs.read(key); len(kept) > 0 {
		if C.pengcde_load(args, (*C.char)(unsafe.Pointer(&kept[0])), C.size_t(len(kept))) != 0 {
			programs.found.Add(1)
			return nil
		}
		os.Remove(programs.file(key))
	}
	var made C.pengcde_serialized
	if C.pengcde_elsewhere(args, &made) != 0 {
		defer C.pengcde_release(&made)
		programs.write(key, bytesAt(made.bytes, made.size))
		if C.pengcde_load(args, made.bytes, made.size) != 0 {
			return nil
		}
	}
	if failure := C.pengcde_compile(args); failure != nil {
		return failure
	}
	if C.pengcde_serialize(args, &made) != 0 {
		programs.write(key, bytesAt(made.bytes, made.size))
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
