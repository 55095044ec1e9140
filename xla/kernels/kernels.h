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

#ifdef AVX512
// is_wide returns whether the processor has the parts of AVX-512 that "arch=x86-64-v4" uses.
static inline int is_wide(void) {
  return !pengcde_narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512cd");
}
#endif

typedef struct {
  const char *name;
  handler *run;
} kernel;

#endif
