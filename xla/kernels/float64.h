// Sets what is typed to float64, and may be included again.
#undef REAL
#undef LANES
#undef NAME
#define REAL double
#define LANES 8
#define NAME(x) x##_f64
