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
enum { ERROR_DESTROY = 0, CLIENT_COMPILE = 20, EXECUTABLE_DESTROY = 40 };

// one_args are those of functions that take one thing, such as to destroy it.
typedef struct {
  size_t struct_size;
  void *extensions;
  void *what;
} one_args;

// pengcde_api is the table of the plugin in a file, which is loaded; NULL where it is not, or where the table has
// another layout or ends before a place.
api *pengcde_api(const char *file, int place);

// pengcde_replace puts a function in a place of a table, which may be in memory that is only read; 0 where it cannot.
int pengcde_replace(call *place, call with);

#endif
