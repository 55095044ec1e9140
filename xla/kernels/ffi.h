// The parts of XLA's foreign function interface that kernels use, with the layouts of version 0. Its structs only grow
// at their ends.
#ifndef PENGCDE_FFI_H
#define PENGCDE_FFI_H

#include <stddef.h>
#include <stdint.h>

typedef struct extension {
  size_t struct_size;
  int type;
  struct extension *next;
} extension;

enum { EXTENSION_METADATA = 1 };
enum { TYPE_S32 = 4, TYPE_F32 = 11, TYPE_F64 = 12 };
enum { KIND_BUFFER = 1 }; // for inputs and outputs
enum { STAGE_EXECUTE = 3 };
enum { INVALID_ARGUMENT = 3 };

typedef struct {
  size_t struct_size;
  extension *extensions;
  int major, minor;
} api_version;

typedef struct {
  extension base;
  struct {
    size_t struct_size;
    api_version version;
  } *metadata;
} metadata_extension;

typedef struct {
  size_t struct_size;
  extension *extensions;
  const char *message;
  int code;
} error_args;

typedef struct {
  size_t struct_size;
  extension *extensions;
  void *error;
} destroy_error_args;

typedef struct {
  size_t struct_size;
  extension *extensions;
  void *context;
  void (*task)(void *data);
  void *data;
} schedule_args;

typedef struct {
  size_t struct_size;
  extension *extensions;
  void *context;
  int64_t *count;
} count_threads_args;

// schedule and count_threads return an error, or NULL.
typedef struct {
  size_t struct_size;
  extension *extensions;
  api_version version;
  const void *internal;
  void *(*create_error)(error_args *args);
  void *error_message;
  void (*destroy_error)(destroy_error_args *args);
  void *not_used[8];
  void *(*schedule)(schedule_args *args);
  void *(*count_threads)(count_threads_args *args);
} ffi_api;

typedef struct {
  size_t struct_size;
  extension *extensions;
  int type;
  void *data;
  int64_t rank;
  const int64_t *dims;
} buffer;

typedef struct {
  size_t struct_size;
  extension *extensions;
  int64_t size;
  const int *types;
  buffer **at;
} buffers;

typedef struct {
  size_t struct_size;
  extension *extensions;
  const ffi_api *api;
  void *context;
  int stage;
  buffers in, out;
} call_frame;

// A handler returns an XLA error, or NULL.
typedef void *handler(call_frame *frame);

// begin answers XLA's query before the first run of a handler, and returns whether the call was such a query.
static inline int begin(call_frame *f) {
  for (extension *e = f->extensions; e != NULL; e = e->next)
    if (e->type == EXTENSION_METADATA) {
      api_version *v = &((metadata_extension *)e)->metadata->version;
      v->major = 0;
      v->minor = 1;
      return 1;
    }
  return f->stage != STAGE_EXECUTE;
}

#endif
