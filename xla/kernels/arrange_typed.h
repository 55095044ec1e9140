// The lists of neighbours without entries that are 0 in every matrix. If WIDE is defined, with instructions of AVX-512.

// keep copies the entries of a list that are not 0 in every matrix, and their nodes, to place begin of the arranged
// lists, and returns the place after them. It may write to BEHIND places more.
#ifdef WIDE
INLINE int64_t NAME(keep)(const int32_t *restrict neighbours, const REAL *const *from, int64_t at, int64_t width,
                          int64_t begin, int64_t room, int32_t *restrict to, REAL *restrict values, int each) {
  for (int64_t k = at, end = at + width; k < end; k += LANES) {
    __mmask16 inside = end - k < LANES ? (1 << (end - k)) - 1 : -1, any = 0;
    __m512 entries[2 * MOST];
    for (int j = 0; j < each; j++) {
      entries[j] = _mm512_maskz_loadu_ps(inside, from[j] + k);
      any |= _mm512_cmp_ps_mask(entries[j], _mm512_setzero_ps(), _CMP_NEQ_UQ);
    }
    __m512i nodes = _mm512_maskz_loadu_epi32(inside, neighbours + k);
    _mm512_storeu_si512(to + begin, _mm512_maskz_compress_epi32(any, nodes));
    for (int j = 0; j < each; j++)
      _mm512_storeu_ps(values + j * room + begin, _mm512_maskz_compress_ps(any, entries[j]));
    begin += __builtin_popcount(any);
  }
  return begin;
}
#else
INLINE int64_t NAME(keep)(const int32_t *restrict neighbours, const REAL *const *from, int64_t at, int64_t width,
                          int64_t begin, int64_t room, int32_t *restrict to, REAL *restrict values, int each) {
  int64_t found = begin;
  for (int64_t k = at; k < at + width; k++) {
    BITS any = 0;
    for (int j = 0; j < each; j++) {
      NAME(parts) entry = {from[j][k]};
      any |= entry.bits;
      values[j * room + found] = entry.number;
    }
    to[found] = neighbours[k]; // also for dropped entries: a branch would often be mispredicted
    found += (BITS)(any << 1) != 0; // without the sign, for -0
  }
  return found;
}
#endif

// arrange_of collects the nonzero entries of the lists of each place: the neighbours' nodes, and the entries of all
// matrices there. The padding after them is not used.
INLINE void NAME(arrange_of)(const lists *l, const REAL *const *rows, int32_t *restrict counts, int32_t *restrict to,
                             REAL *restrict values, int matrices, int directed) {
  int each = directed ? 2 * matrices : matrices;
  for (int64_t b = 0; b < l->batch; b++, to += l->room, values += each * l->room) {
    int64_t at = 0, begin = 0; // in a row, and in the arranged lists
    for (int t = 0; t < l->tables; t++) {
      int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2], size = places * width;
      const int32_t *neighbours = (const int32_t *)l->table[t]->data + b * size;
      const REAL *from[2 * MOST] = {0};
      for (int j = 0; j < matrices; j++) {
        from[j] = rows[j] + b * l->row + at;
        from[matrices + j] = from[j] + size;
      }
      for (int64_t i = 0; i < places; i++, begin += width) {
        int64_t found = NAME(keep)(neighbours, from, i * width, width, begin, l->room, to, values, each);
        *counts++ = (int32_t)(found - begin);
      }
      at += directed ? 2 * size : size;
    }
  }
}

COMPILED static void NAME(arrange)(const lists *l, const REAL *const *rows, int32_t *counts, int32_t *to, REAL *values) {
  switch (l->matrices + MOST * l->directed) { // known at compile time
  case 1:
    return NAME(arrange_of)(l, rows, counts, to, values, 1, 0);
  case 2:
    return NAME(arrange_of)(l, rows, counts, to, values, 2, 0);
  case 3:
    return NAME(arrange_of)(l, rows, counts, to, values, 1, 1);
  default:
    return NAME(arrange_of)(l, rows, counts, to, values, 2, 1);
  }
}
