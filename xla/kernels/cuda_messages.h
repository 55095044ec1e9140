// The product of node states with the message matrix of equivariant maps of one or two sparse matrices, and its
// pullback: the lists of neighbours, the low-rank part and the diagonal in one launch. Package equivariant defines the
// mathematics. A block takes some nodes of a sample, and computes the sums over all its nodes by itself.

#include "cuda_block.h"

// Sizes of a call: seeds, samples, nodes, width of states, length of a matrix row, matrices, whether they are
// symmetric, whether the identity is added, and the nodes that a block takes. Then, for each table of neighbours, the
// nodes in a sample that have a list there, and the length of their lists.
enum { SEEDS, BATCH, NODES, WIDTH, ROW, MATRICES, SYMMETRIC, IDENTITY, EACH_NODES, TABLE };
enum { TABLES = 5, STATISTICS = 5, MOST_NODES = 2048, MOST_WIDTH = 256 };
enum { MOST_MATRICES = 2 }; // loops to a constant are unrolled, so that pointers stay in registers

// Columns of V, see addRanked of package equivariant.
enum { COLUMN, ONES, VECTOR, DIAGONAL, COLUMNS };

typedef struct {
  const float *mixed, *row[MOST_MATRICES]; // mixed [seeds, coefficients]: of the lists, then of V
  const int *table[TABLES], *place_of;
} matrix;

INLINE int coefficients(const int *s) { return 2 * s[MATRICES] + COLUMNS * (STATISTICS * s[MATRICES] + 1); }

// statistic returns the number k of node u: row sum, column sum, diagonal, total and trace of each matrix, then 1.
INLINE float statistic(const int *s, const matrix *m, int sample, int u, int k) {
  if (k == STATISTICS * s[MATRICES])
    return 1;
  const float *row = (k < STATISTICS ? m->row[0] : m->row[1]) + (long)sample * s[ROW];
  int kinds = s[SYMMETRIC] ? 2 : 3, sums = s[ROW] - kinds * s[NODES] - 2;
  switch (k % STATISTICS) {
  case 0:
    return row[sums + u];
  case 1:
    return row[sums + (kinds - 2) * s[NODES] + u];
  case 2:
    return row[sums + (kinds - 1) * s[NODES] + u];
  case 3:
    return row[s[ROW] - 2];
  default:
    return row[s[ROW] - 1];
  }
}

// vectors sets the rows of V of all nodes of a sample.
INLINE void vectors(const int *s, const matrix *m, int sample, const float *mixed, float (*v)[COLUMNS]) {
  EACH(t)
    for (int u = t; u < s[NODES]; u += THREADS) {
      float all[COLUMNS] = {0};
      for (int k = 0; k <= STATISTICS * s[MATRICES]; k++) {
        float of = statistic(s, m, sample, u, k);
        for (int c = 0; c < COLUMNS; c++)
          all[c] += of * mixed[2 * s[MATRICES] + k * COLUMNS + c];
      }
      for (int c = 0; c < COLUMNS; c++)
        v[u][c] = all[c];
    }
}

// over_nodes sets totals [2][width] to the sums of the states of a sample, weighted by two columns of V.
INLINE void over_nodes(const int *s, const float *z, float (*v)[COLUMNS], int one, int other, float (*parts)[THREADS],
                       float (*totals)[MOST_WIDTH]) {
  int d = s[WIDTH], groups = THREADS / d; // width is at most THREADS
  EACH(t) {
    float a = 0, b = 0;
    for (int u = t / d; u < s[NODES] && t < groups * d; u += groups) {
      a += v[u][one] * z[u * d + t % d];
      b += v[u][other] * z[u * d + t % d];
    }
    parts[0][t] = a;
    parts[1][t] = b;
  }
  EACH(t)
    for (int c = 0; c < 2 && t < d; c++) {
      float sum = 0;
      for (int g = 0; g < groups; g++)
        sum += parts[c][g * d + t];
      totals[c][t] = sum;
    }
}

// The list of a node: its neighbours, their number with padding, and the entries of each matrix to and from them.
typedef struct {
  const int *neighbours;
  const float *to[MOST_MATRICES], *from[MOST_MATRICES];
  int count;
} list;

INLINE list list_of(const int *s, const matrix *m, int sample, int u) {
  list l = {0};
  int place = m->place_of[sample * s[NODES] + u] - sample * s[NODES], table = 0;
  int places = s[TABLE], width = s[TABLE + 1];
  long at = (long)sample * s[ROW];
  l.neighbours = m->table[0];
  for (int k = 0; k + 1 < TABLES; k++)
    if (table == k && place >= places) {
      at += (s[SYMMETRIC] ? 1 : 2) * places * width;
      place -= places;
      table = k + 1;
      places = s[TABLE + 2 * table];
      width = s[TABLE + 2 * table + 1];
      l.neighbours = m->table[k + 1];
    }
  l.neighbours += ((long)sample * places + place) * width;
  l.count = width;
  for (int j = 0; j < MOST_MATRICES; j++) {
    l.to[j] = m->row[j] + at + place * width;
    l.from[j] = s[SYMMETRIC] ? l.to[j] : l.to[j] + places * width;
  }
  return l;
}

// product returns number i of the product of a node's list, or of the transposed matrix, with the states z of a batch.
INLINE float product(const int *s, const list *l, const float *mixed, int transposed, const float *z, int i) {
  float sum = 0;
  for (int k = 0; k < l->count; k++) {
    float weight = 0;
    for (int j = 0; j < MOST_MATRICES; j++)
      if (j < s[MATRICES]) {
        float to = transposed ? l->from[j][k] : l->to[j][k], from = transposed ? l->to[j][k] : l->from[j][k];
        weight += mixed[j] * to + mixed[s[MATRICES] + j] * from;
      }
    sum += weight * z[(long)l->neighbours[k] * s[WIDTH] + i];
  }
  return sum;
}

// multiply computes rows of the product of (identity and) the message matrix, or of its transpose, with the states z of
// a batch, for some nodes of a sample: y = M z. totals are the sums of z over all nodes of the sample, weighted by
// column COLUMN of V, or VECTOR for the transpose, and by ONES.
INLINE void multiply(const int *s, const matrix *m, int sample, int from, int nodes, const float *mixed, int transposed,
                     const float *z, float (*v)[COLUMNS], float (*totals)[MOST_WIDTH], float *y) {
  int d = s[WIDTH], column = transposed ? COLUMN : VECTOR;
  EACH(t)
    for (int k = t; k < nodes * d; k += THREADS) {
      int u = from + k / d, i = k % d;
      long at = ((long)sample * s[NODES] + u) * d + i;
      list l = list_of(s, m, sample, u);
      y[at] = product(s, &l, mixed, transposed, z, i) + v[u][ONES] * totals[0][i] + v[u][column] * totals[1][i] +
              (v[u][DIAGONAL] + s[IDENTITY]) * z[at];
    }
}

#define MATRIX {mixed, {row, derivative}, {table0, table1, table2, table3, table4}, place_of}
#define PARAMETERS \
  const int *s, const float *mixed, const float *row, const float *derivative, const int *place_of, const int *table0, \
      const int *table1, const int *table2, const int *table3, const int *table4, const float *z

KERNEL(pengcde_gpu_messages)
(PARAMETERS, float *y) {
  SHARED float v[MOST_NODES][COLUMNS], parts[2][THREADS], totals[2][MOST_WIDTH];
  matrix m = MATRIX;
  int n = s[NODES], d = s[WIDTH], each = s[EACH_NODES], tiles = (n + each - 1) / each;
  BLOCKS(block, s[BATCH] * tiles) {
    int sample = block / tiles, from = block % tiles * each, nodes = smaller(each, n - from);
    const float *own = mixed + sample / (s[BATCH] / s[SEEDS]) * coefficients(s);
    vectors(s, &m, sample, own, v);
    over_nodes(s, z + (long)sample * n * d, v, COLUMN, ONES, parts, totals);
    multiply(s, &m, sample, from, nodes, own, 0, z, v, totals, y);
  }
}

// to_lists computes, for the nodes of a block, the cotangents of the coefficients of the lists.
INLINE void to_lists(const int *s, const matrix *m, int sample, int from, int nodes, const float *z, const float *x,
                     float (*parts)[THREADS], float *to) {
  enum { GROUP = 32 }; // threads with a list
  int d = s[WIDTH], matrices = s[MATRICES];
  EACH(t) {
    float sums[2 * MOST_MATRICES] = {0};
    for (int u = from + t / GROUP; u < from + nodes; u += THREADS / GROUP) {
      list l = list_of(s, m, sample, u);
      const float *own = x + ((long)sample * s[NODES] + u) * d;
      for (int k = t % GROUP; k < l.count; k += GROUP) {
        float dot = 0;
        for (int i = 0; i < d; i++)
          dot += own[i] * z[(long)l.neighbours[k] * d + i];
        for (int j = 0; j < MOST_MATRICES; j++)
          if (j < matrices) {
            sums[j] += dot * l.to[j][k];
            sums[MOST_MATRICES + j] += dot * l.from[j][k];
          }
      }
    }
    for (int c = 0; c < 2 * MOST_MATRICES; c++)
      parts[c][t] = sums[c];
  }
  sum_up(parts, 2 * MOST_MATRICES);
  EACH(t)
    if (t < 2 * matrices)
      to[t] = parts[t < matrices ? t : MOST_MATRICES + t - matrices][0];
}

// The cotangent of the coefficients is the sum of partial [samples, blocks of a sample, coefficients] over the blocks.
KERNEL(pengcde_gpu_messages_pullback)
(PARAMETERS, const float *x, float *dz, float *partial) {
  SHARED float v[MOST_NODES][COLUMNS], parts[2 * MOST_MATRICES][THREADS], of_z[2][MOST_WIDTH], of_x[2][MOST_WIDTH];
  SHARED float to[THREADS][COLUMNS];
  matrix m = MATRIX;
  int n = s[NODES], d = s[WIDTH], each = s[EACH_NODES], tiles = (n + each - 1) / each;
  BLOCKS(block, s[BATCH] * tiles) {
    int sample = block / tiles, from = block % tiles * each, nodes = smaller(each, n - from);
    const float *own = mixed + sample / (s[BATCH] / s[SEEDS]) * coefficients(s);
    const float *states = z + (long)sample * n * d, *pulls = x + (long)sample * n * d;
    float *out = partial + (long)block * coefficients(s);
    vectors(s, &m, sample, own, v);
    over_nodes(s, states, v, COLUMN, ONES, parts, of_z);
    over_nodes(s, pulls, v, VECTOR, ONES, parts, of_x);
    multiply(s, &m, sample, from, nodes, own, 1, x, v, of_x, dz);
    EACH(t)
      if (t < nodes) {
        const float *p = pulls + (from + t) * d, *q = states + (from + t) * d;
        float sums[COLUMNS] = {0};
        for (int i = 0; i < d; i++) {
          sums[COLUMN] += q[i] * of_x[1][i];
          sums[ONES] += p[i] * of_z[0][i] + q[i] * of_x[0][i];
          sums[VECTOR] += p[i] * of_z[1][i];
          sums[DIAGONAL] += p[i] * q[i];
        }
        for (int c = 0; c < COLUMNS; c++)
          to[t][c] = sums[c];
      }
    EACH(t)
      for (int k = t; k < coefficients(s) - 2 * s[MATRICES]; k += THREADS) {
        float sum = 0;
        for (int u = 0; u < nodes; u++)
          sum += statistic(s, &m, sample, from + u, k / COLUMNS) * to[u][k % COLUMNS];
        out[2 * s[MATRICES] + k] = sum;
      }
    to_lists(s, &m, sample, from, nodes, z, x, parts, out);
  }
}
