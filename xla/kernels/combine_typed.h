// combine leaves out rows with weight 0, which may be padding.
static void NAME(combine)(const combination *c, const REAL *restrict weights, const REAL *restrict rows,
                          REAL *restrict y) {
  const int32_t *places = c->places;
  for (int64_t n = 0; n < c->sums; n++, weights += c->terms, places += c->terms, y += c->d) {
    REAL w[TOGETHER];
    int32_t at[TOGETHER];
    int count = 0, first = 1;
    for (int64_t k = 0; k < c->terms; k++) {
      if (weights[k] == 0)
        continue;
      if (count == TOGETHER) {
        NAME(gathered)(y, first, w, at, count, rows, c->d);
        count = first = 0;
      }
      w[count] = weights[k];
      at[count++] = places[k];
    }
    NAME(gathered)(y, first, w, at, count, rows, c->d);
  }
}
