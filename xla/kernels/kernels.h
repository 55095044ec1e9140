// Declarations that the kernels share.
#ifndef PENGCDE_KERNELS_H
#define PENGCDE_KERNELS_H

#include "check.h"

// CLONES compiles a function for several processors; the best available version is chosen at load time. That is before
// a sanitizer is ready, so sanitized builds have one version only. Versions for AVX-512 are compiled apart, see
// versions.h: GCC splits vectors longer than a processor's into single numbers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define AVX512
#endif
#if defined(AVX512) && !defined(SANITIZED)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

// If pengcde_narrow is set, no kernel uses AVX-512, for tests.
extern int pengcde_narrow;

// is_wide returns whether kernels use AVX-512.
#ifdef AVX512
static inline int is_wide(void) { return !pengcde_narrow && __builtin_cpu_supports("x86-64-v4"); }
#else
static inline int is_wide(void) { return 0; }
#endif

typedef struct {
  const char *name;
  handler *run;
} kernel;

#endif
