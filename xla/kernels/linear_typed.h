enum { NAME(TILE) = 4 }; // rows at a time

// matrix_tile sets so many rows of y [rows, out] to x [rows, in] times a block of the columns of w [in, out].
INLINE void NAME(matrix_tile)(REAL *restrict y, const REAL *restrict x, const REAL *restrict w, int rows, int64_t in,
                              int64_t out, int64_t from) {
  NAME(vector) all[NAME(TILE)] = {0};
  for (int64_t i = 0; i < in; i++) {
    NAME(vector) row;
    NAME(load)(&row, w + i * out + from);
    for (int r = 0; r < rows; r++)
      NAME(add)(&all[r], x[r * in + i], &row);
  }
  for (int r = 0; r < rows; r++)
    NAME(store)(y + r * out + from, &all[r]);
}

INLINE void NAME(matrix)(REAL *restrict y, const REAL *restrict x, const REAL *restrict w, int64_t rows, int64_t in,
                         int64_t out) {
  for (int64_t r = 0; r < rows; r += NAME(TILE)) {
    int few = rows - r < NAME(TILE) ? (int)(rows - r) : NAME(TILE);
    int64_t o = 0;
    for (; o + LANES <= out; o += LANES)
      if (few == NAME(TILE))
        NAME(matrix_tile)(y + r * out, x + r * in, w, NAME(TILE), in, out, o);
      else
        NAME(matrix_tile)(y + r * out, x + r * in, w, few, in, out, o);
    for (; o < out; o++)
      for (int l = 0; l < few; l++) {
        REAL sum = 0;
        for (int64_t i = 0; i < in; i++)
          sum += x[(r + l) * in + i] * w[i * out + o];
        y[(r + l) * out + o] = sum;
      }
  }
}

// outer_tile sets rows of w [out, in] to the products of x [rows, in] and so many columns of v [rows, out].
INLINE void NAME(outer_tile)(REAL *restrict w, const REAL *restrict v, const REAL *restrict x, int64_t rows, int64_t in,
                             int64_t out, int columns, int64_t from) {
  NAME(vector) all[NAME(TILE)] = {0};
  for (int64_t r = 0; r < rows; r++) {
    NAME(vector) row;
    NAME(load)(&row, x + r * in + from);
    for (int c = 0; c < columns; c++)
      NAME(add)(&all[c], v[r * out + c], &row);
  }
  for (int c = 0; c < columns; c++)
    NAME(store)(w + c * in + from, &all[c]);
}

INLINE void NAME(outer)(REAL *restrict w, const REAL *restrict v, const REAL *restrict x, int64_t rows, int64_t in,
                        int64_t out) {
  for (int64_t c = 0; c < out; c += NAME(TILE)) {
    int few = out - c < NAME(TILE) ? (int)(out - c) : NAME(TILE);
    int64_t i = 0;
    for (; i + LANES <= in; i += LANES)
      if (few == NAME(TILE))
        NAME(outer_tile)(w + c * in, v + c, x, rows, in, out, NAME(TILE), i);
      else
        NAME(outer_tile)(w + c * in, v + c, x, rows, in, out, few, i);
    for (; i < in; i++)
      for (int l = 0; l < few; l++) {
        REAL sum = 0;
        for (int64_t r = 0; r < rows; r++)
          sum += v[r * out + c + l] * x[r * in + i];
        w[(c + l) * in + i] = sum;
      }
  }
}

// normalised is a row over its root mean square, which is 1 over what it returns, with gain and shift in y.
INLINE REAL NAME(normalised)(REAL *restrict y, const REAL *restrict x, const REAL *restrict gain,
                             const REAL *restrict shift, int64_t in) {
  REAL inverse = 1 / (REAL)__builtin_sqrt(NAME(dot)(x, x, in) / (REAL)in + (REAL)EPSILON);
  for (int64_t i = 0; i < in; i++)
    y[i] = x[i] * inverse * gain[i] + shift[i];
  return inverse;
}

// forward needs room for in·out and BLOCK·in numbers.
INLINE void NAME(forward_of)(const linear *l, int64_t seed, REAL *restrict y, REAL *restrict room) {
  const REAL *x = (const REAL *)l->x->data + seed * l->rows * l->in, *gain = (const REAL *)l->gain->data + seed * l->in;
  const REAL *shift = (const REAL *)l->shift->data + seed * l->in, *b = (const REAL *)l->bias->data + seed * l->out;
  const REAL *w = (const REAL *)l->weight->data + seed * l->out * l->in;
  REAL *turned = room, *block = room + l->in * l->out;
  for (int64_t o = 0; o < l->out; o++)
    for (int64_t i = 0; i < l->in; i++)
      turned[i * l->out + o] = w[o * l->in + i];
  for (int64_t r = 0; r < l->rows; r += BLOCK) {
    int64_t count = l->rows - r < BLOCK ? l->rows - r : BLOCK;
    for (int64_t k = 0; k < count; k++)
      NAME(normalised)(block + k * l->in, x + (r + k) * l->in, gain, shift, l->in);
    NAME(matrix)(y + r * l->out, block, turned, count, l->in, l->out);
    for (int64_t k = r; k < r + count; k++)
      for (int64_t o = 0; o < l->out; o++)
        y[k * l->out + o] += b[o];
  }
}

CLONES static void NAME(forward)(const linear *l, REAL *restrict y, REAL *restrict room) {
  for (int64_t s = 0; s < l->seeds; s++)
    NAME(forward_of)(l, s, y + s * l->rows * l->out, room);
}

// backward needs room for rows·(in + 1) numbers, and sums [2·in + out]: those of rows are kept in float64, as they grow
// long.
INLINE void NAME(backward_of)(const linear *l, int64_t seed, const REAL *restrict v, REAL *restrict dx,
                              REAL *restrict dgain, REAL *restrict dshift, REAL *restrict dw, REAL *restrict db,
                              REAL *restrict room, double *restrict sums) {
  int64_t in = l->in, out = l->out;
  const REAL *x = (const REAL *)l->x->data + seed * l->rows * in, *gain = (const REAL *)l->gain->data + seed * in;
  const REAL *shift = (const REAL *)l->shift->data + seed * in;
  const REAL *w = (const REAL *)l->weight->data + seed * out * in;
  REAL *hats = room, *inverses = room + l->rows * in;
  for (int64_t r = 0; r < l->rows; r++)
    inverses[r] = NAME(normalised)(hats + r * in, x + r * in, gain, shift, in);
  NAME(outer)(dw, v, hats, l->rows, in, out);
  memset(sums, 0, (2 * in + out) * sizeof(double));
  double *gains = sums, *shifts = sums + in, *biases = sums + 2 * in;
  NAME(matrix)(dx, v, w, l->rows, out, in);
  for (int64_t r = 0; r < l->rows; r++, dx += in, x += in, v += out) {
    REAL inverse = inverses[r], mean = 0;
    for (int64_t o = 0; o < out; o++)
      biases[o] += v[o];
    for (int64_t i = 0; i < in; i++) {
      gains[i] += dx[i] * x[i] * inverse;
      shifts[i] += dx[i];
      dx[i] *= gain[i];
      hats[i] = dx[i] * x[i];
    }
    for (int64_t i = 0; i < in; i++)
      mean += hats[i];
    mean *= inverse * inverse / (REAL)in;
    for (int64_t i = 0; i < in; i++)
      dx[i] = inverse * (dx[i] - x[i] * mean);
  }
  for (int64_t i = 0; i < in; i++) {
    dgain[i] = (REAL)gains[i];
    dshift[i] = (REAL)shifts[i];
  }
  for (int64_t o = 0; o < out; o++)
    db[o] = (REAL)biases[o];
}

CLONES static void NAME(backward)(const linear *l, const REAL *restrict v, buffer *const *to, REAL *restrict room,
                                  double *restrict sums) {
  for (int64_t s = 0; s < l->seeds; s++)
    NAME(backward_of)(l, s, v + s * l->rows * l->out, (REAL *)to[0]->data + s * l->rows * l->in,
                      (REAL *)to[1]->data + s * l->in, (REAL *)to[2]->data + s * l->in,
                      (REAL *)to[3]->data + s * l->out * l->in, (REAL *)to[4]->data + s * l->out, room, sums);
}
