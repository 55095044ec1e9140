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

// operands reads x [batch, n, in], and of S seeds, each for its part of the batch, gain [S, in], shift [S, in],
// W [S, out, in] and b [S, out].
static int operands(linear *l, call_frame *f) {
  buffer **in = f->in.at;
  l->x = in[0];
  l->gain = in[1];
  l->shift = in[2];
  l->weight = in[3];
  l->bias = in[4];
  l->seeds = l->weight->dims[0];
  l->rows = l->x->dims[0] / l->seeds * l->x->dims[1];
  l->in = l->weight->dims[2];
  l->out = l->weight->dims[1];
  return l->x->dims[2] == l->in && (l->x->type == TYPE_F32 || l->x->type == TYPE_F64);
}

static void *map(call_frame *f) {
  linear l;
  if (begin(f))
    return NULL;
  if (!operands(&l, f))
    return invalid(f, "linear map: operands do not fit");
  void *room = malloc((l.in * l.out + BLOCK * l.in) * sizeof(double));
  if (room == NULL)
    return invalid(f, "linear map: no memory");
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
  if (!operands(&l, f))
    return invalid(f, "pullback of a linear map: operands do not fit");
  double *sums = malloc((2 * l.in + l.out + l.rows * (l.in + 1)) * sizeof(double));
  if (sums == NULL)
    return invalid(f, "pullback of a linear map: no memory");
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
