// Includes the file TYPED for float32 and float64, and again for processors with AVX-512, where WIDE is defined. CALL
// calls the version for a type.
#define COMPILED CLONES
#include "float32.h"
#include "typed.h"
#include TYPED
#include "float64.h"
#include "typed.h"
#include TYPED
#ifdef AVX512
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include <immintrin.h>
#undef COMPILED
#define COMPILED
#define WIDE
#include "float32.h"
#include "typed.h"
#include TYPED
#include "float64.h"
#include "typed.h"
#include TYPED
#pragma GCC pop_options
#define OF_WIDTH(type, function, ...) \
  (is_wide() ? function##_##type##_wide(__VA_ARGS__) : function##_##type(__VA_ARGS__))
#else
#define OF_WIDTH(type, function, ...) function##_##type(__VA_ARGS__)
#endif
#define CALL(type, function, ...) \
  ((type) == TYPE_F32 ? OF_WIDTH(f32, function, __VA_ARGS__) : OF_WIDTH(f64, function, __VA_ARGS__))
