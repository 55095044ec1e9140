// Declarations that kernels for numbers of type REAL share: vectors of LANES numbers. NAME(x) is x for this type and
// LEVEL.

typedef union {
  REAL number;
  BITS bits;
} NAME(word);

typedef REAL NAME(half) __attribute__((vector_size(LANES / 2 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef REAL NAME(quarter) __attribute__((vector_size(LANES / 4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

#if LEVEL == 4 // only here: GCC splits vectors longer than a processor's into single numbers
typedef REAL NAME(vector) __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

INLINE void NAME(load)(NAME(vector) * to, const REAL *x) { *to = *(const NAME(vector) *)x; }
INLINE void NAME(store)(REAL *to, const NAME(vector) * x) { *(NAME(vector) *)to = *x; }

// add adds w x to a vector, and add_product adds x y.
INLINE void NAME(add)(NAME(vector) * to, REAL w, const NAME(vector) * x) { *to += w * *x; }
INLINE void NAME(add_product)(NAME(vector) * to, const NAME(vector) * x, const NAME(vector) * y) { *to += *x * *y; }

// sum returns the sum of the numbers of x, by halves.
INLINE REAL NAME(sum)(const NAME(vector) * x) {
  return LANES == 16 ? (REAL)_mm512_reduce_add_ps((__m512)*x) : (REAL)_mm512_reduce_add_pd((__m512d)*x);
}
#else
// A vector has two halves of 32 bytes, the length of a processor's vectors.
typedef struct {
  NAME(half) low, high;
} NAME(vector);

INLINE void NAME(load)(NAME(vector) * to, const REAL *x) {
  to->low = *(const NAME(half) *)x;
  to->high = *(const NAME(half) *)(x + LANES / 2);
}

INLINE void NAME(store)(REAL *to, const NAME(vector) * x) {
  *(NAME(half) *)to = x->low;
  *(NAME(half) *)(to + LANES / 2) = x->high;
}

INLINE void NAME(add)(NAME(vector) * to, REAL w, const NAME(vector) * x) {
  to->low += w * x->low;
  to->high += w * x->high;
}

INLINE void NAME(add_product)(NAME(vector) * to, const NAME(vector) * x, const NAME(vector) * y) {
  to->low += x->low * y->low;
  to->high += x->high * y->high;
}

INLINE REAL NAME(sum)(const NAME(vector) * x) {
  NAME(quarter) low, high, all;
  NAME(half) both = x->low + x->high;
  __builtin_memcpy(&low, &both, sizeof low);
  __builtin_memcpy(&high, (const char *)&both + sizeof low, sizeof high);
  all = low + high;
  if (LANES == 8)
    return all[0] + all[1];
  return (all[0] + all[2 % (LANES / 4)]) + (all[1] + all[3 % (LANES / 4)]);
}
#endif

INLINE REAL NAME(dot)(const REAL *restrict x, const REAL *restrict y, int64_t d) {
  int64_t i = 0;
  REAL sum = 0;
  if (d >= LANES) {
    NAME(vector) all = {0}, a, b;
    for (; i + LANES <= d; i += LANES) {
      NAME(load)(&a, x + i);
      NAME(load)(&b, y + i);
      NAME(add_product)(&all, &a, &b);
    }
    sum = NAME(sum)(&all);
  }
  for (; i < d; i++)
    sum += x[i] * y[i];
  return sum;
}

// gathered adds to y [d] the rows of z with the given indices, weighted, or sets y if they are the first.
INLINE void NAME(gathered)(REAL *restrict y, int first, const REAL *restrict w, const int32_t *restrict at,
                           int64_t count, const REAL *restrict z, int64_t d) {
  int64_t i = 0;
  for (; i + LANES <= d; i += LANES) {
    NAME(vector) a = {0}, b = {0}, row;
    if (!first)
      NAME(load)(&a, y + i);
    int64_t k = 0;
    for (; k + 2 <= count; k += 2) {
      NAME(load)(&row, z + at[k] * d + i);
      NAME(add)(&a, w[k], &row);
      NAME(load)(&row, z + at[k + 1] * d + i);
      NAME(add)(&b, w[k + 1], &row);
    }
    if (k < count) {
      NAME(load)(&row, z + at[k] * d + i);
      NAME(add)(&a, w[k], &row);
    }
    NAME(add)(&a, 1, &b);
    NAME(store)(y + i, &a);
  }
  // The numbers after the last whole vector, each sum in a register.
#define GATHERED(type) \
  for (const int64_t size = sizeof(type) / sizeof(REAL); i + size <= d; i += size) { \
    type sum = {0}; \
    if (!first) \
      sum = *(const type *)(y + i); \
    for (int64_t k = 0; k < count; k++) \
      sum += w[k] * *(const type *)(z + at[k] * d + i); \
    *(type *)(y + i) = sum; \
  }
  GATHERED(NAME(half))
  GATHERED(NAME(quarter))
  GATHERED(REAL)
#undef GATHERED
}
