// Includes the file TYPED for float32 and float64, for each LEVEL of processors. CALL calls the version for a type and
// for this processor.
#define LEVEL 1
#include "types.h"
#ifdef LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#include <immintrin.h> // here, so that its functions can be inlined whatever processor the flags name
#undef LEVEL
#define LEVEL 3
#include "types.h"
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#undef LEVEL
#define LEVEL 4
#include "types.h"
#pragma GCC pop_options
#define OF_LEVEL(type, function, ...) \
  (level() == 4   ? function##_##type##_v4(__VA_ARGS__) \
   : level() == 3 ? function##_##type##_v3(__VA_ARGS__) \
                  : function##_##type(__VA_ARGS__))
#else
#define OF_LEVEL(type, function, ...) function##_##type(__VA_ARGS__)
#endif
#define CALL(type, function, ...) \
  ((type) == TYPE_F32 ? OF_LEVEL(f32, function, __VA_ARGS__) : OF_LEVEL(f64, function, __VA_ARGS__))
