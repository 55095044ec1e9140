// The linear map of a normalised activation, and its pullback, as in linear.c. A block takes some rows of a sample. It
// computes the norm of the whole sample by itself, as there is no launch before it.

#include "cuda_block.h"

// Sizes of a call: seeds, samples, nodes, the width of rows before and after the map, the kind of norm and of
// activation, and the rows that a block takes.
enum { SEEDS, BATCH, NODES, IN, OUT, NORM, BEFORE, EACH_ROWS };
enum { NO_NORM, ROW_NORM, GRAPH_NORM };
enum { AS_IS, RELU, SILU };

enum { ROOM = 4096, COLUMNS = 8 }; // ROOM: entries of rows that a block keeps; COLUMNS: sums at a time

// activated returns the activation of x, and its derivative.
INLINE float activated(int kind, float x, float *slope) {
  float sigmoid, y;
  switch (kind) {
  case RELU:
    *slope = x > 0;
    return x > 0 ? x : 0;
  case SILU:
    sigmoid = 1 / (1 + expf(-x));
    y = x * sigmoid;
    *slope = sigmoid + y * (1 - sigmoid);
    return y;
  default:
    *slope = 1;
    return x;
  }
}

INLINE float value(int kind, float x) {
  float slope;
  return activated(kind, x, &slope);
}

INLINE float inverse_root(float squares, int count, float epsilon) { return 1 / sqrtf(squares / count + epsilon); }

// row_inverse returns 1 / rms of the activation of a row.
INLINE float row_inverse(const int *s, const float *x, float epsilon) {
  float squares = 0;
  for (int i = 0; i < s[IN]; i++) {
    float a = value(s[BEFORE], x[i]);
    squares += a * a;
  }
  return inverse_root(squares, s[IN], epsilon);
}

// sample_inverse sets inverse to 1 / rms of the activation of a sample.
INLINE void sample_inverse(const int *s, const float *x, float epsilon, float (*sums)[THREADS], float *inverse) {
  int size = s[NODES] * s[IN];
  EACH(t) {
    float squares = 0;
    for (int k = t; k < size; k += THREADS) {
      float a = value(s[BEFORE], x[k]);
      squares += a * a;
    }
    sums[0][t] = squares;
  }
  sum_up(sums, 1);
  EACH(t)
    if (t == 0)
      *inverse = inverse_root(sums[0][0], size, epsilon);
}

KERNEL(pengcde_gpu_linear)
(const int *s, const float *x, const float *gain, const float *shift, const float *weight, const float *bias,
 const float *epsilon, float *y) {
  SHARED float sums[1][THREADS], hats[ROOM], inverses[THREADS];
  int n = s[NODES], in = s[IN], out = s[OUT], each = s[EACH_ROWS], tiles = (n + each - 1) / each;
  BLOCKS(block, s[BATCH] * tiles) {
    int sample = block / tiles, from = block % tiles * each, rows = smaller(each, n - from);
    int seed = sample / (s[BATCH] / s[SEEDS]);
    const float *own = x + ((long)sample * n + from) * in;
    if (s[NORM] == GRAPH_NORM)
      sample_inverse(s, x + (long)sample * n * in, *epsilon, sums, inverses);
    if (s[NORM] == ROW_NORM)
      EACH(t)
        if (t < rows)
          inverses[t] = row_inverse(s, own + t * in, *epsilon);
    EACH(t)
      for (int k = t; k < rows * in; k += THREADS) {
        float a = value(s[BEFORE], own[k]);
        if (s[NORM] != NO_NORM)
          a = a * inverses[s[NORM] == ROW_NORM ? k / in : 0] * gain[seed * in + k % in] + shift[seed * in + k % in];
        hats[k] = a;
      }
    EACH(t)
      for (int k = t; k < rows * out; k += THREADS) {
        int r = k / out, o = k % out;
        const float *w = weight + ((long)seed * out + o) * in;
        float sum = bias[seed * out + o];
        for (int i = 0; i < in; i++)
          sum += hats[r * in + i] * w[i];
        y[((long)sample * n + from) * out + k] = sum;
      }
  }
}

// cotangent returns entry i of the cotangent of the map's input, for cotangent v [out] of its output.
INLINE float cotangent(const int *s, const float *weight, const float *v, int i) {
  float sum = 0;
  for (int o = 0; o < s[OUT]; o++)
    sum += v[o] * weight[o * s[IN] + i];
  return sum;
}

// The parts that pull_input and the others share.
typedef struct {
  const float *x, *gain, *shift, *weight, *v;
  float epsilon;
} pulled;

// pull_input computes the cotangents of some rows of x.
INLINE void pull_input(const int *s, const pulled *p, int sample, int from, int rows, float *dx,
                       float (*sums)[THREADS], float *inverses, float *means) {
  int n = s[NODES], in = s[IN], out = s[OUT], seed = sample / (s[BATCH] / s[SEEDS]);
  const float *all = p->x + (long)sample * n * in, *v = p->v + (long)sample * n * out;
  const float *weight = p->weight + (long)seed * out * in, *gain = p->gain + (long)seed * in;
  if (s[NORM] == GRAPH_NORM) {
    sample_inverse(s, all, p->epsilon, sums, inverses);
    EACH(t) {
      float sum = 0;
      for (int k = t; k < n * in; k += THREADS)
        sum += cotangent(s, weight, v + k / in * out, k % in) * gain[k % in] * value(s[BEFORE], all[k]);
      sums[0][t] = sum;
    }
    sum_up(sums, 1);
    EACH(t)
      if (t == 0)
        *means = sums[0][0] * inverses[0] * inverses[0] / (n * in);
  }
  if (s[NORM] == ROW_NORM)
    EACH(t)
      if (t < rows) {
        const float *row = all + (from + t) * in;
        float sum = 0, inverse = row_inverse(s, row, p->epsilon);
        for (int i = 0; i < in; i++)
          sum += cotangent(s, weight, v + (from + t) * out, i) * gain[i] * value(s[BEFORE], row[i]);
        inverses[t] = inverse;
        means[t] = sum * inverse * inverse / in;
      }
  EACH(t)
    for (int k = t; k < rows * in; k += THREADS) {
      int r = from + k / in, i = k % in, at = s[NORM] == ROW_NORM ? k / in : 0;
      float slope, a = activated(s[BEFORE], all[r * in + i], &slope);
      float to = cotangent(s, weight, v + r * out, i);
      if (s[NORM] != NO_NORM)
        to = inverses[at] * (to * gain[i] - a * means[at]);
      dx[((long)sample * n + r) * in + i] = to * slope;
    }
}

// pull_parameters computes COLUMNS cotangents of a row of weights, and of its bias, or of gains and shifts if output is
// -1, from entry first on.
INLINE void pull_parameters(const int *s, const pulled *p, int seed, int output, int first, float *dgain, float *dshift,
                            float *dweight, float *dbias, float (*sums)[THREADS], float (*parts)[THREADS],
                            float *inverse) {
  int n = s[NODES], in = s[IN], out = s[OUT], each = s[BATCH] / s[SEEDS], count = smaller(COLUMNS, in - first);
  const float *weight = p->weight + (long)seed * out * in;
  EACH(t)
    for (int c = 0; c <= 2 * COLUMNS; c++)
      parts[c][t] = 0;
  for (int sample = seed * each; sample < (seed + 1) * each; sample++) {
    const float *all = p->x + (long)sample * n * in;
    if (s[NORM] == GRAPH_NORM)
      sample_inverse(s, all, p->epsilon, sums, inverse);
    EACH(t)
      for (int r = t; r < n; r += THREADS) {
        const float *row = all + (long)r * in, *v = p->v + ((long)sample * n + r) * out;
        float by = s[NORM] == NO_NORM ? 1 : s[NORM] == GRAPH_NORM ? *inverse : row_inverse(s, row, p->epsilon);
        if (output >= 0)
          parts[2 * COLUMNS][t] += v[output];
        for (int c = 0; c < count; c++) {
          int i = first + c;
          float hat = value(s[BEFORE], row[i]) * by;
          if (output < 0) {
            float to = cotangent(s, weight, v, i);
            parts[c][t] += to * hat;
            parts[COLUMNS + c][t] += to;
          } else {
            if (s[NORM] != NO_NORM)
              hat = hat * p->gain[seed * in + i] + p->shift[seed * in + i];
            parts[c][t] += v[output] * hat;
          }
        }
      }
  }
  sum_up(parts, 2 * COLUMNS + 1);
  EACH(t)
    if (t < count) {
      if (output < 0) {
        dgain[seed * in + first + t] = parts[t][0];
        dshift[seed * in + first + t] = parts[COLUMNS + t][0];
      } else {
        dweight[((long)seed * out + output) * in + first + t] = parts[t][0];
        if (first + t == 0)
          dbias[seed * out + output] = parts[2 * COLUMNS][0];
      }
    }
}

KERNEL(pengcde_gpu_linear_pullback)
(const int *s, const float *x, const float *gain, const float *shift, const float *weight, const float *bias,
 const float *epsilon, const float *v, float *dx, float *dgain, float *dshift, float *dweight, float *dbias) {
  SHARED float sums[1][THREADS], parts[2 * COLUMNS + 1][THREADS], inverses[THREADS], means[THREADS];
  int n = s[NODES], in = s[IN], each = s[EACH_ROWS], tiles = (n + each - 1) / each;
  int inputs = s[BATCH] * tiles, chunks = (in + COLUMNS - 1) / COLUMNS;
  pulled p = {x, gain, shift, weight, v, *epsilon};
  (void)bias;
  BLOCKS(block, inputs + s[SEEDS] * (s[OUT] + 1) * chunks) {
    if (block < inputs) {
      int from = block % tiles * each;
      pull_input(s, &p, block / tiles, from, smaller(each, n - from), dx, sums, inverses, means);
    } else {
      int at = block - inputs, seed = at / chunks / (s[OUT] + 1), output = at / chunks % (s[OUT] + 1) - 1;
      pull_parameters(s, &p, seed, output, at % chunks * COLUMNS, dgain, dshift, dweight, dbias, sums, parts, inverses);
    }
  }
}
