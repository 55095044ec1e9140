// The table of a plugin's functions, in the layout of the PJRT C API, and the declarations that several files of this
// package share. Minor versions of the API only append to the table.
#ifndef PENGCDE_PJRT_H
#define PENGCDE_PJRT_H

#include <stddef.h>

// A function of the table takes one struct and returns a PJRT_Error or NULL.
typedef void *(*call)(void *args);

typedef struct {
  size_t struct_size;
  struct extension *extensions;
  struct {
    size_t struct_size;
    void *extensions;
    int major, minor;
  } version;
  call functions[];
} api;

// Indices in the table.
enum { ERROR_DESTROY = 0, CLIENT_COMPILE = 20, EXECUTABLE_DESTROY = 40 };

// one_args are the arguments of functions that take one object, for example to destroy it.
typedef struct {
  size_t struct_size;
  void *extensions;
  void *what;
} one_args;

// pengcde_api returns the table of the loaded plugin in a file. It returns NULL if the plugin is not loaded, or if the
// table has another layout or does not reach index place.
api *pengcde_api(const char *file, int place);

// pengcde_replace replaces an entry of a table, which may be in read-only memory. It returns 0 on failure.
int pengcde_replace(call *place, call with);

#endif
