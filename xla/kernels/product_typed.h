// gathered adds to y [d] the rows of z with the given indices, weighted. If it is the first part, y was 0.
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
  if (first && i < d)
    memset(y + i, 0, (d - i) * sizeof(REAL));
  for (int64_t k = 0; i < d && k < count; k++)
    for (int64_t l = i; l < d; l++)
      y[l] += w[k] * z[at[k] * d + l];
}

INLINE void NAME(product_of)(const product *p, REAL *restrict y, int coefficients) {
  REAL w[CHUNK];
  const int32_t *node = p->node, *counts = p->counts, *to = p->to;
  const REAL *values = p->values, *z = p->z->data;
  for (int64_t b = 0; b < p->lists.batch; b++, to += p->lists.room, values += coefficients * p->lists.room) {
    const REAL *c = (const REAL *)p->c->data + b / p->part * coefficients;
    int64_t begin = 0;
    for (int t = 0; t < p->lists.tables; t++) {
      int64_t places = p->lists.table[t]->dims[1], width = p->lists.table[t]->dims[2];
      for (int64_t i = 0; i < places; i++, begin += width) {
        REAL *row = y + *node++ * p->d;
        int64_t all = *counts++, from = 0;
        do {
          int64_t count = all - from < CHUNK ? all - from : CHUNK;
          const REAL *entries = values + begin + from;
          for (int64_t k = 0; k < count; k += LANES) {
            NAME(vector) mixed = {0}, of;
            for (int j = 0; j < coefficients; j++) {
              int at = j < 2 && coefficients > 1 ? 1 - j : j; // keeps the established order of rounding
              NAME(load)(&of, entries + at * p->lists.room + k);
              NAME(add)(&mixed, c[at], &of);
            }
            NAME(store)(w + k, &mixed);
          }
          NAME(gathered)(row, from == 0, w, to + begin + from, count, z, p->d);
        } while ((from += CHUNK) < all);
      }
    }
  }
}

CLONES static void NAME(product)(const product *p, REAL *restrict y) {
  switch (p->coefficients) {
  case 1:
    return NAME(product_of)(p, y, 1);
  case 2:
    return NAME(product_of)(p, y, 2);
  default:
    return NAME(product_of)(p, y, 2 * MOST);
  }
}

INLINE void NAME(weights_of)(const product *p, const REAL *restrict v, REAL *restrict dc, int coefficients) {
  const int32_t *node = p->node, *counts = p->counts, *to = p->to;
  const REAL *values = p->values, *z = p->z->data;
  int64_t d = p->d, room = p->lists.room;
  memset(dc, 0, p->seeds * coefficients * sizeof(REAL));
  for (int64_t b = 0; b < p->lists.batch; b++, to += room, values += coefficients * room) {
    NAME(vector) sums[2 * MOST] = {0};
    REAL rest[2 * MOST] = {0};
    int64_t begin = 0;
    for (int t = 0; t < p->lists.tables; t++) {
      int64_t places = p->lists.table[t]->dims[1], width = p->lists.table[t]->dims[2];
      for (int64_t i = 0; i < places; i++, begin += width) {
        const REAL *own = v + *node++ * d;
        int64_t end = begin + *counts++, l = 0;
        for (; l + LANES <= d; l += LANES) {
          NAME(vector) all[2 * MOST] = {0};
          for (int64_t k = begin; k < end; k++) {
            NAME(vector) row;
            NAME(load)(&row, z + to[k] * d + l);
            for (int j = 0; j < coefficients; j++)
              NAME(add)(&all[j], values[j * room + k], &row);
          }
          NAME(vector) by;
          NAME(load)(&by, own + l);
          for (int j = 0; j < coefficients; j++)
            NAME(add_product)(&sums[j], &all[j], &by);
        }
        for (int64_t k = begin; l < d && k < end; k++) {
          REAL s = 0;
          for (int64_t i = l; i < d; i++)
            s += own[i] * z[to[k] * d + i];
          for (int j = 0; j < coefficients; j++)
            rest[j] += s * values[j * room + k];
        }
      }
    }
    for (int j = 0; j < coefficients; j++) {
      REAL *sum = dc + b / p->part * coefficients + j;
      *sum += rest[j] + NAME(sum)(&sums[j]);
    }
  }
}

// weights computes the cotangents of the coefficients for cotangent v of the product.
CLONES static void NAME(weights)(const product *p, const REAL *restrict v, REAL *restrict dc) {
  switch (p->coefficients) {
  case 1:
    return NAME(weights_of)(p, v, dc, 1);
  case 2:
    return NAME(weights_of)(p, v, dc, 2);
  default:
    return NAME(weights_of)(p, v, dc, 2 * MOST);
  }
}

// entries computes the cotangents of the rows for cotangent v of the product.
CLONES static void NAME(entries)(const lists *l, const int32_t *node, const REAL *restrict c, int64_t part,
                                 const REAL *restrict z, const REAL *restrict v, int64_t d, REAL *const *rows) {
  int each = l->directed ? 2 * l->matrices : l->matrices;
  for (int j = 0; j < l->matrices; j++)
    memset(rows[j], 0, l->batch * l->row * sizeof(REAL));
  for (int64_t b = 0; b < l->batch; b++) {
    const REAL *own = c + b / part * each;
    int64_t at = b * l->row;
    for (int t = 0; t < l->tables; t++) {
      int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2], size = places * width;
      const int32_t *neighbours = (const int32_t *)l->table[t]->data + b * size;
      for (int64_t i = 0; i < places; i++, node++)
        for (int64_t k = i * width; k < (i + 1) * width; k++) {
          REAL s = NAME(dot)(v + *node * d, z + neighbours[k] * d, d);
          for (int j = 0; j < each; j++)
            rows[j % l->matrices][at + k + (j < l->matrices ? 0 : size)] = own[j] * s;
        }
      at += l->directed ? 2 * size : size;
    }
  }
}
