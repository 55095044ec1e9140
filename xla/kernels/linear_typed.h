#include "exp_typed.h"

#if LEVEL == 4
enum { NAME(TILE) = 8 }; // rows at a time
#else
enum { NAME(TILE) = 4 };
#endif

// matrix_tile sets the given number of rows of y [rows, out] to x [rows, in] times a block of columns of w [in, out].
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

// outer_tile sets rows of w [out, in] to the products of x [rows, in] and the given number of columns of v [rows, out].
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

// normalised writes x / rms(x) * gain + shift for a row to y, and returns 1 / rms(x).
INLINE REAL NAME(normalised)(REAL *restrict y, const REAL *restrict x, const REAL *restrict gain,
                             const REAL *restrict shift, int64_t in, REAL epsilon) {
  REAL inverse = 1 / (REAL)__builtin_sqrt(NAME(dot)(x, x, in) / (REAL)in + epsilon);
  for (int64_t i = 0; i < in; i++)
    y[i] = x[i] * inverse * gain[i] + shift[i];
  return inverse;
}

// normalise_graph is normalised for all rows of a sample, with one root mean square.
INLINE REAL NAME(normalise_graph)(REAL *restrict y, const REAL *restrict x, const REAL *restrict gain,
                                  const REAL *restrict shift, int64_t rows, int64_t in, REAL epsilon) {
  double squares = 0;
  for (int64_t r = 0; r < rows; r++)
    squares += NAME(dot)(x + r * in, x + r * in, in);
  REAL inverse = (REAL)(1 / __builtin_sqrt(squares / (double)(rows * in) + epsilon));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t i = 0; i < in; i++)
      y[r * in + i] = x[r * in + i] * inverse * gain[i] + shift[i];
  return inverse;
}

// activate sets y to the activation of x and, unless they are NULL, slopes to its derivatives.
INLINE void NAME(activate)(activation a, REAL *restrict y, REAL *restrict slopes, const REAL *restrict x,
                           int64_t count) {
  if (a == RELU) {
    for (int64_t i = 0; i < count; i++)
      y[i] = x[i] > 0 ? x[i] : 0;
    for (int64_t i = 0; slopes != NULL && i < count; i++)
      slopes[i] = x[i] > 0 ? 1 : 0;
    return;
  }
  for (int64_t i = 0; i < count; i++)
    y[i] = NAME(limited)(-x[i]);
  if (slopes == NULL) {
    for (int64_t i = 0; i < count; i++)
      y[i] = x[i] / (1 + NAME(exponential)(y[i]));
    return;
  }
  for (int64_t i = 0; i < count; i++)
    slopes[i] = NAME(exponential)(y[i]);
  for (int64_t i = 0; i < count; i++) { // s (1 + x (1 - s)) for the sigmoid s, without cancellation in 1 - s
    REAL sigmoid = 1 / (1 + slopes[i]);
    y[i] = x[i] * sigmoid;
    slopes[i] = sigmoid * (1 + y[i] * slopes[i]);
  }
}

// NAME(parameters) are the parameters of one seed.
typedef struct {
  const REAL *gain, *shift, *weight, *bias;
  REAL epsilon;
} NAME(parameters);

INLINE NAME(parameters) NAME(parameters_of)(const linear *l, int64_t seed) {
  NAME(parameters) p = {.weight = (const REAL *)l->weight->data + seed * l->out * l->in,
                        .bias = (const REAL *)l->bias->data + seed * l->out};
  if (l->variant->norm == NO_NORM)
    return p;
  p.gain = (const REAL *)l->gain->data + seed * l->in;
  p.shift = (const REAL *)l->shift->data + seed * l->in;
  p.epsilon = *(const REAL *)l->epsilon->data;
  return p;
}

// Rows before the linear map, or whole samples for a norm over graphs: hats is the normalised form of activated, and
// inverses holds 1 / rms of rows or of samples. The caller allocates all arrays except slopes, which may be NULL.
// activated and hats may be redirected to their source.
typedef struct {
  const REAL *activated, *hats;
  REAL *slopes, *inverses;
} NAME(inputs);

INLINE void NAME(prepare)(const linear *l, const NAME(parameters) * p, NAME(inputs) * to, const REAL *restrict x,
                          int64_t rows, int64_t in) {
  int64_t n = l->nodes;
  if (l->variant->activation == AS_IS)
    to->activated = x;
  else
    NAME(activate)(l->variant->activation, (REAL *)to->activated, to->slopes, x, rows * in);
  const REAL *a = to->activated;
  REAL *hats = (REAL *)to->hats;
  switch (l->variant->norm) {
  case ROWS:
    for (int64_t r = 0; r < rows; r++)
      to->inverses[r] = NAME(normalised)(hats + r * in, a + r * in, p->gain, p->shift, in, p->epsilon);
    break;
  case GRAPHS:
    for (int64_t r = 0; r < rows; r += n)
      to->inverses[r / n] = NAME(normalise_graph)(hats + r * in, a + r * in, p->gain, p->shift, n, in, p->epsilon);
    break;
  case NO_NORM:
    to->hats = a;
  }
}

// forward needs in·out numbers of scratch memory and, for each row prepared at once, 2·in + 1. It is faster if in and
// out, the widths of l, are constants.
INLINE void NAME(forward_of)(const linear *l, int64_t seed, REAL *restrict y, REAL *restrict room, int64_t in,
                             int64_t out) {
  NAME(parameters) p = NAME(parameters_of)(l, seed);
  const REAL *x = (const REAL *)l->x->data + seed * l->rows * l->in;
  int64_t few = at_once(l);
  REAL *turned = room, *inverses = room + in * out, *activated = inverses + few, *hats = activated + few * in;
  for (int64_t o = 0; o < out; o++)
    for (int64_t i = 0; i < in; i++)
      turned[i * out + o] = p.weight[o * in + i];
  for (int64_t r = 0; r < l->rows; r += few) {
    int64_t count = l->rows - r < few ? l->rows - r : few;
    NAME(inputs) of = {activated, hats, NULL, inverses};
    NAME(prepare)(l, &p, &of, x + r * in, count, in);
    NAME(matrix)(y + r * out, of.hats, turned, count, in, out);
    for (int64_t k = r; k < r + count; k++)
      for (int64_t o = 0; o < out; o++)
        y[k * out + o] += p.bias[o];
  }
}

static void NAME(forward)(const linear *l, REAL *restrict y, REAL *restrict room) {
  for (int64_t s = 0; s < l->seeds; s++)
    if (l->in == LANES && l->out == LANES)
      NAME(forward_of)(l, s, y + s * l->rows * LANES, room, LANES, LANES);
    else
      NAME(forward_of)(l, s, y + s * l->rows * l->out, room, l->in, l->out);
}

// to_gains takes a row dx of the cotangent of hats. It adds to the cotangents of gain and shift, turns dx into the
// cotangent of the row divided by its root mean square, and writes dx times activated to products.
INLINE void NAME(to_gains)(REAL *restrict dx, REAL *restrict products, const REAL *restrict activated,
                           const REAL *restrict gain, REAL inverse, int64_t in, double *restrict gains,
                           double *restrict shifts) {
  for (int64_t i = 0; i < in; i++) {
    gains[i] += dx[i] * activated[i] * inverse;
    shifts[i] += dx[i];
    dx[i] *= gain[i];
    products[i] = dx[i] * activated[i];
  }
}

// to_row turns dx into the cotangent of the row, given the mean of the products.
INLINE void NAME(to_row)(REAL *restrict dx, const REAL *restrict activated, REAL inverse, REAL mean, int64_t in) {
  for (int64_t i = 0; i < in; i++)
    dx[i] = inverse * (dx[i] - activated[i] * mean);
}

// backward needs rows·(3·in + 1) numbers of scratch memory, and sums [2·in + out] in float64 for accuracy over many
// rows.
INLINE void NAME(backward_of)(const linear *l, int64_t seed, const REAL *restrict v, REAL *restrict dx,
                              REAL *restrict dgain, REAL *restrict dshift, REAL *restrict dw, REAL *restrict db,
                              REAL *restrict room, double *restrict sums, int64_t in, int64_t out) {
  NAME(parameters) p = NAME(parameters_of)(l, seed);
  int64_t size = l->rows * in, n = l->nodes;
  REAL *inverses = room, *hats = room + l->rows, *activated = hats + size, *slopes = activated + size;
  NAME(inputs) of = {activated, hats, slopes, inverses};
  NAME(prepare)(l, &p, &of, (const REAL *)l->x->data + seed * size, l->rows, in);
  NAME(outer)(dw, v, of.hats, l->rows, in, out);
  __builtin_memset(sums, 0, (2 * in + out) * sizeof(double));
  double *gains = sums, *shifts = sums + in, *biases = sums + 2 * in;
  NAME(matrix)(dx, v, p.weight, l->rows, out, in);
  for (int64_t r = 0; r < l->rows; r++)
    for (int64_t o = 0; o < out; o++)
      biases[o] += v[r * out + o];
  const REAL *a = of.activated;
  switch (l->variant->norm) {
  case ROWS:
    for (int64_t at = 0; at < size; at += in) {
      REAL inverse = *inverses++, mean = 0;
      NAME(to_gains)(dx + at, hats, a + at, p.gain, inverse, in, gains, shifts);
      for (int64_t i = 0; i < in; i++)
        mean += hats[i];
      NAME(to_row)(dx + at, a + at, inverse, mean * (inverse * inverse / (REAL)in), in);
    }
    break;
  case GRAPHS:
    for (int64_t from = 0; from < size; from += n * in) {
      REAL inverse = *inverses++;
      double mean = 0;
      for (int64_t at = from; at < from + n * in; at += in) {
        NAME(to_gains)(dx + at, hats, a + at, p.gain, inverse, in, gains, shifts);
        mean += NAME(dot)(dx + at, a + at, in);
      }
      mean *= (double)inverse * inverse / (double)(n * in);
      for (int64_t at = from; at < from + n * in; at += in)
        NAME(to_row)(dx + at, a + at, inverse, (REAL)mean, in);
    }
    break;
  case NO_NORM:
    break;
  }
  for (int64_t i = 0; l->variant->activation != AS_IS && i < size; i++)
    dx[i] *= slopes[i];
  for (int64_t i = 0; dgain != NULL && i < in; i++) {
    dgain[i] = (REAL)gains[i];
    dshift[i] = (REAL)shifts[i];
  }
  for (int64_t o = 0; o < out; o++)
    db[o] = (REAL)biases[o];
}

static void NAME(backward)(const linear *l, const REAL *restrict v, buffer *const *to, REAL *restrict room,
                           double *restrict sums) {
  int normed = l->variant->norm != NO_NORM;
  buffer *const *of_map = normed ? to + 3 : to + 1;
  for (int64_t s = 0; s < l->seeds; s++) {
    const REAL *own = v + s * l->rows * l->out;
    REAL *dx = (REAL *)to[0]->data + s * l->rows * l->in;
    REAL *dgain = normed ? (REAL *)to[1]->data + s * l->in : NULL;
    REAL *dshift = normed ? (REAL *)to[2]->data + s * l->in : NULL;
    REAL *dw = (REAL *)of_map[0]->data + s * l->out * l->in, *db = (REAL *)of_map[1]->data + s * l->out;
    if (l->in == LANES && l->out == LANES)
      NAME(backward_of)(l, s, own, dx, dgain, dshift, dw, db, room, sums, LANES, LANES);
    else
      NAME(backward_of)(l, s, own, dx, dgain, dshift, dw, db, room, sums, l->in, l->out);
  }
}
