// Sets what is typed to float32, and may be included again.
#undef REAL
#undef LANES
#undef NAME
#define REAL float
#define LANES 16
#define NAME(x) x##_f32
