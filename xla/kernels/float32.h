// Sets the type of the typed headers to float32. May be included several times.
#undef REAL
#undef BITS
#undef LANES
#undef NAME
#define REAL float
#define BITS uint32_t // as long as a REAL
#define LANES 16
#ifdef WIDE
#define NAME(x) x##_f32_wide
#else
#define NAME(x) x##_f32
#endif
