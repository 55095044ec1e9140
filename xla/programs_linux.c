//go:build linux && cgo

#define _GNU_SOURCE
#include "pjrt.h"
#include "programs.h"

#include <dlfcn.h>
#include <string.h>

// The extension for foreign functions.
struct extension {
  size_t struct_size;
  int type;
  struct extension *next;
  call register_type, add_data, register_handler;
};
enum { EXTENSION_FFI = 5, FFI_SINCE = 115 }; // the minor version of the API with the layouts below

typedef struct {
  size_t struct_size;
  const char *name;
  size_t name_size;
  void *handler;
  const char *platform;
  size_t platform_size;
  int traits;
} register_args;

// Indices in the table.
enum {
  CLIENT_CREATE = 10,
  EXECUTABLE_SERIALIZE = 49,
  LOADED_EXECUTABLE_DESTROY = 50,
  LOADED_EXECUTABLE_GET_EXECUTABLE = 51,
  EXECUTABLE_DESERIALIZE_AND_LOAD = 56,
};

typedef struct {
  size_t struct_size;
  void *extensions;
  void *loaded;
  void *executable; // out
} get_executable_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *executable;
  const char *bytes; // out, like the fields below
  size_t size;
  void *owner;
  void (*release)(void *owner);
} serialize_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *client;
  const char *bytes;
  size_t size;
  void *loaded; // out
  const char *options;
  size_t options_size;
} load_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *options;
  size_t options_count;
  void *callbacks[4];
  void *client; // out
  void *more_callbacks[2];
} create_args;

extern void *pengcdeCompile(pengcde_compile_args *args);

static api *plugin;
static call compiler;

int pengcde_loaded(const char *file) {
  void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL)
    dlclose(library);
  return library != NULL;
}

int pengcde_intercept(const char *file) {
  api *a = pengcde_api(file, EXECUTABLE_DESERIALIZE_AND_LOAD);
  if (a == NULL || a->functions[EXECUTABLE_SERIALIZE] == NULL ||
      a->functions[EXECUTABLE_DESERIALIZE_AND_LOAD] == NULL)
    return 0;
  call before = a->functions[CLIENT_COMPILE];
  if (!pengcde_replace(&a->functions[CLIENT_COMPILE], (call)pengcdeCompile))
    return 0;
  plugin = a;
  compiler = before;
  return 1;
}

// done returns whether a call succeeded, and destroys its error.
static int done(void *error) {
  if (error == NULL)
    return 1;
  one_args args = {sizeof args, NULL, error};
  plugin->functions[ERROR_DESTROY](&args);
  return 0;
}

int pengcde_register(const char *name, void *handler) {
  if (plugin->version.minor < FFI_SINCE)
    return 0;
  for (struct extension *e = plugin->extensions; e != NULL; e = e->next)
    if (e->type == EXTENSION_FFI && e->struct_size >= sizeof *e) {
      register_args args = {sizeof args, name, strlen(name), handler, "Host", strlen("Host"), 0};
      return done(e->register_handler(&args));
    }
  return 0;
}

static void *all_cores; // a client that only compiles, and is never destroyed
static __thread int elsewhere;

void pengcde_compile_elsewhere(void) {
  create_args create = {.struct_size = sizeof create};
  if (plugin == NULL)
    return;
  if (all_cores == NULL && done(plugin->functions[CLIENT_CREATE](&create)))
    all_cores = create.client;
  elsewhere = all_cores != NULL;
}

int pengcde_elsewhere(const pengcde_compile_args *args, pengcde_serialized *out) {
  if (!elsewhere)
    return 0;
  pengcde_compile_args other = *args;
  other.client = all_cores;
  if (!done(compiler(&other)))
    return 0;
  int ok = pengcde_serialize(&other, out);
  one_args destroy = {sizeof destroy, NULL, other.executable};
  done(plugin->functions[LOADED_EXECUTABLE_DESTROY](&destroy));
  return ok;
}

void *pengcde_compile(pengcde_compile_args *args) { return compiler(args); }

int pengcde_load(pengcde_compile_args *args, const char *bytes, size_t size) {
  load_args load = {sizeof load, NULL, args->client, bytes, size, NULL, NULL, 0};
  if (!done(plugin->functions[EXECUTABLE_DESERIALIZE_AND_LOAD](&load)))
    return 0;
  args->executable = load.loaded;
  return 1;
}

int pengcde_serialize(const pengcde_compile_args *args, pengcde_serialized *out) {
  get_executable_args get = {sizeof get, NULL, args->executable, NULL};
  if (!done(plugin->functions[LOADED_EXECUTABLE_GET_EXECUTABLE](&get)))
    return 0;
  serialize_args s = {sizeof s, NULL, get.executable, NULL, 0, NULL, NULL};
  int ok = done(plugin->functions[EXECUTABLE_SERIALIZE](&s));
  one_args destroy = {sizeof destroy, NULL, get.executable};
  done(plugin->functions[EXECUTABLE_DESTROY](&destroy));
  if (ok)
    *out = (pengcde_serialized){s.bytes, s.size, s.owner, s.release};
  return ok;
}

void pengcde_release(pengcde_serialized *s) {
  if (s->release != NULL)
    s->release(s->owner);
}
