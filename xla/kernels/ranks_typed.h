typedef REAL NAME(quad) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

// vectors_tile sets the given number of rows of V [n, 4].
INLINE void NAME(vectors_tile)(REAL *restrict v, const REAL *restrict nodes, const REAL *restrict puts, int rows,
                               int64_t sums) {
  NAME(quad) all[4] = {0};
  for (int64_t i = 0; i < sums; i++)
    for (int k = 0; k < rows; k++)
      all[k] += nodes[k * sums + i] * *(const NAME(quad) *)(puts + 4 * i);
  for (int k = 0; k < rows; k++)
    *(NAME(quad) *)(v + 4 * k) = all[k];
}

INLINE void NAME(vectors)(REAL *restrict v, const REAL *restrict nodes, const REAL *restrict puts, int64_t n,
                          int64_t sums) {
  int64_t u = 0;
  for (; u + 4 <= n; u += 4)
    NAME(vectors_tile)(v + 4 * u, nodes + u * sums, puts, 4, sums);
  for (; u < n; u++)
    NAME(vectors_tile)(v + 4 * u, nodes + u * sums, puts, 1, sums);
}

// two computes the sums [d] of the rows of x, weighted by two columns of V.
INLINE void NAME(two)(REAL *restrict first, REAL *restrict second, const REAL *restrict v, int one, int other,
                      const REAL *restrict x, int64_t n, int64_t d) {
  int64_t i = 0;
  for (; i + LANES <= d; i += LANES) {
    NAME(vector) a[4] = {0}, b[4] = {0}, row; // several sums, as each waits for its last addition
    for (int64_t u = 0; u < n; u += 4)
      for (int64_t k = 0; k < 4 && u + k < n; k++) {
        NAME(load)(&row, x + (u + k) * d + i);
        NAME(add)(&a[k], v[4 * (u + k) + one], &row);
        NAME(add)(&b[k], v[4 * (u + k) + other], &row);
      }
    for (int k = 1; k < 4; k++) {
      NAME(add)(&a[0], 1, &a[k]);
      NAME(add)(&b[0], 1, &b[k]);
    }
    NAME(store)(first + i, &a[0]);
    NAME(store)(second + i, &b[0]);
  }
  for (; i < d; i++) {
    first[i] = second[i] = 0;
    for (int64_t u = 0; u < n; u++) {
      first[i] += v[4 * u + one] * x[u * d + i];
      second[i] += v[4 * u + other] * x[u * d + i];
    }
  }
}

COMPILED static void NAME(ranks)(const ranks *r, REAL *restrict y, REAL *restrict room) {
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

// cotangents_of is cotangents, faster if d is a constant.
INLINE void NAME(cotangents_of)(REAL *restrict of, const REAL *restrict v, const REAL *restrict z,
                                const REAL *restrict x, int64_t n, int64_t d, REAL *restrict room) {
  REAL *first = room, *second = room + d, *third = room + 2 * d, *fourth = room + 3 * d;
  NAME(two)(first, second, v, 0, 1, z, n, d);
  NAME(two)(third, fourth, v, 1, 2, x, n, d);
  for (int64_t u = 0; u < n; u++, x += d, z += d, of += 4) {
    NAME(vector) sums[4] = {0}, own, given, with;
    int64_t i = 0;
    for (; i + LANES <= d; i += LANES) {
      NAME(load)(&own, z + i);
      NAME(load)(&given, x + i);
      NAME(load)(&with, third + i);
      NAME(add_product)(&sums[0], &own, &with);
      NAME(load)(&with, fourth + i);
      NAME(add_product)(&sums[1], &own, &with);
      NAME(load)(&with, first + i);
      NAME(add_product)(&sums[1], &given, &with);
      NAME(load)(&with, second + i);
      NAME(add_product)(&sums[2], &given, &with);
      NAME(add_product)(&sums[3], &given, &own);
    }
    for (int k = 0; k < 4; k++)
      of[k] = NAME(sum)(&sums[k]);
    for (; i < d; i++) {
      of[0] += z[i] * third[i];
      of[1] += x[i] * first[i] + z[i] * fourth[i];
      of[2] += x[i] * second[i];
      of[3] += x[i] * z[i];
    }
  }
}

// cotangents computes the cotangent rows [n, 4] of V for cotangent x of the product. v holds the rows of V.
INLINE void NAME(cotangents)(REAL *restrict of, const REAL *restrict v, const REAL *restrict z, const REAL *restrict x,
                             int64_t n, int64_t d, REAL *restrict room) {
  if (d == LANES)
    NAME(cotangents_of)(of, v, z, x, n, LANES, room);
  else
    NAME(cotangents_of)(of, v, z, x, n, d, room);
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
COMPILED static void NAME(pulled)(const ranks *r, const REAL *restrict x, REAL *restrict dputs, REAL *restrict room) {
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

COMPILED static void NAME(pulled_to_nodes)(const ranks *r, const REAL *restrict x, REAL *restrict dnodes,
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
