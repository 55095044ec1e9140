// Declarations that the kernels share.
#ifndef PENGCDE_KERNELS_H
#define PENGCDE_KERNELS_H

#include "check.h"

// LEVELS is defined where kernels are compiled for several levels of x86-64, see versions.h. GCC knows them since 12.
#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define LEVELS
#endif
#define INLINE static inline __attribute__((always_inline))

// Kernels use no level above pengcde_highest, for tests.
extern int pengcde_highest;

// level returns the level of x86-64 that kernels use: 4 with AVX-512, 3 with AVX2, and 1 otherwise.
static inline int level(void) {
#ifdef LEVELS
  if (pengcde_highest >= 4 && __builtin_cpu_supports("x86-64-v4"))
    return 4;
  if (pengcde_highest >= 3 && __builtin_cpu_supports("x86-64-v3"))
    return 3;
#endif
  return 1;
}

typedef struct {
  const char *name;
  handler *run;
} kernel;

#endif
