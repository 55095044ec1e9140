//go:build linux && cgo

package doctor

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

// driver_version asks a library for the CUDA version that the driver supports: 1000*major + 10*minor, or -1 if it
// cannot be loaded and -2 if it does not answer.
static int driver_version(const char *library) {
	void *driver = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	if (!driver) return -1;
	int (*ask)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	int version = -2;
	if (ask && ask(&version)) version = -2;
	dlclose(driver);
	return version;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// driverVersion loads NVIDIA's driver library and returns the version of CUDA that it supports, such as 13000.
func driverVersion(library string) (int, error) {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	switch version := int(C.driver_version(name)); version {
	case -1:
		return 0, fmt.Errorf("%s cannot be loaded", library)
	case -2:
		return 0, fmt.Errorf("%s does not say its version", library)
	default:
		return version, nil
	}
}
