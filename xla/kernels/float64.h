// Sets the type of the typed headers to float64, and NAME for it and LEVEL. May be included several times.
#undef REAL
#undef BITS
#undef LANES
#undef NAME
#define REAL double
#define BITS uint64_t // as long as a REAL
#define LANES 8
#if LEVEL == 4
#define NAME(x) x##_f64_v4
#elif LEVEL == 3
#define NAME(x) x##_f64_v3
#else
#define NAME(x) x##_f64
#endif
