// Sets the type of the typed headers to float32, and NAME for it and LEVEL. May be included several times.
#undef REAL
#undef BITS
#undef LANES
#undef NAME
#define REAL float
#define BITS uint32_t // as long as a REAL
#define LANES 16
#if LEVEL == 4
#define NAME(x) x##_f32_v4
#elif LEVEL == 3
#define NAME(x) x##_f32_v3
#else
#define NAME(x) x##_f32
#endif
