// Declarations that the kernels share.
#ifndef PENGCDE_KERNELS_H
#define PENGCDE_KERNELS_H

#include "check.h"

// CLONES compiles a function for several processors; the best available version is chosen at load time. That is before
// a sanitizer is ready, so sanitized builds have one version only.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define AVX512
#define HAS_AVX512 __builtin_cpu_supports("avx512f")
#else
#define HAS_AVX512 0
#endif
#define INLINE static inline __attribute__((always_inline))

typedef struct {
  const char *name;
  handler *run;
} kernel;

#endif
