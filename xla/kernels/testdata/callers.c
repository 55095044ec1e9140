// Two callers of all kernels at the same time, for sanitizers. They share their inputs and write separate outputs,
// which must equal the outputs of a single caller without other threads. A first number is the highest level of
// x86-64 that kernels use, a second the entries of a part of their work. With "shared" they write to the same memory,
// which the thread sanitizer must detect.

#include "../kernels.h"
#include "../parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern const kernel pengcde_product_kernels[], pengcde_ranks_kernels[], pengcde_linear_kernels[];
extern const kernel pengcde_combine_kernels[], pengcde_path_kernels[];
static const kernel *const files[] = {pengcde_product_kernels, pengcde_ranks_kernels, pengcde_linear_kernels,
                                      pengcde_combine_kernels, pengcde_path_kernels};

enum { CALLERS = 2, THREADS = 3, ROUNDS = 3, MOST_CALLS = 512, MOST_OPERANDS = 16 };
enum { SEEDS = 2, BATCH = 4, NODES = 70, SUMS = 11, FEW = 60, NEAR = 5, FAR = 33 };
enum { ENTRIES = FEW * NEAR + (NODES - FEW) * FAR, ROOM = ENTRIES + 16 };

// A tensor has memory of exactly its size.
typedef struct {
  buffer of;
  int64_t dims[4];
} tensor;

typedef struct {
  const char *name;
  int ins, outs;
  tensor in[MOST_OPERANDS], out[MOST_OPERANDS];
} call;

static call calls[MOST_CALLS];
static int count;
static int shared;
static int64_t width, out; // of the states, and of the rows that a linear map returns

static size_t bytes(const tensor *t) {
  size_t size = t->of.type == TYPE_F64 ? 8 : 4;
  for (int64_t i = 0; i < t->of.rank; i++)
    size *= t->dims[i];
  return size;
}

static void fail(const char *name, const char *what) {
  fprintf(stderr, "%s: %s\n", name, what);
  exit(1);
}

// make returns a tensor of zeros; a dimension of 0 ends the list.
static tensor make(int type, int64_t a, int64_t b, int64_t c, int64_t d) {
  tensor t = {.of = {.struct_size = sizeof(buffer), .type = type}, .dims = {a, b, c, d}};
  while (t.of.rank < 4 && t.dims[t.of.rank] != 0)
    t.of.rank++;
  t.of.data = calloc(1, bytes(&t));
  return t;
}

static unsigned next_random(void) {
  static unsigned state = 7; // of the main thread
  return (state = state * 1664525u + 1013904223u) >> 8;
}

// floats returns a tensor of numbers between -1 and 1, a third of them 0.
static tensor floats(int type, int64_t a, int64_t b, int64_t c, int64_t d) {
  tensor t = make(type, a, b, c, d);
  size_t size = bytes(&t) / (type == TYPE_F64 ? 8 : 4);
  for (size_t i = 0; i < size; i++) {
    double x = next_random() % 3 == 0 ? 0 : next_random() % 2001 / 1000.0 - 1;
    if (type == TYPE_F64)
      ((double *)t.of.data)[i] = x;
    else
      ((float *)t.of.data)[i] = (float)x;
  }
  return t;
}

// nodes returns a tensor of node numbers: all nodes in order, or random ones for the tables of samples.
static tensor nodes(int in_order, int64_t a, int64_t b, int64_t c) {
  tensor t = make(TYPE_S32, a, b, c, 0);
  int64_t size = (int64_t)bytes(&t) / 4, of_sample = size / (b == 0 ? 1 : a);
  for (int64_t i = 0; i < size; i++)
    ((int32_t *)t.of.data)[i] = (int32_t)(in_order ? i : i / of_sample * NODES + next_random() % NODES);
  return t;
}

static void *error_of(error_args *args) { return strdup(args->message); }

static handler *find(const char *name) {
  for (size_t f = 0; f < sizeof files / sizeof *files; f++)
    for (const kernel *k = files[f]; k->name != NULL; k++)
      if (strcmp(k->name, name) == 0)
        return k->run;
  fail(name, "no such kernel");
  return NULL;
}

static void destroy_error(destroy_error_args *args) { free(args->error); }

static void *count_threads(count_threads_args *args) {
  *args->count = THREADS;
  return NULL;
}

typedef struct {
  void (*run)(void *data);
  void *data;
} task;

static atomic_int started; // tasks that have not ended

static void *run_task(void *of) {
  task t = *(task *)of;
  free(of);
  t.run(t.data);
  started--;
  return NULL;
}

// schedule runs a task in a thread of its own, and refuses every fifth.
static void *schedule(schedule_args *args) {
  static atomic_int asked;
  if (++asked % 5 == 0)
    return strdup("no thread");
  task *t = malloc(sizeof *t);
  *t = (task){args->task, args->data};
  started++;
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_task, t) != 0)
    fail("schedule", "no thread");
  pthread_detach(thread);
  return NULL;
}

// run calls a kernel with its first ins inputs, with other threads or as for an XLA without them. It returns an error
// to free, or NULL.
static char *run(const call *c, int ins, const tensor *out, int threads) {
  ffi_api api = {.struct_size = threads ? sizeof api : offsetof(ffi_api, schedule), .create_error = error_of,
                 .destroy_error = destroy_error, .schedule = schedule, .count_threads = count_threads};
  buffer in_of[MOST_OPERANDS], out_of[MOST_OPERANDS], *in_at[MOST_OPERANDS], *out_at[MOST_OPERANDS];
  int kinds[MOST_OPERANDS];
  for (int i = 0; i < MOST_OPERANDS; i++) {
    kinds[i] = KIND_BUFFER;
    in_of[i] = c->in[i].of;
    in_of[i].dims = c->in[i].dims;
    out_of[i] = out[i].of;
    out_of[i].dims = out[i].dims;
    in_at[i] = &in_of[i];
    out_at[i] = &out_of[i];
  }
  call_frame frame = {.struct_size = sizeof frame, .api = &api, .stage = STAGE_EXECUTE};
  frame.in = (buffers){sizeof(buffers), NULL, ins, kinds, in_at};
  frame.out = (buffers){sizeof(buffers), NULL, c->outs, kinds, out_at};
  return find(c->name)(&frame);
}

// add runs a call once to get its expected outputs.
static call *add(call c) {
  char *error = run(&c, c.ins, c.out, 0);
  if (error != NULL)
    fail(c.name, error);
  calls[count] = c;
  return &calls[count++];
}

// add_linear adds a map and its pullback, by name, with or without a norm before the map.
static void add_linear(int type, const char *map, const char *pullback, int normed) {
  tensor x = floats(type, BATCH, NODES, width, 0), w = floats(type, SEEDS, out, width, 0);
  tensor b = floats(type, SEEDS, out, 0, 0), v = floats(type, BATCH, NODES, out, 0);
  tensor y = make(type, BATCH, NODES, out, 0), dx = make(type, BATCH, NODES, width, 0);
  tensor dw = make(type, SEEDS, out, width, 0), db = make(type, SEEDS, out, 0, 0);
  if (!normed) {
    add((call){map, 3, 1, {x, w, b}, {y}});
    add((call){pullback, 4, 3, {x, w, b, v}, {dx, dw, db}});
    return;
  }
  tensor gain = floats(type, SEEDS, width, 0, 0), shift = floats(type, SEEDS, width, 0, 0);
  tensor dgain = make(type, SEEDS, width, 0, 0), dshift = make(type, SEEDS, width, 0, 0);
  tensor epsilon = make(type, 1, 0, 0, 0);
  if (type == TYPE_F64)
    *(double *)epsilon.of.data = 1e-2;
  else
    *(float *)epsilon.of.data = 1e-2f;
  add((call){map, 6, 1, {x, gain, shift, w, b, epsilon}, {y}});
  add((call){pullback, 7, 5, {x, gain, shift, w, b, epsilon, v}, {dx, dgain, dshift, dw, db}});
}

static void add_linears(int type) {
  add_linear(type, "pengcde_linear", "pengcde_linear_pullback", 1);
  add_linear(type, "pengcde_linear_relu", "pengcde_linear_relu_pullback", 1);
  add_linear(type, "pengcde_linear_silu", "pengcde_linear_silu_pullback", 1);
  add_linear(type, "pengcde_linear_graph", "pengcde_linear_graph_pullback", 1);
  add_linear(type, "pengcde_linear_graph_relu", "pengcde_linear_graph_relu_pullback", 1);
  add_linear(type, "pengcde_linear_graph_silu", "pengcde_linear_graph_silu_pullback", 1);
  add_linear(type, "pengcde_linear_none", "pengcde_linear_none_pullback", 0);
  add_linear(type, "pengcde_linear_none_relu", "pengcde_linear_none_relu_pullback", 0);
  add_linear(type, "pengcde_linear_none_silu", "pengcde_linear_none_silu_pullback", 0);
}

static void add_ranks(int type) {
  tensor sums = floats(type, BATCH, NODES, SUMS, 0), puts = floats(type, SEEDS, SUMS, 4, 0);
  tensor z = floats(type, BATCH, NODES, width, 0), v = floats(type, BATCH, NODES, width, 0);
  add((call){"pengcde_ranks", 3, 1, {sums, puts, z}, {make(type, BATCH, NODES, width, 0)}});
  add((call){"pengcde_ranks_to_puts", 4, 1, {sums, puts, z, v}, {make(type, SEEDS, SUMS, 4, 0)}});
  add((call){"pengcde_ranks_to_nodes", 4, 1, {sums, puts, z, v}, {make(type, BATCH, NODES, SUMS, 0)}});
}

static void add_combine(int type) {
  enum { SUMMED = 7, TERMS = 50 };
  tensor at = nodes(0, 1, SUMMED, TERMS);
  memmove(at.dims, at.dims + 1, 2 * sizeof *at.dims);
  at.of.rank = 2;
  add((call){"pengcde_combine", 3, 1, {floats(type, SUMMED, TERMS, 0, 0), at, floats(type, NODES, 5 * width, 0, 0)},
             {make(type, SUMMED, 5 * width, 0, 0)}});
}

// add_path adds a path through rows of graphs, at times before, between, on and after the knots.
static const call *add_path(int type, const char *name) {
  enum { KNOTS = 6, ROWS = 3 };
  tensor times = make(TYPE_F64, BATCH, KNOTS, 0, 0), t = make(TYPE_F64, BATCH, 0, 0, 0);
  tensor side = floats(TYPE_F64, BATCH, 0, 0, 0), moving = floats(TYPE_F64, BATCH, 0, 0, 0);
  tensor index = make(TYPE_S32, BATCH, KNOTS, 0, 0);
  for (int b = 0; b < BATCH; b++) {
    ((double *)t.of.data)[b] = b == 1 ? 2 : (KNOTS + 2) * b / (BATCH - 1.0) - 1;
    for (int k = 0; k < KNOTS; k++) {
      ((double *)times.of.data)[b * KNOTS + k] = k;
      ((int32_t *)index.of.data)[b * KNOTS + k] = next_random() % ROWS;
    }
  }
  tensor rows = floats(type, BATCH, ROWS, 5 * width, 0);
  add((call){name, 6, 2, {times, t, side, moving, index, rows},
             {make(type, BATCH, 3 * width, 0, 0), make(type, BATCH, 3 * width, 0, 0)}});
  return add((call){name, 6, 2, {times, t, side, moving, index, rows},
                    {make(type, BATCH, 5 * width, 0, 0), make(type, BATCH, 5 * width, 0, 0)}});
}

// add_lists arranges A and A' of such a path, for one that add_path added.
static void add_lists(int type, const char *name, const call *path, int each) {
  tensor near = nodes(0, BATCH, FEW, NEAR), far = nodes(0, BATCH, NODES - FEW, FAR);
  call lists = {name, 8, 3, {path->in[0], path->in[1], path->in[2], path->in[3], path->in[4]},
                {make(TYPE_S32, BATCH, NODES, 0, 0), make(TYPE_S32, BATCH, ROOM, 0, 0),
                 make(type, BATCH, 2 * each, ROOM, 0)}};
  lists.in[5] = floats(type, BATCH, path->in[5].dims[1], each * ENTRIES + 3, 0);
  lists.in[6] = near;
  lists.in[7] = far;
  add(lists);
}

// fill replaces the zeros of a row by ones.
static void fill(tensor *rows, int64_t row) {
  int64_t size = rows->dims[1];
  for (int64_t i = row * size; i < (row + 1) * size; i++)
    if (rows->of.type == TYPE_F64 && ((double *)rows->of.data)[i] == 0)
      ((double *)rows->of.data)[i] = 1;
    else if (rows->of.type == TYPE_F32 && ((float *)rows->of.data)[i] == 0)
      ((float *)rows->of.data)[i] = 1;
}

static void add_product(int type, const char *arranging, const char *entering, int matrices, int each) {
  tensor near = nodes(0, BATCH, FEW, NEAR), far = nodes(0, BATCH, NODES - FEW, FAR);
  call arrange = {.name = arranging, .ins = matrices + 2, .outs = 3};
  arrange.out[0] = make(TYPE_S32, BATCH, NODES, 0, 0);
  arrange.out[1] = make(TYPE_S32, BATCH, ROOM, 0, 0);
  arrange.out[2] = make(type, BATCH, each * matrices, ROOM, 0);
  for (int i = 0; i < matrices; i++)
    arrange.in[i] = floats(type, BATCH, each * ENTRIES + 3, 0, 0);
  fill(&arrange.in[0], BATCH - 1); // the last list of all is kept whole
  arrange.in[matrices] = near;
  arrange.in[matrices + 1] = far;
  const tensor *to = add(arrange)->out;
  tensor c = floats(type, SEEDS, each * matrices, 0, 0), places = nodes(1, BATCH * NODES, 0, 0);
  tensor z = floats(type, BATCH, NODES, width, 0), v = floats(type, BATCH, NODES, width, 0);
  add((call){"pengcde_product", 9, 1, {c, to[0], to[1], to[2], places, places, z, near, far},
             {make(type, BATCH, NODES, width, 0)}});
  for (int mixed = 1; mixed <= matrices; mixed++) { // one matrix also from the lists of two
    c = floats(type, SEEDS, each * mixed, 0, 0);
    int64_t ends = (each + 1) * NODES + 2; // alone if two matrices are mixed
    tensor rows = floats(type, BATCH, mixed == 2 ? ends : each * ENTRIES + ends, 0, 0);
    tensor puts = floats(type, SEEDS, 5 * mixed + 1, 4, 0), last = mixed == 2 ? rows : near;
    add((call){mixed == 2 ? "pengcde_message_two" : "pengcde_message_one", 10 + mixed, 1,
               {c, to[0], to[1], to[2], places, places, z, puts, rows, last, mixed == 2 ? near : far, far},
               {make(type, BATCH, NODES, width, 0)}});
    add((call){mixed == 2 ? "pengcde_message_two_pullback" : "pengcde_message_one_pullback", 11 + mixed, 2,
               {c, to[0], to[1], to[2], places, places, z, v, puts, rows, last, mixed == 2 ? near : far, far},
               {make(type, SEEDS, each * mixed, 0, 0), make(type, SEEDS, 5 * mixed + 1, 4, 0)}});
  }
  c = floats(type, SEEDS, each * matrices, 0, 0);
  call entries = {.name = entering, .ins = 7, .outs = matrices, .in = {c, places, places, z, v, near, far}};
  for (int i = 0; i < matrices; i++)
    entries.out[i] = make(type, BATCH, each * ENTRIES + 3, 0, 0);
  add(entries);
}

// check_all runs every call, and invalid calls.
static void *check_all(void *unused) {
  for (int k = 0; k < count; k++) {
    const call *c = &calls[k];
    for (int round = 0; round < ROUNDS; round++) {
      tensor out[MOST_OPERANDS] = {0};
      for (int i = 0; i < c->outs; i++) {
        out[i] = c->out[i];
        if (!shared)
          out[i].of.data = calloc(1, bytes(&out[i]));
      }
      char *error = run(c, c->ins, out, 1);
      if (error != NULL)
        fail(c->name, error);
      for (int i = 0; i < c->outs && !shared; i++) {
        if (memcmp(out[i].of.data, c->out[i].of.data, bytes(&out[i])) != 0)
          fail(c->name, "several threads get other numbers than one");
        free(out[i].of.data);
      }
    }
    for (int i = 0; i < c->ins; i++) {
      call other = *c;
      other.in[i].of.rank--;
      char *rank = run(&other, c->ins, c->out, 1);
      other.in[i].of.rank++;
      other.in[i].of.type = 5;
      char *type = run(&other, c->ins, c->out, 1), *few = run(c, i, c->out, 1);
      if (rank == NULL || type == NULL || few == NULL)
        fail(c->name, "no error for a call that does not fit");
      free(rank);
      free(type);
      free(few);
    }
  }
  return unused;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "shared") != 0)
    pengcde_highest = atoi(argv[1]);
  pengcde_part = argc > 2 ? atoi(argv[2]) : ENTRIES / 4;
  static const int64_t sizes[][2] = {{37, 19}, {16, 16}, {8, 8}}; // vectors have 16 or 8 numbers
  for (int i = 0; i < 6; i++) {
    int type = i % 2 == 0 ? TYPE_F32 : TYPE_F64;
    width = sizes[i / 2][0];
    out = sizes[i / 2][1];
    add_linears(type);
    add_ranks(type);
    add_combine(type);
    const call *hermite = add_path(type, "pengcde_path_hermite");
    add_lists(type, "pengcde_lists_directed_hermite", hermite, 2);
    add_lists(type, "pengcde_lists_undirected_hermite", hermite, 1);
    const call *linear = add_path(type, "pengcde_path_linear");
    add_lists(type, "pengcde_lists_directed_linear", linear, 2);
    add_lists(type, "pengcde_lists_undirected_linear", linear, 1);
    const call *ramp = add_path(type, "pengcde_path_ramp");
    add_lists(type, "pengcde_lists_directed_ramp", ramp, 2);
    add_lists(type, "pengcde_lists_undirected_ramp", ramp, 1);
    add_product(type, "pengcde_arrange_one_undirected", "pengcde_entries_one_undirected", 1, 1);
    add_product(type, "pengcde_arrange_one_directed", "pengcde_entries_one_directed", 1, 2);
    add_product(type, "pengcde_arrange_two_undirected", "pengcde_entries_two_undirected", 2, 1);
    add_product(type, "pengcde_arrange_two_directed", "pengcde_entries_two_directed", 2, 2);
  }
  for (size_t f = 0; f < sizeof files / sizeof *files; f++)
    for (const kernel *k = files[f]; k->name != NULL; k++) {
      int called = 0;
      for (int i = 0; i < count; i++)
        called |= strcmp(k->name, calls[i].name) == 0;
      if (!called)
        fail(k->name, "is not called here");
    }
  shared = argc > 1 && strcmp(argv[1], "shared") == 0;
  pthread_t callers[CALLERS];
  for (int i = 0; i < CALLERS; i++)
    pthread_create(&callers[i], NULL, check_all, NULL);
  for (int i = 0; i < CALLERS; i++)
    pthread_join(callers[i], NULL);
  while (started > 0)
    sched_yield();
  printf("%d callers made %d calls of kernels %d times each, at level %d of x86-64\n", CALLERS, count, ROUNDS,
         level());
  return 0;
}
