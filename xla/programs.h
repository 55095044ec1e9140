// What the cache of compiled programs asks of a plugin's PJRT C API, of which it knows the few calls below. The layouts
// are those of version 0 of the API, which only appends to them.
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

// pengcde_serialized is a compiled program as bytes, until it is released.
typedef struct {
  const char *bytes;
  size_t size;
  void *owner;
  void (*release)(void *owner);
} pengcde_serialized;

// pengcde_loaded says whether a plugin was loaded by this process.
int pengcde_loaded(const char *file);

// pengcde_intercept has the plugin in a file, which is loaded, compile by pengcdeCompile. It returns 0 where it cannot.
int pengcde_intercept(const char *file);

// pengcde_register makes a kernel known to the plugin that was intercepted; it returns 0 where it cannot.
int pengcde_register(const char *name, void *handler);

// pengcde_compile is the plugin's own compiler; it returns a PJRT_Error, or NULL.
void *pengcde_compile(pengcde_compile_args *args);

// pengcde_compile_elsewhere has the programs of this thread, which has one core, compiled by a client that may use all.
void pengcde_compile_elsewhere(void);

// pengcde_load puts a program that was serialized in the place of one to be compiled; it returns 0 where it cannot.
int pengcde_load(pengcde_compile_args *args, const char *bytes, size_t size);

// pengcde_serialize returns 0 where a compiled program cannot be serialized.
int pengcde_serialize(const pengcde_compile_args *args, pengcde_serialized *out);

// pengcde_elsewhere compiles by the other client and serializes; it returns 0 where this thread has none, or where that
// fails.
int pengcde_elsewhere(const pengcde_compile_args *args, pengcde_serialized *out);

void pengcde_release(pengcde_serialized *s);

#endif
