//go:build linux && cgo

// The low-rank part of a message matrix. For sums of each node and their coefficients, V = sums · coefficients has the
// columns c, o, r and g, and the product with states Z is o (c^T Z) + r (o^T Z) + g Z. Package equivariant defines
// them; o is 1.

#include "kernels.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const buffer *nodes, *puts, *z;
  int64_t batch, n, sums, d, seeds, part; // part: samples per seed, which has its own coefficients
} ranks;

#define TYPED "ranks_typed.h"
#include "versions.h"

// Each of n nodes has k sums.
#define OPERANDS \
  {"sums", REALS, "Bnk"}, {"coefficients", REALS, "Sk4"}, { "states", REALS, "Bnd" }
static const operand of_product[] = {OPERANDS, {0}};
static const operand with_cotangent[] = {OPERANDS, {"cotangent of the product", REALS, "Bnd"}, {0}};
static const operand states[] = {{"states", REALS, "Bnd"}, {0}};
static const operand coefficients[] = {{"coefficients", REALS, "Sk4"}, {0}};
static const operand sums[] = {{"sums", REALS, "Bnk"}, {0}};

typedef enum { PRODUCT, TO_PUTS, TO_NODES } what;
static const signature wanted[] = {
    [PRODUCT] = {"pengcde_ranks", of_product, states, 0},
    [TO_PUTS] = {"pengcde_ranks_to_puts", with_cotangent, coefficients, 0},
    [TO_NODES] = {"pengcde_ranks_to_nodes", with_cotangent, sums, 0},
};

static void *run(call_frame *f, what kind) {
  ranks r;
  fit sizes;
  void *error;
  if (refused(f, &wanted[kind], &sizes, &error))
    return error;
  r.nodes = f->in.at[0];
  r.puts = f->in.at[1];
  r.z = f->in.at[2];
  r.batch = SIZE(&sizes, 'B');
  r.n = SIZE(&sizes, 'n');
  r.d = SIZE(&sizes, 'd');
  r.sums = SIZE(&sizes, 'k');
  r.seeds = SIZE(&sizes, 'S');
  r.part = r.batch / r.seeds;
  void *room = malloc((4 * r.d + 8 * r.n) * sizeof(double)), *out = f->out.at[0]->data;
  if (room == NULL)
    return invalid(f, "%s: no memory", wanted[kind].kernel);
  const void *x = kind == PRODUCT ? NULL : f->in.at[3]->data;
  switch (kind) {
  case PRODUCT:
    CALL(r.z->type, ranks, &r, out, room);
    break;
  case TO_PUTS:
    CALL(r.z->type, pulled, &r, x, out, room);
    break;
  case TO_NODES:
    CALL(r.z->type, pulled_to_nodes, &r, x, out, room);
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
