//go:build linux && cgo

// The low-rank part of a message matrix. For sums of each node and their coefficients, V = sums · coefficients has the
// columns c, o, r and g, and the product with states Z is o (c^T Z) + r (o^T Z) + g Z. Package equivariant defines
// them; o is 1.

#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_OF_NODE = 8 }; // entries of lists that take about as long as a node

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

static const signature wanted[] = {
    [PRODUCT] = {"pengcde_ranks", of_product, states, 0},
    [TO_PUTS] = {"pengcde_ranks_to_puts", with_cotangent, coefficients, 0},
    [TO_NODES] = {"pengcde_ranks_to_nodes", with_cotangent, sums, 0},
};

int pengcde_low_rank(call_frame *f, const ranks *r, rank_result result, const void *x, void *out) {
  int64_t parts = parts_of(ENTRIES_OF_NODE * r->n);
  void *room = malloc((8 * r->n + (4 * r->d + 4 * r->sums) * parts) * sizeof(double));
  if (room == NULL)
    return 0;
  CALL(r->type, ranks, f, r, result, parts, x, out, room);
  free(room);
  return 1;
}

static void *run(call_frame *f, rank_result result) {
  fit sizes;
  void *error;
  if (refused(f, &wanted[result], &sizes, &error))
    return error;
  if (SIZE(&sizes, 'k') > MOST_SUMS)
    return invalid(f, "%s: %lld sums, want at most %d", wanted[result].kernel, (long long)SIZE(&sizes, 'k'), MOST_SUMS);
  buffer **in = f->in.at;
  ranks r = {.type = in[2]->type, .nodes = in[0]->data, .puts = in[1]->data, .z = in[2]->data};
  r.batch = SIZE(&sizes, 'B');
  r.n = SIZE(&sizes, 'n');
  r.sums = SIZE(&sizes, 'k');
  r.d = SIZE(&sizes, 'd');
  r.seeds = SIZE(&sizes, 'S');
  if (!pengcde_low_rank(f, &r, result, result == PRODUCT ? NULL : in[3]->data, f->out.at[0]->data))
    return invalid(f, "%s: no memory", wanted[result].kernel);
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
