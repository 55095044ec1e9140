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

// entry_at sets the entries of all matrices at a place of the rows.
INLINE void NAME(entry_at)(REAL *entries, const NAME(origin) *o, int64_t k, int each, int along) {
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

// keep copies the entries [at, end) of a list that are not 0 in every matrix, and their nodes, to place begin of the
// arranged lists, and returns the place after them.
INLINE int64_t NAME(keep)(const int32_t *restrict neighbours, const NAME(origin) *from, int64_t at, int64_t end,
                          int64_t begin, int64_t room, int32_t *restrict to, REAL *restrict values, int each,
                          int along) {
  for (int64_t k = at; k < end; k++) {
    BITS any = 0;
    REAL entries[2 * MOST];
    NAME(entry_at)(entries, from, k, each, along);
    for (int j = 0; j < each; j++) {
      NAME(word) entry = {entries[j]};
      any |= entry.bits;
      values[j * room + begin] = entry.number;
    }
    to[begin] = neighbours[k]; // also for dropped entries: a branch would often be mispredicted
    begin += (BITS)(any << 1) != 0; // without the sign, for -0
  }
  return begin;
}

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

// keep_several is keep, faster. It may write to BEHIND places more.
INLINE int64_t NAME(keep_several)(const int32_t *restrict neighbours, const NAME(origin) *from, int64_t at, int64_t end,
                                  int64_t begin, int64_t room, int32_t *restrict to, REAL *restrict values, int each,
                                  int along) {
  for (int64_t k = at; k < end; k += NAME(SEVERAL)) {
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
  return begin;
}
#endif

// arrange_of collects the nonzero entries of the lists of each place of a part: the neighbours' nodes, and the entries
// of all matrices there. The padding after them is not used. The rows are of each matrix or, if along, [batch, rows,
// row] of a path.
INLINE void NAME(arrange_of)(const lists *l, const span *s, int along, const track *path, const void *const *rows,
                             int32_t *restrict counts, int32_t *restrict to, REAL *restrict values, int matrices,
                             int directed) {
  int each = directed ? 2 * matrices : matrices;
  NAME(origin) o = {0};
  int64_t b = s->sample, first = 0, at = 0, begin = 0; // first place of a table; in a row, and in the arranged lists
  counts += b * l->nodes;
  to += b * l->room;
  values += b * each * l->room;
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
    for (int64_t i = LOW(s, first), high = HIGH(s, first, places); i < high; i++) {
      int64_t from = i * width, end = from + width, start = begin + from, found = start;
#if LEVEL > 1 && LANES == 16
      int64_t before = s->end - BEHIND - begin < end ? s->end - BEHIND - begin : end;
      if (before > from) { // from there on it may write to the lists of another part
        found = NAME(keep_several)(neighbours, &o, from, before, found, l->room, to, values, each, along);
        from = before;
      }
#endif
      found = NAME(keep)(neighbours, &o, from, end, found, l->room, to, values, each, along);
      counts[first + i] = (int32_t)(found - start);
    }
    at += directed ? 2 * size : size;
    first += places;
    begin += size;
  }
}

static void NAME(arrange)(const lists *l, const span *s, const track *path, const void *const *rows, int32_t *counts,
                          int32_t *to, REAL *values) {
  switch (l->matrices + MOST * l->directed + 2 * MOST * (path != NULL)) { // known at compile time
  case 1:
    return NAME(arrange_of)(l, s, 0, NULL, rows, counts, to, values, 1, 0);
  case 2:
    return NAME(arrange_of)(l, s, 0, NULL, rows, counts, to, values, 2, 0);
  case 3:
    return NAME(arrange_of)(l, s, 0, NULL, rows, counts, to, values, 1, 1);
  case 4:
    return NAME(arrange_of)(l, s, 0, NULL, rows, counts, to, values, 2, 1);
  case 6: // a path gives two matrices
    return NAME(arrange_of)(l, s, 1, path, rows, counts, to, values, 2, 0);
  default:
    return NAME(arrange_of)(l, s, 1, path, rows, counts, to, values, 2, 1);
  }
}

// product_of is faster if d, the width of p, is a constant.
INLINE void NAME(product_of)(const product *p, const span *s, REAL *restrict y, int coefficients, int64_t d) {
  REAL w[CHUNK];
  int64_t b = s->sample, room = p->lists.room, step = p->step * room, first = b * p->lists.nodes, begin = 0;
  const int32_t *node = p->node + first, *counts = p->counts + first, *to = p->to + b * room;
  const REAL *values = (const REAL *)p->values + b * coefficients * step, *z = p->z->data;
  const REAL *c = (const REAL *)p->c->data + b / p->per_seed * coefficients;
  first = 0;
  for (int t = 0; t < p->lists.tables; t++) {
    int64_t places = p->lists.table[t]->dims[1], width = p->lists.table[t]->dims[2];
    for (int64_t i = LOW(s, first), high = HIGH(s, first, places); i < high; i++) {
      REAL *row = y + node[first + i] * d;
      int64_t all = counts[first + i], from = 0, start = begin + i * width;
      do {
        int64_t count = all - from < CHUNK ? all - from : CHUNK;
        const REAL *entries = values + start + from;
        for (int64_t k = 0; k < count; k += LANES) {
          NAME(vector) mixed = {0}, of;
          for (int j = 0; j < coefficients; j++) {
            int at = j < 2 && coefficients > 1 ? 1 - j : j; // keeps the established order of rounding
            NAME(load)(&of, entries + at * step + k);
            NAME(add)(&mixed, c[at], &of);
          }
          NAME(store)(w + k, &mixed);
        }
        NAME(gathered)(row, from == 0 && !p->add, w, to + start + from, count, z, d);
      } while ((from += CHUNK) < all);
    }
    first += places;
    begin += places * width;
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

static void NAME(product)(const product *p, const span *s, REAL *restrict y) {
  WITH_CONSTANTS(NAME(product_of), p, s, y)
}

INLINE void NAME(weights_of)(const product *p, const span *s, const REAL *restrict v, REAL *restrict of_parts,
                             int coefficients, int64_t d) {
  int64_t b = s->sample, room = p->lists.room, step = p->step * room, first = b * p->lists.nodes, begin = 0;
  const int32_t *node = p->node + first, *counts = p->counts + first, *to = p->to + b * room;
  const REAL *values = (const REAL *)p->values + b * coefficients * step, *z = p->z->data;
  NAME(vector) sums[2 * MOST] = {0};
  REAL rest[2 * MOST] = {0};
  first = 0;
  for (int t = 0; t < p->lists.tables; t++) {
    int64_t places = p->lists.table[t]->dims[1], width = p->lists.table[t]->dims[2];
    for (int64_t i = LOW(s, first), high = HIGH(s, first, places); i < high; i++) {
      const REAL *own = v + node[first + i] * d;
      int64_t start = begin + i * width, end = start + counts[first + i], l = 0;
      for (; l + LANES <= d; l += LANES) {
        NAME(vector) all[2 * MOST] = {0};
        for (int64_t k = start; k < end; k++) {
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
      for (int64_t k = start; l < d && k < end; k++) {
        REAL sum = 0;
        for (int64_t m = l; m < d; m++)
          sum += own[m] * z[to[k] * d + m];
        for (int j = 0; j < coefficients; j++)
          rest[j] += sum * values[j * step + k];
      }
    }
    first += places;
    begin += places * width;
  }
  for (int j = 0; j < coefficients; j++)
    of_parts[s->number * coefficients + j] = rest[j] + NAME(sum)(&sums[j]);
}

// weights computes a part of the cotangents of the coefficients for cotangent v of the product, and add_parts their
// sums, in the order of the parts.
static void NAME(weights)(const product *p, const span *s, const REAL *restrict v, REAL *restrict of_parts) {
  WITH_CONSTANTS(NAME(weights_of), p, s, v, of_parts)
}
#undef WITH_CONSTANTS

static void NAME(add_parts)(const product *p, const REAL *restrict of_parts, REAL *restrict dc) {
  __builtin_memset(dc, 0, p->seeds * p->coefficients * sizeof(REAL));
  for (int64_t b = 0; b < p->lists.batch; b++)
    for (int64_t part = 0; part < p->lists.parts; part++)
      for (int j = 0; j < p->coefficients; j++)
        dc[b / p->per_seed * p->coefficients + j] += *of_parts++;
}

// entries computes the cotangents of the rows at the places of a part.
static void NAME(entries)(const entering *e, const span *s, const REAL *restrict c, const REAL *restrict z,
                          const REAL *restrict v) {
  const lists *l = e->lists;
  int each = l->directed ? 2 * l->matrices : l->matrices;
  int64_t b = s->sample, first = 0, at = b * l->row, d = e->d;
  const REAL *own = c + b / e->per_seed * each;
  const int32_t *node = e->node + b * l->nodes;
  for (int t = 0; t < l->tables; t++) {
    int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2], size = places * width;
    const int32_t *neighbours = (const int32_t *)l->table[t]->data + b * size;
    for (int64_t i = LOW(s, first), high = HIGH(s, first, places); i < high; i++)
      for (int64_t k = i * width; k < (i + 1) * width; k++) {
        REAL sum = NAME(dot)(v + node[first + i] * d, z + neighbours[k] * d, d);
        for (int j = 0; j < each; j++)
          ((REAL *)e->to[j % l->matrices])[at + k + (j < l->matrices ? 0 : size)] = own[j] * sum;
      }
    at += l->directed ? 2 * size : size;
    first += places;
  }
}
