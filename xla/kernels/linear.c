//go:build linux && cgo

// The linear map of a normalised activation: y = W (a(x) / rms(a(x)) * gain + shift) + b.

#include "kernels.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 }; // rows that are normalised at a time

// The entries that share a root mean square, see NormOver of package nn.
typedef enum { ROWS, GRAPHS, NO_NORM } norm;
typedef enum { AS_IS, RELU, SILU } activation;

typedef struct {
  norm norm;
  activation activation;
} variant;

// Without a norm, gain, shift and epsilon are NULL.
typedef struct {
  const variant *variant;
  const buffer *x, *gain, *shift, *weight, *bias, *epsilon;
  int64_t seeds, rows, nodes, in, out; // rows per seed, nodes per sample
} linear;

// at_once returns the number of rows prepared before they are mapped.
static inline int64_t at_once(const linear *l) { return l->variant->norm == GRAPHS ? l->nodes : BLOCK; }

#define TYPED "linear_typed.h"
#include "versions.h"

// Letters of dimensions: S seeds, each with its own parameters and its part of the batch B; n rows per sample; i input
// and o output numbers per row.
#define X {"x", REALS, "Bni"}
#define GAIN_AND_SHIFT {"gain", REALS, "Si"}, {"shift", REALS, "Si"}
#define MAP {"weight", REALS, "Soi"}, {"bias", REALS, "So"}
#define EPSILON {"epsilon", REALS, "1"}
#define COTANGENT {"cotangent of y", REALS, "Bno"}
static const operand with_norm[] = {X, GAIN_AND_SHIFT, MAP, EPSILON, {0}};
static const operand with_norm_pulled[] = {X, GAIN_AND_SHIFT, MAP, EPSILON, COTANGENT, {0}};
static const operand norm_cotangents[] = {X, GAIN_AND_SHIFT, MAP, {0}};
static const operand alone[] = {X, MAP, {0}};
static const operand alone_pulled[] = {X, MAP, COTANGENT, {0}};
static const operand y[] = {{"y", REALS, "Bno"}, {0}};

static void *operands(linear *l, call_frame *f, const signature *wanted, const variant *v) {
  fit sizes;
  clear(&sizes);
  void *error = check(f, wanted, &sizes);
  if (error != NULL)
    return error;
  buffer **in = f->in.at;
  *l = (linear){.variant = v, .x = in[0], .seeds = SIZE(&sizes, 'S'), .nodes = SIZE(&sizes, 'n')};
  l->rows = SIZE(&sizes, 'B') / l->seeds * l->nodes;
  l->in = SIZE(&sizes, 'i');
  l->out = SIZE(&sizes, 'o');
  if (v->norm == NO_NORM) {
    l->weight = in[1];
    l->bias = in[2];
    return NULL;
  }
  l->gain = in[1];
  l->shift = in[2];
  l->weight = in[3];
  l->bias = in[4];
  l->epsilon = in[5];
  return NULL;
}

static void *map(call_frame *f, const char *name, const variant *v) {
  linear l;
  if (begin(f))
    return NULL;
  const signature wanted = {name, v->norm == NO_NORM ? alone : with_norm, y, 0};
  void *error = operands(&l, f, &wanted, v);
  if (error != NULL)
    return error;
  void *room = malloc((l.in * l.out + at_once(&l) * (2 * l.in + 1)) * sizeof(double));
  if (room == NULL)
    return invalid(f, "%s: no memory", name);
  CALL(l.x->type, forward, &l, f->out.at[0]->data, room);
  free(room);
  return NULL;
}

static void *pullback(call_frame *f, const char *name, const variant *v) {
  linear l;
  if (begin(f))
    return NULL;
  const signature of_norm = {name, with_norm_pulled, norm_cotangents, 0}, of_map = {name, alone_pulled, alone, 0};
  void *error = operands(&l, f, v->norm == NO_NORM ? &of_map : &of_norm, v);
  if (error != NULL)
    return error;
  double *sums = malloc((2 * l.in + l.out + l.rows * (3 * l.in + 1)) * sizeof(double));
  if (sums == NULL)
    return invalid(f, "%s: no memory", name);
  void *room = sums + 2 * l.in + l.out;
  const void *cotangent = f->in.at[f->in.size - 1]->data;
  CALL(l.x->type, backward, &l, cotangent, f->out.at, room, sums);
  free(sums);
  return NULL;
}

// All variants, by the suffixes of their names.
#define VARIANTS(OF) \
  OF(, ROWS, AS_IS) \
  OF(_relu, ROWS, RELU) \
  OF(_silu, ROWS, SILU) \
  OF(_graph, GRAPHS, AS_IS) \
  OF(_graph_relu, GRAPHS, RELU) \
  OF(_graph_silu, GRAPHS, SILU) \
  OF(_none, NO_NORM, AS_IS) \
  OF(_none_relu, NO_NORM, RELU) \
  OF(_none_silu, NO_NORM, SILU)

#define HANDLERS(END, NORM, ACTIVATION) \
  static const variant kind##END = {NORM, ACTIVATION}; \
  static void *run##END(call_frame *f) { return map(f, "pengcde_linear" #END, &kind##END); } \
  static void *pull##END(call_frame *f) { return pullback(f, "pengcde_linear" #END "_pullback", &kind##END); }
#define ENTRIES(END, NORM, ACTIVATION) \
  {"pengcde_linear" #END, run##END}, {"pengcde_linear" #END "_pullback", pull##END},

VARIANTS(HANDLERS)
const kernel pengcde_linear_kernels[] = {VARIANTS(ENTRIES){NULL, NULL}};
