//go:build linux && cgo

#define _GNU_SOURCE
#include "pjrt.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

api *pengcde_api(const char *file, int place) {
  void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL)
    return NULL;
  api *(*get)(void) = (api * (*)(void)) dlsym(library, "GetPjrtApi");
  dlclose(library); // go-xla keeps it open
  api *a = get == NULL ? NULL : get();
  if (a == NULL || a->version.major != 0 || a->struct_size < offsetof(api, functions) + (place + 1) * sizeof(call))
    return NULL;
  return a;
}

int pengcde_replace(call *place, call with) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)place & ~(page - 1);
  if (mprotect((void *)start, (uintptr_t)(place + 1) - start, PROT_READ | PROT_WRITE) != 0)
    return 0;
  *place = with;
  return 1;
}
