//go:build linux && cgo

// The product of a mixed sparse matrix and node states, and its pullbacks, alone or with the low-rank part of a message
// matrix. Package equivariant defines the mathematics.

#include "parts.h"
#include "path.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2, CHUNK = 64, MOST_TABLES = 8 }; // matrices, entries mixed at a time, buckets
enum { BEHIND = 16 };                           // padding after the lists, which may be read and written

// Lists of neighbours, for matrices of the same form.
typedef struct {
  const buffer *table[MOST_TABLES]; // [batch, places, width] of each bucket
  int tables, matrices, directed;
  int64_t batch, nodes, row, room; // row: length of a matrix row; room: capacity of the arranged lists
  int64_t entries, parts;          // entries of all lists of a sample, and parts that they are divided into
  int64_t width;                   // numbers of a row that belong to lists
} lists;

// A part of the places of a sample: [from, to), whose lists end before entry end.
typedef struct {
  int64_t number, sample, from, to, end;
} span;

typedef struct {
  lists lists;
  const buffer *c, *z;
  const int32_t *node, *counts, *to; // node: the node of each place
  const void *values;
  int coefficients, step; // step: 2 if the lists have entries of two matrices and the coefficients are for the first
  int add;                // adds the product to numbers that are there
  int64_t seeds, per_seed, d; // per_seed: samples of a seed, which has its own coefficients
} product;

// entries_before returns the number of entries in the lists of the places before one.
static int64_t entries_before(const lists *l, int64_t place) {
  int64_t entries = 0;
  for (int t = 0; t < l->tables; t++) {
    int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2];
    if (place < places)
      return entries + place * width;
    place -= places;
    entries += places * width;
  }
  return entries;
}

// place_with returns the place whose list has an entry.
static int64_t place_with(const lists *l, int64_t entry) {
  int64_t place = 0;
  for (int t = 0; t < l->tables; t++) {
    int64_t places = l->table[t]->dims[1], width = l->table[t]->dims[2];
    if (entry < places * width)
      return place + entry / width;
    entry -= places * width;
    place += places;
  }
  return place;
}

// part_of returns a part. All parts of a sample have about the same number of entries.
static span part_of(const lists *l, int64_t number) {
  int64_t at = number % l->parts, last = l->parts - 1;
  span s = {.number = number, .sample = number / l->parts, .to = l->nodes, .end = l->room};
  s.from = at == 0 ? 0 : place_with(l, first_of(at, l->parts, l->entries));
  if (at < last) {
    s.to = place_with(l, first_of(at + 1, l->parts, l->entries));
    s.end = entries_before(l, s.to);
  }
  return s;
}

// share runs work for all parts of all samples.
static void share(call_frame *f, const lists *l, void (*work)(void *of, int64_t part), void *of) {
  pengcde_share(f, l->batch * l->parts, l->entries / l->parts, work, of);
}

// Cotangents of rows to compute for cotangent v of the product with states z.
typedef struct {
  const lists *lists;
  int type;
  const int32_t *node;
  const void *c, *z, *v;
  int64_t per_seed, d; // as in product
  void *to[MOST];
} entering;

// LOW and HIGH are the range of the places of a table that are in a part. The first place of the table is first.
#define LOW(s, first) ((s)->from > (first) ? (s)->from - (first) : 0)
#define HIGH(s, first, places) ((s)->to - (first) < (places) ? (s)->to - (first) : (places))

#define TYPED "product_typed.h"
#include "versions.h"

// Letters of dimensions: a batch B of graphs with n nodes; rows of w numbers, or v at their ends with k sums of each
// node; e entries per place of the lists, arranged in lists of capacity r, and m coefficients for them; tables of
// neighbours.
#define ROW \
  { "row", REALS, "Bw" }
#define TABLE \
  { "table of neighbours", TYPE_S32, "B.." }
#define PLACES \
  {"node of each place", TYPE_S32, "N"}, { "place of each node", TYPE_S32, "N" }
#define COEFFICIENTS \
  { "coefficients", REALS, "Sm" }
#define ARRANGED \
  {"counts", TYPE_S32, "Bn"}, {"nodes", TYPE_S32, "Br"}, { "entries", REALS, "Ber" }
#define STATES \
  { "states", REALS, "Bnd" }
#define COTANGENT \
  { "cotangent of the product", REALS, "Bnd" }
#define ENDS \
  { "row or its end", REALS, "Bv" }
#define COEFFICIENTS_OF_SUMS \
  { "coefficients of sums", REALS, "Sk4" }

static const operand rows[] = {ROW, ROW, {0}}; // one matrix uses the second entry onwards
static const operand rows_and_tables[] = {ROW, ROW, TABLE, {0}};
static const operand path_and_tables[] = {PATH, TABLE, {0}};
static const operand arranged[] = {ARRANGED, {0}};
static const operand of_product[] = {COEFFICIENTS, ARRANGED, PLACES, STATES, TABLE, {0}};
#define MESSAGE COEFFICIENTS, ARRANGED, PLACES, STATES
static const operand of_message[2][MOST][13] = {
    {{MESSAGE, COEFFICIENTS_OF_SUMS, ENDS, TABLE, {0}}, {MESSAGE, COEFFICIENTS_OF_SUMS, ENDS, ENDS, TABLE, {0}}},
    {{MESSAGE, COTANGENT, COEFFICIENTS_OF_SUMS, ENDS, TABLE, {0}},
     {MESSAGE, COTANGENT, COEFFICIENTS_OF_SUMS, ENDS, ENDS, TABLE, {0}}}};
static const operand of_entries[] = {COEFFICIENTS, PLACES, STATES, COTANGENT, TABLE, {0}};
static const operand states[] = {STATES, {0}};
static const operand coefficients[] = {COEFFICIENTS, COEFFICIENTS_OF_SUMS, {0}};

// read_tables checks a call whose tables follow the given number of other inputs, and that the length of the lists
// matches nodes, rows and room.
static void *read_tables(call_frame *f, const signature *wanted, fit *s, lists *l, int before) {
  void *error = check(f, wanted, s);
  if (error != NULL)
    return error;
  l->tables = (int)f->in.size - before;
  l->batch = SIZE(s, 'B');
  l->row = SIZE(s, 'w');
  l->nodes = SIZE(s, 'n');
  l->room = SIZE(s, 'r');
  int64_t places = 0, entries = 0, nodes = l->nodes;
  for (int t = 0; t < l->tables; t++) {
    l->table[t] = f->in.at[before + t];
    places += l->table[t]->dims[1];
    entries += l->table[t]->dims[1] * l->table[t]->dims[2];
  }
  if (places != nodes)
    return invalid(f, "%s: tables with %lld places for %lld nodes, want as many", wanted->kernel, (long long)places,
                   (long long)nodes);
  if (SIZE(s, 'N') >= 0 && SIZE(s, 'N') != l->batch * nodes)
    return invalid(f, "%s: places of %lld nodes, want %lld, of all samples", wanted->kernel, (long long)SIZE(s, 'N'),
                   (long long)(l->batch * nodes));
  if (l->room >= 0 && l->room != entries + BEHIND)
    return invalid(f, "%s: room for %lld entries, want %lld, of all lists and %d more", wanted->kernel,
                   (long long)l->room, (long long)(entries + BEHIND), BEHIND);
  l->entries = entries;
  l->parts = parts_of(entries);
  l->width = l->directed ? 2 * entries : entries;
  if (l->row >= 0 && l->row < l->width)
    return invalid(f, "%s: rows of %lld numbers, want at least %lld, of all lists", wanted->kernel, (long long)l->row,
                   (long long)l->width);
  return NULL;
}

// Lists to arrange, from rows of each matrix or along a path.
typedef struct {
  const lists *lists;
  const track *path; // NULL without one
  int type;
  const void *rows[MOST];
  int32_t *counts, *to;
  void *values;
} arranging;

static void arrange_part(void *of, int64_t part) {
  const arranging *a = of;
  span s = part_of(a->lists, part);
  CALL(a->type, arrange, a->lists, &s, a->path, a->rows, a->counts, a->to, a->values);
}

// arrange takes one or two rows (one per matrix), and tables.
static void *arrange(call_frame *f, const char *name, int matrices, int directed) {
  if (begin(f))
    return NULL;
  lists l = {.matrices = matrices, .directed = directed};
  fit sizes;
  clear(&sizes);
  SIZE(&sizes, 'e') = directed ? 2 * matrices : matrices;
  const signature wanted = {name, rows_and_tables + MOST - matrices, arranged, MOST_TABLES};
  void *error = read_tables(f, &wanted, &sizes, &l, matrices);
  if (error != NULL)
    return error;
  arranging a = {&l, NULL, sizes.reals, {f->in.at[0]->data, f->in.at[matrices - 1]->data},
                 f->out.at[0]->data, f->out.at[1]->data, f->out.at[2]->data};
  share(f, &l, arrange_part, &a);
  return NULL;
}

// lists_along takes a path through rows, and tables, and arranges A and A' at a time.
static void *lists_along(call_frame *f, const char *name, path_kind kind, int directed) {
  if (begin(f))
    return NULL;
  lists l = {.matrices = 2, .directed = directed};
  fit sizes;
  clear(&sizes);
  SIZE(&sizes, 'e') = directed ? 4 : 2;
  const signature wanted = {name, path_and_tables, arranged, MOST_TABLES};
  void *error = read_tables(f, &wanted, &sizes, &l, PATH_INPUTS);
  if (error != NULL)
    return error;
  track path = track_of(f->in.at, kind);
  arranging a = {&l, &path, sizes.reals, {f->in.at[5]->data, NULL},
                 f->out.at[0]->data, f->out.at[1]->data, f->out.at[2]->data};
  share(f, &l, arrange_part, &a);
  return NULL;
}

// operands reads the inputs of a product: coefficients, arranged lists, the node of each place and the place of each
// node, the given number of others, and tables.
static void *operands(product *p, call_frame *f, const signature *wanted, int others) {
  fit sizes;
  clear(&sizes);
  *p = (product){.lists = {.matrices = 1}};
  void *error = read_tables(f, wanted, &sizes, &p->lists, 6 + others);
  if (error != NULL)
    return error;
  buffer **in = f->in.at;
  p->c = in[0];
  p->coefficients = (int)SIZE(&sizes, 'm');
  p->counts = in[1]->data;
  p->to = in[2]->data;
  p->values = in[3]->data;
  p->node = in[4]->data;
  p->z = in[6];
  p->seeds = SIZE(&sizes, 'S');
  p->per_seed = p->lists.batch / p->seeds;
  p->d = SIZE(&sizes, 'd');
  if (p->coefficients != 1 && p->coefficients != 2 && p->coefficients != 2 * MOST)
    return invalid(f, "%s: %d coefficients, want 1, 2 or %d", wanted->kernel, p->coefficients, 2 * MOST);
  p->step = (int)(SIZE(&sizes, 'e') / p->coefficients);
  if (p->step < 1 || p->step > MOST || p->step * p->coefficients != SIZE(&sizes, 'e') || SIZE(&sizes, 'e') > 2 * MOST)
    return invalid(f, "%s: %d coefficients for %lld entries, want as many, or half as many", wanted->kernel,
                   p->coefficients, (long long)SIZE(&sizes, 'e'));
  return NULL;
}

// A product to compute, or with a cotangent v of it the cotangents of the coefficients, of each part.
typedef struct {
  const product *p;
  const void *v;
  void *out;
} multiplying;

static void multiply_part(void *of, int64_t part) {
  const multiplying *m = of;
  span s = part_of(&m->p->lists, part);
  CALL(m->p->z->type, product, m->p, &s, m->out);
}

static void weigh_part(void *of, int64_t part) {
  const multiplying *m = of;
  span s = part_of(&m->p->lists, part);
  CALL(m->p->z->type, weights, m->p, &s, m->v, m->out);
}

static void *multiply(call_frame *f) {
  static const signature wanted = {"pengcde_product", of_product, states, MOST_TABLES};
  product p;
  if (begin(f))
    return NULL;
  void *error = operands(&p, f, &wanted, 1);
  if (error != NULL)
    return error;
  multiplying m = {&p, NULL, f->out.at[0]->data};
  share(f, &p.lists, multiply_part, &m);
  return NULL;
}

// low_rank reads the low-rank part of a message matrix from the inputs: coefficients of sums at the given one, then
// rows of matrices.
static void *low_rank(ranks *r, call_frame *f, const char *name, const product *p, int at, int matrices) {
  const buffer *puts = f->in.at[at], *row = f->in.at[at + 1];
  *r = (ranks){.type = p->z->type, .puts = puts->data, .z = p->z->data, .batch = p->lists.batch, .n = p->z->dims[1],
               .sums = puts->dims[1], .d = p->d, .seeds = p->seeds, .rows = {row->data, f->in.at[at + matrices]->data},
               .matrices = matrices, .directed = p->coefficients > matrices, .width = row->dims[1]};
  int64_t entries = p->lists.room - BEHIND, sums = OF_EACH * matrices + 1;
  int64_t ends = (r->directed ? 3 : 2) * r->n + 2, width = (r->directed ? 2 : 1) * entries + ends;
  if (p->coefficients != matrices && p->coefficients != 2 * matrices)
    return invalid(f, "%s: %d coefficients, want %d or %d", name, p->coefficients, matrices, 2 * matrices);
  if (p->step * matrices > MOST)
    return invalid(f, "%s: entries of more than %d matrices for %d coefficients, want as many entries", name, MOST,
                   p->coefficients);
  if (r->sums != sums)
    return invalid(f, "%s: coefficients of %lld sums, want %lld", name, (long long)r->sums, (long long)sums);
  if (r->width != width && r->width != ends)
    return invalid(f, "%s: rows of %lld numbers for %d coefficients, want %lld, or their last %lld", name,
                   (long long)r->width, p->coefficients, (long long)width, (long long)ends);
  return NULL;
}

// message computes the product, or if pulled the cotangents of both kinds of coefficients for its cotangent.
static void *message(call_frame *f, const char *name, int matrices, int pulled) {
  const signature wanted = {name, of_message[pulled][matrices - 1], pulled ? coefficients : states, MOST_TABLES};
  product p;
  ranks r;
  if (begin(f))
    return NULL;
  void *error = operands(&p, f, &wanted, 2 + pulled + matrices);
  if (error != NULL || (error = low_rank(&r, f, name, &p, 7 + pulled, matrices)) != NULL)
    return error;
  const void *v = pulled ? f->in.at[7]->data : NULL;
  void *first = f->out.at[0]->data, *last = f->out.at[pulled]->data;
  int64_t parts = p.lists.batch * p.lists.parts;
  void *of_parts = pulled ? malloc((parts * p.coefficients + 1) * sizeof(double)) : NULL;
  if ((pulled && of_parts == NULL) || !pengcde_low_rank(f, &r, pulled ? TO_PUTS : PRODUCT, v, last)) {
    free(of_parts);
    return invalid(f, "%s: no memory, want some for %lld nodes: try smaller batches", name, (long long)r.n);
  }
  p.add = 1;
  multiplying m = {&p, v, pulled ? of_parts : first};
  share(f, &p.lists, pulled ? weigh_part : multiply_part, &m);
  if (pulled)
    CALL(p.z->type, add_parts, &p, of_parts, first);
  free(of_parts);
  return NULL;
}

static void *message_one(call_frame *f) { return message(f, "pengcde_message_one", 1, 0); }
static void *message_two(call_frame *f) { return message(f, "pengcde_message_two", 2, 0); }
static void *pullback_one(call_frame *f) { return message(f, "pengcde_message_one_pullback", 1, 1); }
static void *pullback_two(call_frame *f) { return message(f, "pengcde_message_two_pullback", 2, 1); }

static void enter_part(void *of, int64_t part) {
  const entering *e = of;
  span s = part_of(e->lists, part);
  CALL(e->type, entries, e, &s, e->c, e->z, e->v);
}

// entries takes coefficients, the node of each place and the place of each node, z and v, and tables.
static void *entries(call_frame *f, const char *name, int matrices, int directed) {
  if (begin(f))
    return NULL;
  lists l = {.matrices = matrices, .directed = directed};
  fit sizes;
  clear(&sizes);
  SIZE(&sizes, 'm') = directed ? 2 * matrices : matrices;
  const signature wanted = {name, of_entries, rows + MOST - matrices, MOST_TABLES};
  void *error = read_tables(f, &wanted, &sizes, &l, 5);
  if (error != NULL)
    return error;
  buffer **in = f->in.at;
  entering e = {&l, sizes.reals, in[1]->data, in[0]->data, in[3]->data, in[4]->data,
                l.batch / SIZE(&sizes, 'S'), SIZE(&sizes, 'd'), {f->out.at[0]->data, f->out.at[matrices - 1]->data}};
  size_t real = sizes.reals == TYPE_F32 ? sizeof(float) : sizeof(double);
  for (int i = 0; i < matrices; i++)
    for (int64_t b = 0; b < l.batch; b++)
      memset((char *)e.to[i] + (b * l.row + l.width) * real, 0, (l.row - l.width) * real);
  share(f, &l, enter_part, &e);
  return NULL;
}

// ARRANGING and ENTRIES define the kernels for one or two matrices, directed or not, and ALONG the kernels for paths.
#define ARRANGING(which, matrices, directed) \
  static void *arrange_##which(call_frame *f) { return arrange(f, "pengcde_arrange_" #which, matrices, directed); }
#define ENTRIES(which, matrices, directed) \
  static void *entries_##which(call_frame *f) { return entries(f, "pengcde_entries_" #which, matrices, directed); }
#define ALONG(which, kind, directed) \
  static void *lists_##which(call_frame *f) { return lists_along(f, "pengcde_lists_" #which, kind, directed); }
ALONG(directed_hermite, HERMITE, 1)
ALONG(directed_linear, LINEAR, 1)
ALONG(directed_ramp, RAMP, 1)
ALONG(undirected_hermite, HERMITE, 0)
ALONG(undirected_linear, LINEAR, 0)
ALONG(undirected_ramp, RAMP, 0)
ARRANGING(one_directed, 1, 1)
ARRANGING(one_undirected, 1, 0)
ARRANGING(two_directed, 2, 1)
ARRANGING(two_undirected, 2, 0)
ENTRIES(one_directed, 1, 1)
ENTRIES(one_undirected, 1, 0)
ENTRIES(two_directed, 2, 1)
ENTRIES(two_undirected, 2, 0)

int pengcde_highest = 4;

const kernel pengcde_product_kernels[] = {
    {"pengcde_arrange_one_directed", arrange_one_directed}, {"pengcde_arrange_one_undirected", arrange_one_undirected},
    {"pengcde_arrange_two_directed", arrange_two_directed}, {"pengcde_arrange_two_undirected", arrange_two_undirected},
    {"pengcde_lists_directed_hermite", lists_directed_hermite},
    {"pengcde_lists_directed_linear", lists_directed_linear},
    {"pengcde_lists_directed_ramp", lists_directed_ramp},
    {"pengcde_lists_undirected_hermite", lists_undirected_hermite},
    {"pengcde_lists_undirected_linear", lists_undirected_linear},
    {"pengcde_lists_undirected_ramp", lists_undirected_ramp},
    {"pengcde_product", multiply},
    {"pengcde_message_one", message_one},                   {"pengcde_message_one_pullback", pullback_one},
    {"pengcde_message_two", message_two},                   {"pengcde_message_two_pullback", pullback_two},
    {"pengcde_entries_one_directed", entries_one_directed}, {"pengcde_entries_one_undirected", entries_one_undirected},
    {"pengcde_entries_two_directed", entries_two_directed}, {"pengcde_entries_two_undirected", entries_two_undirected},
    {NULL, NULL},
};
