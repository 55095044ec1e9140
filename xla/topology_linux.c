//go:build linux && cgo

#include "topology.h"
#include "pjrt.h"

#include <stdlib.h>
#include <string.h>

// Further places in the table.
enum {
  ERROR_MESSAGE = 1,
  EXECUTABLE_OPTIMIZED_PROGRAM = 48,
  TOPOLOGY_CREATE = 82,
  TOPOLOGY_DESTROY = 83,
  COMPILE = 89,
  EXECUTABLE_MEMORY = 96,
};

typedef struct {
  size_t struct_size;
  void *extensions;
  void *error;
  const char *message; // out, as what follows
  size_t size;
} message_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  const char *name;
  size_t name_size;
  int type; // 0 is a string
  const char *value;
  size_t value_size;
} option;

typedef struct {
  size_t struct_size;
  void *extensions;
  const char *name;
  size_t name_size;
  const option *options;
  size_t options_count;
  void *topology; // out
} topology_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *topology;
  const pengcde_program *program;
  const char *options;
  size_t options_size;
  void *client;
  void *executable; // out
} compile_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *executable;
  int64_t code, arguments, outputs, aliased, temporary; // out, as what follows
  int64_t on_host[5], peak;
} memory_args;

typedef struct {
  size_t struct_size;
  void *extensions;
  void *executable;
  pengcde_program *program; // out
} optimized_args;

// failure is the message of an error, which it destroys, to be freed; NULL of none.
static char *failure(const api *plugin, void *error) {
  if (error == NULL)
    return NULL;
  message_args m = {sizeof m, NULL, error, NULL, 0};
  plugin->functions[ERROR_MESSAGE](&m);
  char *text = strndup(m.message, m.size);
  one_args destroy = {sizeof destroy, NULL, error};
  plugin->functions[ERROR_DESTROY](&destroy);
  return text;
}

char *pengcde_topology(const char *file, const char *target, size_t target_size, const char *shape,
                       pengcde_compiler *out) {
  api *plugin = pengcde_api(file, EXECUTABLE_MEMORY);
  if (plugin == NULL || plugin->functions[TOPOLOGY_CREATE] == NULL || plugin->functions[COMPILE] == NULL)
    return strdup("its PJRT C API has no compiling ahead of time");
  static const char platform[] = "cuda", target_key[] = "target_config", shape_key[] = "topology";
  option options[] = {
      {sizeof(option), NULL, target_key, sizeof target_key - 1, 0, target, target_size},
      {sizeof(option), NULL, shape_key, sizeof shape_key - 1, 0, shape, strlen(shape)},
  };
  topology_args args = {sizeof args, NULL, platform, sizeof platform - 1, options, 2, NULL};
  char *error = failure(plugin, plugin->functions[TOPOLOGY_CREATE](&args));
  if (error == NULL)
    *out = (pengcde_compiler){plugin, args.topology};
  return error;
}

// describe reads what is known of an executable.
static char *describe(const api *plugin, void *executable, pengcde_compiled *out) {
  memory_args memory = {.struct_size = sizeof memory, .executable = executable};
  char *error = failure(plugin, plugin->functions[EXECUTABLE_MEMORY](&memory));
  if (error != NULL)
    return error;
  *out = (pengcde_compiled){memory.code, memory.arguments, memory.outputs, memory.aliased, memory.temporary, NULL, 0};
  pengcde_program program = {.struct_size = sizeof program};
  optimized_args args = {sizeof args, NULL, executable, &program};
  error = failure(plugin, plugin->functions[EXECUTABLE_OPTIMIZED_PROGRAM](&args)); // says how long it is
  if (error != NULL)
    return error;
  char *code = malloc(program.code_size);
  program.code = code;
  error = failure(plugin, plugin->functions[EXECUTABLE_OPTIMIZED_PROGRAM](&args));
  if (error != NULL) {
    free(code);
    return error;
  }
  out->optimized = code;
  out->optimized_size = program.code_size;
  return NULL;
}

char *pengcde_compile_for(const pengcde_compiler *compiler, const pengcde_program *program, const char *options,
                          size_t options_size, pengcde_compiled *out) {
  const api *plugin = compiler->api;
  compile_args args = {sizeof args, NULL, compiler->topology, program, options, options_size, NULL, NULL};
  char *error = failure(plugin, plugin->functions[COMPILE](&args));
  if (error != NULL)
    return error;
  error = describe(plugin, args.executable, out);
  one_args destroy = {sizeof destroy, NULL, args.executable};
  free(failure(plugin, plugin->functions[EXECUTABLE_DESTROY](&destroy)));
  return error;
}

void pengcde_topology_destroy(pengcde_compiler *compiler) {
  const api *plugin = compiler->api;
  one_args destroy = {sizeof destroy, NULL, compiler->topology};
  free(failure(plugin, plugin->functions[TOPOLOGY_DESTROY](&destroy)));
}
