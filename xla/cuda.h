// Options for all programs that a plugin compiles.
#ifndef PENGCDE_CUDA_H
#define PENGCDE_CUDA_H

#include <stddef.h>

// pengcde_add_options makes the loaded plugin in a file compile with these options, appended to the options of each
// call. It returns 0 on failure. It serves one plugin; a further call replaces the options.
int pengcde_add_options(const char *file, const char *options, size_t size);

#endif
