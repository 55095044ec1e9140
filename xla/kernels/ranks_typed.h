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

// sums_from returns the sums of the nodes from one on.
INLINE NAME(sums) NAME(sums_from)(const NAME(sums) *s, int64_t node) {
  NAME(sums) later = *s;
  for (int64_t i = 0; i < s->count; i++)
    if (s->at[i] != NULL)
      later.at[i] += node * s->stride;
  return later;
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

// The work on one sample, whose nodes are divided into parts. Each part keeps its own sums, which are then added in the
// order of the parts.
typedef struct {
  const ranks *r;
  NAME(sums) sums;
  const REAL *puts, *z, *x; // x: the cotangent of the product, NULL for the product itself
  REAL *out, *v, *of;       // of: the cotangent rows of V
  // Of each part the weighted sums of rows of z, and of x, [kept], and the cotangents of the coefficients [sums, 4].
  // They are added to the first part's, which so become all nodes'.
  REAL *totals, *dputs;
  int64_t kept, parts;
} NAME(sample);

// sum_part computes the rows of V and the weighted sums of a part.
static void NAME(sum_part)(void *of, int64_t part) {
  const NAME(sample) *s = of;
  int64_t from = first_of(part, s->parts, s->r->n), to = first_of(part + 1, s->parts, s->r->n), d = s->r->d;
  REAL *totals = s->totals + s->kept * part, *v = s->v + 4 * from;
  NAME(sums) sums = NAME(sums_from)(&s->sums, from);
  NAME(vectors)(v, &sums, s->puts, to - from);
  NAME(two)(totals, totals + d, v, 0, 1, s->z + from * d, to - from, d);
  if (s->x != NULL)
    NAME(two)(totals + 2 * d, totals + 3 * d, v, 1, 2, s->x + from * d, to - from, d);
}

static void NAME(multiply_part)(void *of, int64_t part) {
  const NAME(sample) *s = of;
  int64_t from = first_of(part, s->parts, s->r->n), to = first_of(part + 1, s->parts, s->r->n), d = s->r->d;
  const REAL *restrict first = s->totals, *restrict second = first + d;
  const REAL *restrict v = s->v + 4 * from, *restrict z = s->z + from * d;
  REAL *restrict y = s->out + from * d;
  for (int64_t u = from; u < to; u++, v += 4, y += d, z += d) {
    REAL one = v[1], other = v[2], own = v[3];
    int64_t i = 0;
    for (; i + LANES <= d; i += LANES) {
      NAME(vector) all = {0}, row;
      NAME(load)(&row, second + i);
      NAME(add)(&all, other, &row);
      NAME(load)(&row, first + i);
      NAME(add)(&all, one, &row);
      NAME(load)(&row, z + i);
      NAME(add)(&all, own, &row);
      NAME(store)(y + i, &all);
    }
    for (; i < d; i++)
      y[i] = one * first[i] + other * second[i] + own * z[i];
  }
}

// cotangents_of is cotangents, faster if d is a constant.
INLINE void NAME(cotangents_of)(REAL *restrict of, const REAL *restrict z, const REAL *restrict x, int64_t n, int64_t d,
                                const REAL *restrict totals) {
  const REAL *first = totals, *second = first + d, *third = second + d, *fourth = third + d;
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

// cotangents computes the cotangent rows [n, 4] of V for cotangent x of the product.
INLINE void NAME(cotangents)(REAL *restrict of, const REAL *restrict z, const REAL *restrict x, int64_t n, int64_t d,
                             const REAL *restrict totals) {
  if (d == LANES)
    NAME(cotangents_of)(of, z, x, n, LANES, totals);
  else
    NAME(cotangents_of)(of, z, x, n, d, totals);
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

// pull_part adds a part of the nodes to the cotangents of the coefficients, and pull_part_to_nodes computes the
// cotangents of the part's sums, for cotangent x of the product.
static void NAME(pull_part)(void *of, int64_t part) {
  const NAME(sample) *s = of;
  int64_t from = first_of(part, s->parts, s->r->n), count = first_of(part + 1, s->parts, s->r->n) - from, d = s->r->d;
  NAME(cotangents)(s->of + 4 * from, s->z + from * d, s->x + from * d, count, d, s->totals);
  REAL *dputs = s->dputs + 4 * s->r->sums * part;
  NAME(sums) sums = NAME(sums_from)(&s->sums, from);
  NAME(outers)(dputs, &sums, s->of + 4 * from, count);
}

static void NAME(pull_part_to_nodes)(void *of, int64_t part) {
  const NAME(sample) *s = of;
  int64_t from = first_of(part, s->parts, s->r->n), to = first_of(part + 1, s->parts, s->r->n);
  int64_t d = s->r->d, sums = s->r->sums;
  NAME(cotangents)(s->of + 4 * from, s->z + from * d, s->x + from * d, to - from, d, s->totals);
  for (int64_t u = from; u < to; u++)
    for (int64_t i = 0; i < sums; i++)
      s->out[u * sums + i] = NAME(dot)(s->of + 4 * u, s->puts + 4 * i, 4);
}

// add_to_first adds count numbers of each part to the first part's.
INLINE void NAME(add_to_first)(REAL *restrict first, int64_t parts, int64_t count) {
  for (int64_t part = 1; part < parts; part++)
    for (int64_t i = 0; i < count; i++)
      first[i] += first[part * count + i];
}

static void NAME(ranks)(call_frame *f, const ranks *r, rank_result result, int64_t parts, const REAL *x, REAL *out,
                        REAL *room) {
  int64_t d = r->d, n = r->n, each = 4 * r->sums, size = ENTRIES_OF_NODE * n / parts;
  NAME(sample) s = {.r = r, .v = room, .of = room + 4 * n, .totals = room + 8 * n, .parts = parts};
  s.kept = result == PRODUCT ? 2 * d : 4 * d;
  REAL *dputs = s.totals + s.kept * parts;
  if (result == TO_PUTS)
    __builtin_memset(out, 0, r->seeds * each * sizeof(REAL));
  for (int64_t b = 0; b < r->batch; b++) {
    int64_t seed = b / (r->batch / r->seeds);
    s.sums = NAME(sums_of)(r, b);
    s.puts = (const REAL *)r->puts + seed * each;
    s.z = (const REAL *)r->z + b * n * d;
    s.x = result == PRODUCT ? NULL : x + b * n * d;
    pengcde_share(f, parts, size, NAME(sum_part), &s);
    NAME(add_to_first)(s.totals, parts, s.kept);
    switch (result) {
    case PRODUCT:
      s.out = out + b * n * d;
      pengcde_share(f, parts, size, NAME(multiply_part), &s);
      break;
    case TO_PUTS:
      s.dputs = parts == 1 ? out + seed * each : dputs; // one part adds to the samples before it
      if (parts > 1)
        __builtin_memset(dputs, 0, parts * each * sizeof(REAL));
      pengcde_share(f, parts, size, NAME(pull_part), &s);
      if (parts > 1) {
        NAME(add_to_first)(dputs, parts, each);
        for (int64_t i = 0; i < each; i++)
          out[seed * each + i] += dputs[i];
      }
      break;
    case TO_NODES:
      s.out = out + b * n * r->sums;
      pengcde_share(f, parts, size, NAME(pull_part_to_nodes), &s);
    }
  }
}
