// What kernels share.
#ifndef PENGCDE_KERNELS_H
#define PENGCDE_KERNELS_H

#include "check.h"

// CLONES has a function compiled for several processors, of which the best that is there is chosen: before a sanitizer
// is ready, so that there is one of each then.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

typedef struct {
  const char *name;
  handler *run;
} kernel;

#endif
