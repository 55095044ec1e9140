// Sets what is typed to float64, and may be included again.
#undef REAL
#undef BITS
#undef LANES
#undef NAME
#define REAL double
#define BITS uint64_t // as long as a REAL
#define LANES 8
#define NAME(x) x##_f64
