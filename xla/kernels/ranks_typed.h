typedef REAL NAME(quad) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

// vectors sets the rows of V [n, 4].
INLINE void NAME(vectors)(REAL *restrict v, const REAL *restrict nodes, const REAL *restrict puts, int64_t n,
                          int64_t sums) {
  for (int64_t u = 0; u < n; u++, nodes += sums) {
    NAME(quad) all = {0};
    for (int64_t i = 0; i < sums; i++)
      all += nodes[i] * *(const NAME(quad) *)(puts + 4 * i);
    *(NAME(quad) *)(v + 4 * u) = all;
  }
}

// two computes the sums [d] of the rows of x, weighted by two columns of V.
INLINE void NAME(two)(REAL *restrict first, REAL *restrict second, const REAL *restrict v, int one, int other,
                      const REAL *restrict x, int64_t n, int64_t d) {
  int64_t i = 0;
  for (; i + LANES <= d; i += LANES) {
    NAME(vector) a = {0}, b = {0}, row;
    for (int64_t u = 0; u < n; u++) {
      NAME(load)(&row, x + u * d + i);
      NAME(add)(&a, v[4 * u + one], &row);
      NAME(add)(&b, v[4 * u + other], &row);
    }
    NAME(store)(first + i, &a);
    NAME(store)(second + i, &b);
  }
  for (; i < d; i++) {
    first[i] = second[i] = 0;
    for (int64_t u = 0; u < n; u++) {
      first[i] += v[4 * u + one] * x[u * d + i];
      second[i] += v[4 * u + other] * x[u * d + i];
    }
  }
}

CLONES static void NAME(ranks)(const ranks *r, REAL *restrict y, REAL *restrict room) {
  REAL *first = room, *second = room + r->d, *v = room + 4 * r->d;
  int64_t d = r->d, n = r->n;
  for (int64_t b = 0; b < r->batch; b++) {
    const REAL *z = (const REAL *)r->z->data + b * n * d;
    NAME(vectors)(v, (const REAL *)r->nodes->data + b * n * r->sums,
                  (const REAL *)r->puts->data + b / r->part * r->sums * 4, n, r->sums);
    NAME(two)(first, second, v, 0, 1, z, n, d);
    for (int64_t u = 0; u < n; u++, y += d, z += d) {
      REAL one = v[4 * u + 1], other = v[4 * u + 2], own = v[4 * u + 3];
      int64_t i = 0;
      for (; i + LANES <= d; i += LANES) {
        NAME(vector) all = {0}, of;
        NAME(load)(&of, second + i);
        NAME(add)(&all, other, &of);
        NAME(load)(&of, first + i);
        NAME(add)(&all, one, &of);
        NAME(load)(&of, z + i);
        NAME(add)(&all, own, &of);
        NAME(store)(y + i, &all);
      }
      for (; i < d; i++)
        y[i] = one * first[i] + other * second[i] + own * z[i];
    }
  }
}

// cotangents computes the cotangent rows [n, 4] of V for cotangent x of the product. v holds the rows of V.
INLINE void NAME(cotangents)(REAL *restrict of, const REAL *restrict v, const REAL *restrict z, const REAL *restrict x,
                             int64_t n, int64_t d, REAL *restrict room) {
  REAL *first = room, *second = room + d, *third = room + 2 * d, *fourth = room + 3 * d;
  NAME(two)(first, second, v, 0, 1, z, n, d);
  NAME(two)(third, fourth, v, 1, 2, x, n, d);
  for (int64_t u = 0; u < n; u++, x += d, z += d, of += 4) {
    of[0] = NAME(dot)(z, third, d);
    of[1] = NAME(dot)(x, first, d) + NAME(dot)(z, fourth, d);
    of[2] = NAME(dot)(x, second, d);
    of[3] = NAME(dot)(x, z, d);
  }
}

// outer adds to rows of sums [count, 4] the products of count columns of nodes [n, stride] and the rows of of [n, 4].
INLINE void NAME(outer)(REAL *restrict sums, const REAL *restrict nodes, const REAL *restrict of, int64_t n,
                        int64_t stride, int count) {
  NAME(quad) all[4] = {0};
  for (int64_t u = 0; u < n; u++)
    for (int i = 0; i < count; i++)
      all[i] += nodes[u * stride + i] * *(const NAME(quad) *)(of + 4 * u);
  for (int i = 0; i < count; i++)
    *(NAME(quad) *)(sums + 4 * i) += all[i];
}

// pulled computes the cotangents of the coefficients, and pulled_to_nodes the cotangents of the sums, for cotangent x
// of the product.
CLONES static void NAME(pulled)(const ranks *r, const REAL *restrict x, REAL *restrict dputs, REAL *restrict room) {
  int64_t d = r->d, n = r->n;
  REAL *v = room + 4 * d, *of = v + 4 * n;
  memset(dputs, 0, r->seeds * r->sums * 4 * sizeof(REAL));
  for (int64_t b = 0; b < r->batch; b++) {
    const REAL *nodes = (const REAL *)r->nodes->data + b * n * r->sums;
    REAL *sums = dputs + b / r->part * r->sums * 4;
    NAME(vectors)(v, nodes, (const REAL *)r->puts->data + b / r->part * r->sums * 4, n, r->sums);
    NAME(cotangents)(of, v, (const REAL *)r->z->data + b * n * d, x + b * n * d, n, d, room);
    int64_t i = 0;
    for (; i + 4 <= r->sums; i += 4)
      NAME(outer)(sums + 4 * i, nodes + i, of, n, r->sums, 4);
    for (; i < r->sums; i++)
      NAME(outer)(sums + 4 * i, nodes + i, of, n, r->sums, 1);
  }
}

CLONES static void NAME(pulled_to_nodes)(const ranks *r, const REAL *restrict x, REAL *restrict dnodes,
                                         REAL *restrict room) {
  int64_t d = r->d, n = r->n;
  REAL *v = room + 4 * d, *of = v + 4 * n;
  for (int64_t b = 0; b < r->batch; b++) {
    const REAL *puts = (const REAL *)r->puts->data + b / r->part * r->sums * 4;
    NAME(vectors)(v, (const REAL *)r->nodes->data + b * n * r->sums, puts, n, r->sums);
    NAME(cotangents)(of, v, (const REAL *)r->z->data + b * n * d, x + b * n * d, n, d, room);
    for (int64_t u = 0; u < n; u++)
      for (int64_t i = 0; i < r->sums; i++)
        *dnodes++ = NAME(dot)(of + 4 * u, puts + 4 * i, 4);
  }
}
