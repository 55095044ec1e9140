// The table of a plugin's functions, as the PJRT C API lays it out, with what several files of this package call. Minor
// versions of the API only append to it.
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

// Places in the table.
enum { ERROR_DESTROY = 0, EXECUTABLE_DESTROY = 40 };

// one_args are those of functions that take one thing, such as to destroy it.
typedef struct {
  size_t struct_size;
  void *extensions;
  void *what;
} one_args;

#endif
