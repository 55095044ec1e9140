// add_tile adds weighted rows to the given number of vectors at y + i, or sets them if the rows are the first.
INLINE void NAME(add_tile)(REAL *restrict y, int first, const REAL *w, const REAL *const *from, int count, int64_t i,
                           int vectors) {
  NAME(vector) all[4] = {0}, row;
  for (int j = 0; j < vectors && !first; j++)
    NAME(load)(&all[j], y + i + j * LANES);
  for (int k = 0; k < count; k++)
    for (int j = 0; j < vectors; j++) {
      NAME(load)(&row, from[k] + i + j * LANES);
      NAME(add)(&all[j], w[k], &row);
    }
  for (int j = 0; j < vectors; j++)
    NAME(store)(y + i + j * LANES, &all[j]);
}

INLINE void NAME(add_rows)(REAL *restrict y, int first, const REAL *w, const REAL *const *from, int count, int64_t d) {
  int64_t i = 0;
  for (; i + 4 * LANES <= d; i += 4 * LANES)
    NAME(add_tile)(y, first, w, from, count, i, 4);
  for (; i + LANES <= d; i += LANES)
    NAME(add_tile)(y, first, w, from, count, i, 1);
  for (; i < d; i++) {
    REAL sum = first ? 0 : y[i];
    for (int k = 0; k < count; k++)
      sum += w[k] * from[k][i];
    y[i] = sum;
  }
}

// combine leaves out rows with weight 0, which may be padding.
COMPILED static void NAME(combine)(const combination *c, const REAL *restrict weights, const REAL *restrict rows,
                                   REAL *restrict y) {
  const int32_t *places = c->places;
  for (int64_t n = 0; n < c->sums; n++, weights += c->terms, places += c->terms, y += c->d) {
    REAL w[TOGETHER];
    const REAL *from[TOGETHER];
    int count = 0, first = 1;
    for (int64_t k = 0; k < c->terms; k++) {
      if (weights[k] == 0)
        continue;
      if (count == TOGETHER) {
        NAME(add_rows)(y, first, w, from, count, c->d);
        count = first = 0;
      }
      w[count] = weights[k];
      from[count++] = rows + places[k] * c->d;
    }
    NAME(add_rows)(y, first, w, from, count, c->d);
  }
}
