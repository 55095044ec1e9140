// Options for all programs that a plugin compiles.
#ifndef PENGCDE_CUDA_H
#define PENGCDE_CUDA_H

#include "programs.h"

// pengcde_insert_loops makes the loaded plugin in a file compile by pengcdeCompileLoops. It returns 0 on failure, and
// for a second plugin.
int pengcde_insert_loops(const char *file);

// pengcde_compile_below calls what compiled before pengcdeCompileLoops.
void *pengcde_compile_below(pengcde_compile_args *args);

// pengcde_add_options makes the loaded plugin in a file compile with these options, appended to the options of each
// call. It returns 0 on failure. It serves one plugin; a further call replaces the options. Only one thread may call
// it at a time.
int pengcde_add_options(const char *file, const char *bytes, size_t size);

#endif
