// What kernels for numbers of type REAL share: vectors of LANES of them. NAME(x) is x for that type.

typedef REAL NAME(vector) __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

INLINE REAL NAME(dot)(const REAL *restrict x, const REAL *restrict y, int64_t d) {
  int64_t i = 0;
  REAL sum = 0;
  if (d >= LANES) {
    NAME(vector) s = *(const NAME(vector) *)x * *(const NAME(vector) *)y;
    for (i = LANES; i + LANES <= d; i += LANES)
      s += *(const NAME(vector) *)(x + i) * *(const NAME(vector) *)(y + i);
    for (int l = 0; l < LANES; l++)
      sum += s[l];
  }
  for (; i < d; i++)
    sum += x[i] * y[i];
  return sum;
}
