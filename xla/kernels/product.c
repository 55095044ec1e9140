//go:build linux && cgo

// The product of a mixed sparse matrix and node states, and its pullbacks. Package equivariant says what is computed.

#include "kernels.h"

#include <string.h>

enum { MOST = 2, CHUNK = 64, MOST_TABLES = 8 }; // matrices, entries that are mixed at a time, buckets

// Lists of neighbours, of matrices that lie alike.
typedef struct {
  const buffer *table[MOST_TABLES]; // [batch, places, width] of each bucket
  int tables, matrices, directed;
  int64_t batch, row, room; // row: of a matrix; room: of what is put together of it
} lists;

typedef struct {
  lists lists;
  const buffer *c, *z;
  const int32_t *node, *counts, *to; // node: of each place
  const void *values;
  int coefficients;
  int64_t part, d; // part: samples with the same coefficients
} product;

#include "float32.h"
#include "typed.h"
#include "product_typed.h"
#include "float64.h"
#include "typed.h"
#include "product_typed.h"

// tables reads those of the operands from the given one on.
static int tables(lists *l, call_frame *f, int64_t next, int matrices, int directed) {
  l->matrices = matrices;
  l->directed = directed;
  l->tables = (int)(f->in.size - next);
  if (matrices < 1 || matrices > MOST || l->tables < 1 || l->tables > MOST_TABLES)
    return 0;
  for (int t = 0; t < l->tables; t++)
    l->table[t] = f->in.at[next + t];
  l->batch = l->table[0]->dims[0];
  return 1;
}

static int is_float(const buffer *x) { return x->type == TYPE_F32 || x->type == TYPE_F64; }

// arrange takes one or two rows, as many as matrices, and tables.
static void *arrange(call_frame *f, int matrices, int directed) {
  lists l;
  if (begin(f))
    return NULL;
  const buffer *row = f->in.at[0];
  if (!tables(&l, f, matrices, matrices, directed) || !is_float(row))
    return invalid(f, "arranging lists: operands do not fit");
  l.row = row->dims[1];
  l.room = f->out.at[1]->dims[1];
  const void *rows[MOST] = {row->data, f->in.at[matrices - 1]->data};
  int32_t *counts = f->out.at[0]->data, *to = f->out.at[1]->data;
  if (row->type == TYPE_F32)
    arrange_f32(&l, (const float *const *)rows, counts, to, f->out.at[2]->data);
  else
    arrange_f64(&l, (const double *const *)rows, counts, to, f->out.at[2]->data);
  return NULL;
}

// operands reads those of a product: coefficients [S, m], what was arranged (counts [batch, n], nodes [batch, room] and
// entries [batch, m, room]), the node of each place and the place of each node, so many states, and tables.
static int operands(product *p, call_frame *f, int states) {
  buffer **in = f->in.at;
  p->c = in[0];
  p->coefficients = (int)p->c->dims[1];
  p->counts = in[1]->data;
  p->to = in[2]->data;
  p->values = in[3]->data;
  p->node = in[4]->data;
  p->z = in[6];
  if (!tables(&p->lists, f, 6 + states, 1, 0) || !is_float(p->z) || p->coefficients > 2 * MOST)
    return 0;
  p->lists.room = in[2]->dims[1];
  p->part = p->lists.batch / p->c->dims[0];
  p->d = p->z->dims[2];
  return p->coefficients == 1 || p->coefficients == 2 || p->coefficients == 2 * MOST;
}

static void *multiply(call_frame *f) {
  product p;
  if (begin(f))
    return NULL;
  if (!operands(&p, f, 1))
    return invalid(f, "sparse product: operands do not fit");
  if (p.z->type == TYPE_F32)
    product_f32(&p, f->out.at[0]->data);
  else
    product_f64(&p, f->out.at[0]->data);
  return NULL;
}

static void *weights(call_frame *f) {
  product p;
  if (begin(f))
    return NULL;
  if (!operands(&p, f, 2))
    return invalid(f, "coefficients of a sparse product: operands do not fit");
  const void *v = f->in.at[7]->data;
  if (p.z->type == TYPE_F32)
    weights_f32(&p, v, f->out.at[0]->data);
  else
    weights_f64(&p, v, f->out.at[0]->data);
  return NULL;
}

// entries takes coefficients, the node of each place and the place of each node, z and v, and tables.
static void *entries(call_frame *f, int matrices, int directed) {
  lists l;
  if (begin(f))
    return NULL;
  const buffer *c = f->in.at[0], *z = f->in.at[3];
  if (!tables(&l, f, 5, matrices, directed) || !is_float(z) || c->dims[1] != matrices * (directed ? 2 : 1))
    return invalid(f, "entries of a sparse product: operands do not fit");
  l.row = f->out.at[0]->dims[1];
  int64_t part = l.batch / c->dims[0], d = z->dims[2];
  void *rows[MOST] = {f->out.at[0]->data, f->out.at[matrices - 1]->data};
  const void *v = f->in.at[4]->data;
  if (z->type == TYPE_F32)
    entries_f32(&l, f->in.at[1]->data, c->data, part, z->data, v, d, (float *const *)rows);
  else
    entries_f64(&l, f->in.at[1]->data, c->data, part, z->data, v, d, (double *const *)rows);
  return NULL;
}

static void *arrange_one_directed(call_frame *f) { return arrange(f, 1, 1); }
static void *arrange_one_undirected(call_frame *f) { return arrange(f, 1, 0); }
static void *arrange_two_directed(call_frame *f) { return arrange(f, 2, 1); }
static void *arrange_two_undirected(call_frame *f) { return arrange(f, 2, 0); }
static void *entries_one_directed(call_frame *f) { return entries(f, 1, 1); }
static void *entries_one_undirected(call_frame *f) { return entries(f, 1, 0); }
static void *entries_two_directed(call_frame *f) { return entries(f, 2, 1); }
static void *entries_two_undirected(call_frame *f) { return entries(f, 2, 0); }

const kernel pengcde_product_kernels[] = {
    {"pengcde_arrange_one_directed", arrange_one_directed}, {"pengcde_arrange_one_undirected", arrange_one_undirected},
    {"pengcde_arrange_two_directed", arrange_two_directed}, {"pengcde_arrange_two_undirected", arrange_two_undirected},
    {"pengcde_product", multiply},                          {"pengcde_weights", weights},
    {"pengcde_entries_one_directed", entries_one_directed}, {"pengcde_entries_one_undirected", entries_one_undirected},
    {"pengcde_entries_two_directed", entries_two_directed}, {"pengcde_entries_two_undirected", entries_two_undirected},
    {NULL, NULL},
};
