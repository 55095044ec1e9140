// The functions of a plugin's PJRT C API that the cache of compiled programs uses. The layouts are from version 0 of
// the API, which only appends to them.
#ifndef PENGCDE_PROGRAMS_H
#define PENGCDE_PROGRAMS_H

#include <stddef.h>

typedef struct {
  size_t struct_size;
  void *extensions;
  const char *code;
  size_t code_size;
  const char *format;
  size_t format_size;
} pengcde_program;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *client;
  const pengcde_program *program;
  const char *options;
  size_t options_size;
  void *executable; // out
} pengcde_compile_args;

// pengcde_serialized is a compiled program as bytes. Free it with pengcde_release.
typedef struct {
  const char *bytes;
  size_t size;
  void *owner;
  void (*release)(void *owner);
} pengcde_serialized;

// pengcde_loaded returns whether this process has loaded a plugin.
int pengcde_loaded(const char *file);

// pengcde_intercept makes the loaded plugin in a file compile by pengcdeCompile. It returns 0 on failure.
int pengcde_intercept(const char *file);

// pengcde_register registers a kernel with the intercepted plugin. It returns 0 on failure.
int pengcde_register(const char *name, void *handler);

// pengcde_compile calls the plugin's own compiler. It returns a PJRT_Error, or NULL.
void *pengcde_compile(pengcde_compile_args *args);

// pengcde_compile_elsewhere makes the programs of this thread, which has one core, compile by a client that may use
// all.
void pengcde_compile_elsewhere(void);

// pengcde_load loads a serialized program instead of compiling it. It returns 0 on failure.
int pengcde_load(pengcde_compile_args *args, const char *bytes, size_t size);

// pengcde_serialize serializes a compiled program. It returns 0 on failure.
int pengcde_serialize(const pengcde_compile_args *args, pengcde_serialized *out);

// pengcde_elsewhere compiles by the other client and serializes the program. It returns 0 on failure, or if this thread
// has no other client.
int pengcde_elsewhere(const pengcde_compile_args *args, pengcde_serialized *out);

void pengcde_release(pengcde_serialized *s);

#endif
