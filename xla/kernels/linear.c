//go:build linux && cgo

// Rows over their root mean squares, with gain and shift, then a linear map: y = W (x / rms(x) * gain + shift) + b.

#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#define EPSILON 1e-5 // of package nn's RMSNorm

enum { BLOCK = 64 }; // rows that are normalised before they are mapped

typedef struct {
  const buffer *x, *gain, *shift, *weight, *bias;
  int64_t seeds, rows, in, out; // rows: of a seed
} linear;

#include "float32.h"
#include "typed.h"
#include "linear_typed.h"
#include "float64.h"
#include "typed.h"
#include "linear_typed.h"

// Seeds S have parameters each, and each its part of the batch B, of n rows of i numbers that become o.
#define PARAMETERS \
  {"gain", REALS, "Si"}, {"shift", REALS, "Si"}, {"weight", REALS, "Soi"}, { "bias", REALS, "So" }
static const operand x_and_parameters[] = {{"x", REALS, "Bni"}, PARAMETERS, {0}};
static const operand with_cotangent[] = {{"x", REALS, "Bni"}, PARAMETERS, {"cotangent of y", REALS, "Bno"}, {0}};
static const operand y[] = {{"y", REALS, "Bno"}, {0}};
static const signature of_map = {"pengcde_linear", x_and_parameters, y, 0};
static const signature of_pullback = {"pengcde_linear_pullback", with_cotangent, x_and_parameters, 0};

static void *operands(linear *l, call_frame *f, const signature *wanted) {
  fit sizes;
  clear(&sizes);
  void *error = check(f, wanted, &sizes);
  if (error != NULL)
    return error;
  buffer **in = f->in.at;
  l->x = in[0];
  l->gain = in[1];
  l->shift = in[2];
  l->weight = in[3];
  l->bias = in[4];
  l->seeds = SIZE(&sizes, 'S');
  l->rows = SIZE(&sizes, 'B') / l->seeds * SIZE(&sizes, 'n');
  l->in = SIZE(&sizes, 'i');
  l->out = SIZE(&sizes, 'o');
  return NULL;
}

static void *map(call_frame *f) {
  linear l;
  if (begin(f))
    return NULL;
  void *error = operands(&l, f, &of_map);
  if (error != NULL)
    return error;
  void *room = malloc((l.in * l.out + BLOCK * l.in) * sizeof(double));
  if (room == NULL)
    return invalid(f, "%s: no memory", of_map.kernel);
  if (l.x->type == TYPE_F32)
    forward_f32(&l, f->out.at[0]->data, room);
  else
    forward_f64(&l, f->out.at[0]->data, room);
  free(room);
  return NULL;
}

static void *pullback(call_frame *f) {
  linear l;
  if (begin(f))
    return NULL;
  void *error = operands(&l, f, &of_pullback);
  if (error != NULL)
    return error;
  double *sums = malloc((2 * l.in + l.out + l.rows * (l.in + 1)) * sizeof(double));
  if (sums == NULL)
    return invalid(f, "%s: no memory", of_pullback.kernel);
  void *room = sums + 2 * l.in + l.out;
  const void *v = f->in.at[5]->data;
  if (l.x->type == TYPE_F32)
    backward_f32(&l, v, f->out.at, room, sums);
  else
    backward_f64(&l, v, f->out.at, room, sums);
  free(sums);
  return NULL;
}

const kernel pengcde_linear_kernels[] = {
    {"pengcde_linear", map},
    {"pengcde_linear_pullback", pullback},
    {NULL, NULL},
};
