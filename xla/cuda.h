// Options for all programs that a plugin compiles.
#ifndef PENGCDE_CUDA_H
#define PENGCDE_CUDA_H

#include <stddef.h>

// pengcde_add_options has the plugin in a file, which is loaded, compile with these options behind those that it is
// given; it returns 0 where it cannot. It serves one plugin; a further call replaces the options.
int pengcde_add_options(const char *file, const char *options, size_t size);

#endif
