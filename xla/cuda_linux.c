//go:build linux && cgo

#include "cuda.h"
#include "pjrt.h"
#include "programs.h"

#include <stdlib.h>
#include <string.h>

extern void *pengcdeCompileLoops(pengcde_compile_args *args);

static call below; // of pengcdeCompileLoops

int pengcde_insert_loops(const char *file) {
  api *plugin = pengcde_api(file, CLIENT_COMPILE);
  if (plugin == NULL || below != NULL)
    return 0;
  below = plugin->functions[CLIENT_COMPILE];
  if (pengcde_replace(&plugin->functions[CLIENT_COMPILE], (call)pengcdeCompileLoops))
    return 1;
  below = NULL;
  return 0;
}

void *pengcde_compile_below(pengcde_compile_args *args) { return below(args); }

static call compiler; // what compile_with_added calls

typedef struct {
  size_t size;
  char bytes[];
} options;

static options *_Atomic added; // never freed once set, since programs may be compiling

static void *compile_with_added(void *all) {
  pengcde_compile_args *args = all;
  const options *more = added;
  const char *given = args->options;
  size_t given_size = args->options_size;
  char *joined = more != NULL ? malloc(given_size + more->size) : NULL;
  if (joined == NULL)
    return compiler(args);
  memcpy(joined, given, given_size);
  memcpy(joined + given_size, more->bytes, more->size);
  args->options = joined;
  args->options_size = given_size + more->size;
  void *error = compiler(args);
  args->options = given;
  args->options_size = given_size;
  free(joined);
  return error;
}

int pengcde_add_options(const char *file, const char *bytes, size_t size) {
  api *plugin = pengcde_api(file, CLIENT_COMPILE);
  if (plugin == NULL)
    return 0;
  call *place = &plugin->functions[CLIENT_COMPILE];
  if (*place != compile_with_added) {
    if (compiler != NULL)
      return 0;
    compiler = *place;
    if (!pengcde_replace(place, compile_with_added)) {
      compiler = NULL;
      return 0;
    }
  }
  const options *now = added;
  if (now != NULL && now->size == size && memcmp(now->bytes, bytes, size) == 0)
    return 1;
  options *more = malloc(sizeof *more + size);
  if (more == NULL)
    return 0;
  more->size = size;
  memcpy(more->bytes, bytes, size);
  added = more;
  return 1;
}
