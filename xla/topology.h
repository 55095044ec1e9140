// What compiling for a device that is not there asks of a plugin's PJRT C API.
#ifndef PENGCDE_TOPOLOGY_H
#define PENGCDE_TOPOLOGY_H

#include "programs.h"
#include <stdint.h>

// pengcde_compiler is a plugin with a device to compile for.
typedef struct {
  void *api;
  void *topology;
} pengcde_compiler;

// pengcde_compiled is a compiled program: bytes of memory by use, and the program as XLA optimised it, to be freed.
typedef struct {
  int64_t code, arguments, outputs, aliased, temporary;
  char *optimized;
  size_t optimized_size;
} pengcde_compiled;

// Each returns NULL, or what went wrong, to be freed.

// pengcde_topology makes a topology of the plugin in a file, which is loaded. shape gives the number of its devices, such
// as 1x1x2: slices, hosts of a slice, devices of a host.
char *pengcde_topology(const char *file, const char *target, size_t target_size, const char *shape,
                       pengcde_compiler *out);

char *pengcde_compile_for(const pengcde_compiler *compiler, const pengcde_program *program, const char *options,
                          size_t options_size, pengcde_compiled *out);

void pengcde_topology_destroy(pengcde_compiler *compiler);

#endif
