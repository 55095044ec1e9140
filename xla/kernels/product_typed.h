#if LEVEL > 1 && LANES == 16
#include "several_typed.h"
#endif

// Where the entries of lists come from: rows of each matrix, or a path through rows of A, which gives A and A'. There
// are two if lists of the transposed matrices follow.
typedef struct {
  const REAL *from[2 * MOST];
  const REAL *before[2], *at[2], *after[2];
  REAL x[2], dx[2]; // weights of the path
} NAME(origin);

#if LEVEL > 1 && LANES == 16
INLINE void NAME(entries_at)(NAME(several) * entries, const NAME(origin) *o, int64_t k, int64_t count, int each,
                             int along) {
  if (!along) {
    for (int j = 0; j < each; j++)
      entries[j] = NAME(load_first)(o->from[j] + k, count);
    return;
  }
  for (int side = 0; side < each / 2; side++) {
    NAME(several) at = NAME(load_first)(o->at[side] + k, count);
    NAME(several) previous = at - NAME(load_first)(o->before[side] + k, count);
    NAME(several) next = NAME(load_first)(o->after[side] + k, count) - at;
    entries[2 * side] = at + (o->x[0] * previous + o->x[1] * next);
    entries[2 * side + 1] = o->dx[0] * previous + o->dx[1] * next;
  }
}
#else
INLINE void NAME(entries_at)(REAL *entries, const NAME(origin) *o, int64_t k, int each, int along) {
  if (!along) {
    for (int j = 0; j < each; j++)
      entries[j] = o->from[j][k];
    return;
  }
  for (int side = 0; side < each / 2; side++) {
    REAL at = o->at[side][k], previous = at - o->before[side][k], next = o->after[side][k] - at;
    entries[2 * side] = at + (o->x[0] * previous + o->x[1] * next);
    entries[2 * side + 1] = o->dx[0] * previous + o->dx[1] * next;
  }
}
#endif

// keep copies the entries of a list that are not 0 in every matrix, and their nodes, to place begin of the arranged
// lists, and returns the place after them. It may write to BEHIND places more.
INLINE int64_t NAME(keep)(const int32_t *restrict neighbours, const NAME(origin) *from, int64_t at, int64_t width,
                          int64_t begin, int64_t room, int32_t *restrict to, REAL *restrict values, int each,
                          int along) {
#if LEVEL > 1 && LANES == 16
  for (int64_t k = at, end = at + width; k < end; k += NAME(SEVERAL)) {
    NAME(several) entries[2 * MOST];
    NAME(entries_at)(entries, from, k, end - k, each, along);
    NAME(bits) any = 0;
    for (int j = 0; j < each; j++)
      any |= NAME(nonzero)(entries[j]);
    NAME(several) nodes = NAME(load_first)((const REAL *)neighbours + k, end - k); // moved as bits, without arithmetic
    NAME(pack)((REAL *)to + begin, any, nodes);
    for (int j = 0; j < each; j++)
      NAME(pack)(values + j * room + begin, any, entries[j]);
    begin += __builtin_popcount(any);
  }
#else
  int64_t end = at + width;
  for (int64_t k = at; k < end; k++) {
    BITS any = 0;
    REAL entries[2 * MOST];
    NAME(entries_at)(entries, from, k, each, along);
    for (int j = 0; j < each; j++) {
      NAME(parts) entry = {entries[j]};
      any |= entry.bits;
      values[j * room + begin] = entry.number;
    }
    to[begin] = neighbours[k]; // also for dropped entries: a branch would often be mispredicted
    begin += (BITS)(any << 1) != 0; // without the sign, for -0
  }
#endif
  return begin;
}

// arrange_of collects the nonzero entries of the lists of each place: the neighbours' nodes, and the entries of all
// matrices there. The padding after them is not used. The rows are of each matrix or, if along, [batch, rows, row] of a
// path.
INLINE void NAME(arrange_of)(const lists *l, int along, const track *path, const void *const *rows,
                             int32_t *restrict counts, int32_t *restrict to, REAL *restrict values, int matrices,
                             int directed) {
  int each = directed ? 2 * matrices : matrices;
  NAME(origin) o = {0};
  for (int64_t b = 0; b < l->batch; b++, to += l->room, values += each * l->room) {
    int64_t at = 0, begin = 0; // in a row, and in the arranged lists
    const REAL *knots[3] = {0};
    if (along) {
      moment m = pengcde_locate(path, b);
      const REAL *own = (const REAL *)rows[0] + b * path->rows * l->row;
      knots[0] = own + m.before * l->row;
      knots[1] = own + m.at * l->row;
      knots[2] = own + m.after * l->row;
      for (int i = 0; i < 2; i++) {
        o.x[i] = m.x[i];
        o.dx[i] = m.dx[i];
      }
    }
    for (int t = 0; t < l->tables; t++) {
      int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2], size = places * width;
      const int32_t *neighbours = (const int32_t *)l->table[t]->data + b * size;
      for (int side = 0; side < 2; side++) {
        int64_t from = at + side * size;
        if (along) {
          o.before[side] = knots[0] + from;
          o.at[side] = knots[1] + from;
          o.after[side] = knots[2] + from;
        } else
          for (int j = 0; j < matrices; j++)
            o.from[side * matrices + j] = (const REAL *)rows[j] + b * l->row + from;
      }
      for (int64_t i = 0; i < places; i++, begin += width) {
        int64_t found = NAME(keep)(neighbours, &o, i * width, width, begin, l->room, to, values, each, along);
        *counts++ = (int32_t)(found - begin);
      }
      at += directed ? 2 * size : size;
    }
  }
}

static void NAME(arrange)(const lists *l, const void *const *rows, int32_t *counts, int32_t *to, REAL *values) {
  switch (l->matrices + MOST * l->directed) { // known at compile time
  case 1:
    return NAME(arrange_of)(l, 0, NULL, rows, counts, to, values, 1, 0);
  case 2:
    return NAME(arrange_of)(l, 0, NULL, rows, counts, to, values, 2, 0);
  case 3:
    return NAME(arrange_of)(l, 0, NULL, rows, counts, to, values, 1, 1);
  default:
    return NAME(arrange_of)(l, 0, NULL, rows, counts, to, values, 2, 1);
  }
}

// lists_along arranges A and A' of a path.
static void NAME(lists_along)(const lists *l, const track *path, const void *rows, int32_t *counts,
                              int32_t *to, REAL *values) {
  if (l->directed)
    NAME(arrange_of)(l, 1, path, &rows, counts, to, values, 2, 1);
  else
    NAME(arrange_of)(l, 1, path, &rows, counts, to, values, 2, 0);
}

// product_of is faster if d, the width of p, is a constant.
INLINE void NAME(product_of)(const product *p, REAL *restrict y, int coefficients, int64_t d) {
  REAL w[CHUNK];
  const int32_t *node = p->node, *counts = p->counts, *to = p->to;
  const REAL *values = p->values, *z = p->z->data;
  int64_t room = p->lists.room, step = p->step * room;
  for (int64_t b = 0; b < p->lists.batch; b++, to += room, values += coefficients * step) {
    const REAL *c = (const REAL *)p->c->data + b / p->part * coefficients;
    int64_t begin = 0;
    for (int t = 0; t < p->lists.tables; t++) {
      int64_t places = p->lists.table[t]->dims[1], width = p->lists.table[t]->dims[2];
      for (int64_t i = 0; i < places; i++, begin += width) {
        REAL *row = y + *node++ * d;
        int64_t all = *counts++, from = 0;
        do {
          int64_t count = all - from < CHUNK ? all - from : CHUNK;
          const REAL *entries = values + begin + from;
          for (int64_t k = 0; k < count; k += LANES) {
            NAME(vector) mixed = {0}, of;
            for (int j = 0; j < coefficients; j++) {
              int at = j < 2 && coefficients > 1 ? 1 - j : j; // keeps the established order of rounding
              NAME(load)(&of, entries + at * step + k);
              NAME(add)(&mixed, c[at], &of);
            }
            NAME(store)(w + k, &mixed);
          }
          NAME(gathered)(row, from == 0 && !p->add, w, to + begin + from, count, z, d);
        } while ((from += CHUNK) < all);
      }
    }
  }
}

// WITH_CONSTANTS calls a function, whose last arguments are the number of coefficients and the width of p, with
// constants for the common ones.
#define WITH_CONSTANTS(function, p, ...) \
  switch (2 * (p)->coefficients + ((p)->d == LANES)) { \
  case 2: \
    return function(p, __VA_ARGS__, 1, (p)->d); \
  case 3: \
    return function(p, __VA_ARGS__, 1, LANES); \
  case 4: \
    return function(p, __VA_ARGS__, 2, (p)->d); \
  case 5: \
    return function(p, __VA_ARGS__, 2, LANES); \
  case 4 * MOST: \
    return function(p, __VA_ARGS__, 2 * MOST, (p)->d); \
  default: \
    return function(p, __VA_ARGS__, 2 * MOST, LANES); \
  }

static void NAME(product)(const product *p, REAL *restrict y) {
  WITH_CONSTANTS(NAME(product_of), p, y)
}

INLINE void NAME(weights_of)(const product *p, const REAL *restrict v, REAL *restrict dc, int coefficients,
                             int64_t d) {
  const int32_t *node = p->node, *counts = p->counts, *to = p->to;
  const REAL *values = p->values, *z = p->z->data;
  int64_t room = p->lists.room, step = p->step * room;
  __builtin_memset(dc, 0, p->seeds * coefficients * sizeof(REAL));
  for (int64_t b = 0; b < p->lists.batch; b++, to += room, values += coefficients * step) {
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
              NAME(add)(&all[j], values[j * step + k], &row);
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
            rest[j] += s * values[j * step + k];
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
static void NAME(weights)(const product *p, const REAL *restrict v, REAL *restrict dc) {
  WITH_CONSTANTS(NAME(weights_of), p, v, dc)
}
#undef WITH_CONSTANTS

// entries computes the cotangents of the rows for cotangent v of the product.
static void NAME(entries)(const lists *l, const int32_t *node, const REAL *restrict c, int64_t part,
                          const REAL *restrict z, const REAL *restrict v, int64_t d, void *const *rows) {
  int each = l->directed ? 2 * l->matrices : l->matrices;
  for (int j = 0; j < l->matrices; j++)
    __builtin_memset(rows[j], 0, l->batch * l->row * sizeof(REAL));
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
            ((REAL *)rows[j % l->matrices])[at + k + (j < l->matrices ? 0 : size)] = own[j] * s;
        }
      at += l->directed ? 2 * size : size;
    }
  }
}
