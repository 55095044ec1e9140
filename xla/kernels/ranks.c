//go:build linux && cgo

// The part of a message matrix of low rank: for sums of each node and their coefficients, V = sums · coefficients has
// the columns c, o, r and g, and the product with states Z is o (c^T Z) + r (o^T Z) + g Z. Package equivariant says
// what they are; o is 1.

#include "kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SUMS = 16 }; // of a node

typedef struct {
  const buffer *nodes, *puts, *z;
  int64_t batch, n, sums, d, part; // part: samples with the same coefficients
} ranks;

#include "float32.h"
#include "typed.h"
#include "ranks_typed.h"
#include "float64.h"
#include "typed.h"
#include "ranks_typed.h"

// operands reads those of a product: sums [batch, n, sums], coefficients [S, sums, 4], states.
static int operands(ranks *r, call_frame *f) {
  r->nodes = f->in.at[0];
  r->puts = f->in.at[1];
  r->z = f->in.at[2];
  r->batch = r->z->dims[0];
  r->n = r->z->dims[1];
  r->d = r->z->dims[2];
  r->sums = r->nodes->dims[2];
  r->part = r->batch / r->puts->dims[0];
  return r->sums <= MOST_SUMS && (r->z->type == TYPE_F32 || r->z->type == TYPE_F64);
}

typedef enum { PRODUCT, TO_PUTS, TO_NODES } what;

static void *run(call_frame *f, what wanted) {
  ranks r;
  if (begin(f))
    return NULL;
  if (!operands(&r, f))
    return invalid(f, "product of low rank: operands do not fit");
  void *room = malloc((4 * r.d + 8 * r.n) * sizeof(double)), *out = f->out.at[0]->data;
  if (room == NULL)
    return invalid(f, "product of low rank: no memory");
  const void *x = wanted == PRODUCT ? NULL : f->in.at[3]->data;
  int single = r.z->type == TYPE_F32;
  switch (wanted) {
  case PRODUCT:
    single ? ranks_f32(&r, out, room) : ranks_f64(&r, out, room);
    break;
  case TO_PUTS:
    single ? pulled_f32(&r, x, out, room) : pulled_f64(&r, x, out, room);
    break;
  case TO_NODES:
    single ? pulled_to_nodes_f32(&r, x, out, room) : pulled_to_nodes_f64(&r, x, out, room);
  }
  free(room);
  return NULL;
}

static void *product(call_frame *f) { return run(f, PRODUCT); }
static void *to_puts(call_frame *f) { return run(f, TO_PUTS); }
static void *to_nodes(call_frame *f) { return run(f, TO_NODES); }

const kernel pengcde_ranks_kernels[] = {
    {"pengcde_ranks", product},
    {"pengcde_ranks_to_puts", to_puts},
    {"pengcde_ranks_to_nodes", to_nodes},
    {NULL, NULL},
};
