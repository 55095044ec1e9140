typedef REAL NAME(quad) __attribute__((vector_size(4 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

// The sums of a sample. Sum i of node u is at[i][u * stride], or same[i] for all nodes if at[i] is NULL.
typedef struct {
  const REAL *at[MOST_SUMS];
  REAL same[MOST_SUMS];
  int64_t count, stride;
} NAME(sums);

// sums_of returns the sums of sample b. Of each matrix they are the sums of a node's row and column, its diagonal,
// total and trace; then comes 1. A row of the matrix ends with the sums of rows, of columns unless they are the same,
// the diagonal, total and trace.
INLINE NAME(sums) NAME(sums_of)(const ranks *r, int64_t b) {
  NAME(sums) s = {.count = r->sums, .stride = r->nodes == NULL ? 1 : r->sums};
  if (r->nodes != NULL) {
    for (int64_t i = 0; i < s.count; i++)
      s.at[i] = (const REAL *)r->nodes + b * r->n * s.count + i;
    return s;
  }
  for (int m = 0; m < r->matrices; m++) {
    const REAL *end = (const REAL *)r->rows[m] + (b + 1) * r->width, *columns = end - 2 - 2 * r->n;
    int at = OF_EACH * m;
    s.at[at] = r->directed ? columns - r->n : columns;
    s.at[at + 1] = columns;
    s.at[at + 2] = columns + r->n;
    s.same[at + 3] = end[-2];
    s.same[at + 4] = end[-1];
  }
  s.same[OF_EACH * r->matrices] = 1;
  return s;
}

// vectors sets V [n, 4]. It adds the sums that are the same for all nodes once.
INLINE void NAME(vectors)(REAL *restrict v, const NAME(sums) *s, const REAL *restrict puts, int64_t n) {
  NAME(quad) same = {0};
  int64_t count = 0;
  struct {
    const REAL *at;
    NAME(quad) put;
  } own[MOST_SUMS];
  for (int64_t i = 0; i < s->count; i++) {
    const NAME(quad) *put = (const NAME(quad) *)(puts + 4 * i);
    if (s->at[i] == NULL)
      same += s->same[i] * *put;
    else {
      own[count].at = s->at[i];
      own[count++].put = *put;
    }
  }
  int64_t u = 0;
  for (; u + 4 <= n; u += 4) {
    NAME(quad) all[4] = {same, same, same, same};
    for (int64_t i = 0; i < count; i++)
      for (int k = 0; k < 4; k++)
        all[k] += own[i].at[(u + k) * s->stride] * own[i].put;
    for (int k = 0; k < 4; k++)
      *(NAME(quad) *)(v + 4 * (u + k)) = all[k];
  }
  for (; u < n; u++) {
    NAME(quad) all = same;
    for (int64_t i = 0; i < count; i++)
      all += own[i].at[u * s->stride] * own[i].put;
    *(NAME(quad) *)(v + 4 * u) = all;
  }
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

static void NAME(ranks)(const ranks *r, REAL *restrict y, REAL *restrict room) {
  REAL *first = room, *second = room + r->d, *v = room + 4 * r->d;
  int64_t d = r->d, n = r->n;
  for (int64_t b = 0; b < r->batch; b++) {
    const REAL *z = (const REAL *)r->z + b * n * d;
    NAME(sums) sums = NAME(sums_of)(r, b);
    NAME(vectors)(v, &sums, (const REAL *)r->puts + b / (r->batch / r->seeds) * r->sums * 4, n);
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

// outer adds to the cotangents [count, 4] of coefficients the products of count sums and the rows of of [n, 4].
INLINE void NAME(outer)(REAL *restrict dputs, const REAL *const *at, int64_t stride, const REAL *restrict of, int64_t n,
                        int count) {
  NAME(quad) all[4] = {0};
  for (int64_t u = 0; u < n; u++)
    for (int i = 0; i < count; i++)
      all[i] += at[i][u * stride] * *(const NAME(quad) *)(of + 4 * u);
  for (int i = 0; i < count; i++)
    *(NAME(quad) *)(dputs + 4 * i) += all[i];
}

// outers adds to the cotangents [sums, 4] of all coefficients. Sums that are the same for all nodes need only the total
// of the rows of of. The other sums come in threes, see sums_of.
INLINE void NAME(outers)(REAL *restrict dputs, const NAME(sums) *s, const REAL *restrict of, int64_t n) {
  const REAL one = 1, *const ones = &one;
  NAME(quad) total = {0};
  NAME(outer)((REAL *)&total, &ones, 0, of, n, 1);
  for (int64_t i = 0, count; i < s->count; i += count) {
    const REAL *const *at = s->at + i;
    for (count = 0; count < 3 && i + count < s->count && at[count] != NULL;)
      count++;
    if (count == 3)
      NAME(outer)(dputs + 4 * i, at, s->stride, of, n, 3);
    else if (count > 0)
      NAME(outer)(dputs + 4 * i, at, s->stride, of, n, count = 1);
    else {
      *(NAME(quad) *)(dputs + 4 * i) += s->same[i] * total;
      count = 1;
    }
  }
}

// pulled computes the cotangents of the coefficients, and pulled_to_nodes the cotangents of the sums, for cotangent x
// of the product.
static void NAME(pulled)(const ranks *r, const REAL *restrict x, REAL *restrict dputs, REAL *restrict room) {
  int64_t d = r->d, n = r->n;
  REAL *v = room + 4 * d, *of = v + 4 * n;
  __builtin_memset(dputs, 0, r->seeds * r->sums * 4 * sizeof(REAL));
  for (int64_t b = 0; b < r->batch; b++) {
    int64_t at = b / (r->batch / r->seeds) * r->sums * 4;
    NAME(sums) sums = NAME(sums_of)(r, b);
    NAME(vectors)(v, &sums, (const REAL *)r->puts + at, n);
    NAME(cotangents)(of, v, (const REAL *)r->z + b * n * d, x + b * n * d, n, d, room);
    NAME(outers)(dputs + at, &sums, of, n);
  }
}

static void NAME(pulled_to_nodes)(const ranks *r, const REAL *restrict x, REAL *restrict dnodes, REAL *restrict room) {
  int64_t d = r->d, n = r->n;
  REAL *v = room + 4 * d, *of = v + 4 * n;
  for (int64_t b = 0; b < r->batch; b++) {
    const REAL *puts = (const REAL *)r->puts + b / (r->batch / r->seeds) * r->sums * 4;
    NAME(sums) sums = NAME(sums_of)(r, b);
    NAME(vectors)(v, &sums, puts, n);
    NAME(cotangents)(of, v, (const REAL *)r->z + b * n * d, x + b * n * d, n, d, room);
    for (int64_t u = 0; u < n; u++)
      for (int64_t i = 0; i < r->sums; i++)
        *dnodes++ = NAME(dot)(of + 4 * u, puts + 4 * i, 4);
  }
}
