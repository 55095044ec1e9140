// The kernels for GPUs at the limits of their sizes, for sanitizers: memory is of exactly the size of each tensor, and
// threads in both orders give the same numbers.

#include "../kernels.h"

#include <stdlib.h>

extern const kernel pengcde_emulated_linear[], pengcde_emulated_messages[];
extern int pengcde_backwards;

enum { MOST = 16, SEEDS = 2, BATCH = 2 };

// A call has its tensors in order, ins of them inputs, each with its number of entries.
typedef struct {
  int ins, all;
  int64_t size[MOST];
  void *data[MOST];
} call;

static void *floats(int64_t count) {
  float *x = malloc(count * sizeof *x);
  for (int64_t i = 0; i < count; i++)
    x[i] = rand() % 3 == 0 ? 0 : (float)(rand() % 2001) / 1000 - 1;
  return x;
}

static void *integers(int64_t count, const int32_t *values) {
  int32_t *x = malloc(count * sizeof *x);
  memcpy(x, values, count * sizeof *x);
  return x;
}

static void add(call *c, void *data, int64_t size) {
  c->size[c->all] = size;
  c->data[c->all++] = data;
}

// run runs a kernel of four bytes an entry in both orders of threads.
static void run(const kernel *k, call *c) {
  buffer of[MOST] = {0}, *at[MOST];
  for (int i = 0; i < c->all; i++)
    at[i] = &of[i], of[i].data = c->data[i];
  call_frame frame = {.struct_size = sizeof frame, .stage = STAGE_EXECUTE};
  frame.in = (buffers){sizeof(buffers), NULL, c->ins, NULL, at};
  frame.out = (buffers){sizeof(buffers), NULL, c->all - c->ins, NULL, at + c->ins};
  void *first[MOST];
  for (pengcde_backwards = 0; pengcde_backwards < 2; pengcde_backwards++) {
    k->run(&frame);
    for (int i = c->ins; i < c->all; i++) {
      size_t bytes = c->size[i] * 4;
      if (pengcde_backwards == 0) {
        first[i] = memcpy(malloc(bytes), c->data[i], bytes);
        memset(c->data[i], 0xff, bytes);
      } else if (memcmp(first[i], c->data[i], bytes) != 0) {
        fprintf(stderr, "%s: output %d depends on the order of threads\n", k->name, i - c->ins);
        exit(1);
      } else {
        free(first[i]);
      }
    }
  }
  for (int i = 0; i < c->all; i++)
    free(c->data[i]);
}

static void linear(int n, int in, int out, int norm, int before) {
  const int32_t sizes[] = {SEEDS, BATCH, n, in, out, norm, before, 4096 / in < 256 ? 4096 / in : 256};
  for (int pulled = 0; pulled < 2; pulled++) {
    call c = {.ins = 7 + pulled};
    add(&c, integers(8, sizes), 8);
    add(&c, floats(BATCH * n * in), BATCH * n * in);
    for (int i = 0; i < 2; i++)
      add(&c, floats(SEEDS * in), SEEDS * in);
    add(&c, floats(SEEDS * out * in), SEEDS * out * in);
    add(&c, floats(SEEDS * out), SEEDS * out);
    add(&c, floats(1), 1);
    *(float *)c.data[6] = 0.01f;
    add(&c, floats(BATCH * n * out), BATCH * n * out); // y, or the cotangent of y
    if (pulled) {
      add(&c, floats(BATCH * n * in), BATCH * n * in);
      for (int i = 0; i < 2; i++)
        add(&c, floats(SEEDS * in), SEEDS * in);
      add(&c, floats(SEEDS * out * in), SEEDS * out * in);
      add(&c, floats(SEEDS * out), SEEDS * out);
    }
    run(&pengcde_emulated_linear[pulled], &c);
  }
}

static void messages(int n, int d, int matrices, int symmetric, int tables) {
  int each = n < 256 ? 256 / d : 256, blocks = (n + each - 1) / each;
  int32_t sizes[19] = {SEEDS, BATCH, n, d, 0, matrices, symmetric, 1, each};
  int64_t row = (symmetric ? 2 : 3) * n + 2, mixed = 2 * matrices + 4 * (5 * matrices + 1);
  for (int k = 0; k < tables; k++) {
    sizes[9 + 2 * k] = k + 1 < tables ? n / tables : n - (tables - 1) * (n / tables);
    sizes[10 + 2 * k] = 1 + 3 * k;
    row += (symmetric ? 1 : 2) * sizes[9 + 2 * k] * sizes[10 + 2 * k];
  }
  sizes[4] = row;
  for (int pulled = 0; pulled < 2; pulled++) {
    call c = {.ins = 11 + pulled};
    add(&c, integers(9 + 2 * tables, sizes), 9 + 2 * tables);
    add(&c, floats(SEEDS * mixed), SEEDS * mixed);
    for (int i = 0; i < 2; i++)
      add(&c, floats(BATCH * row), BATCH * row);
    int32_t *places = malloc(BATCH * n * sizeof *places);
    for (int u = 0; u < BATCH * n; u++)
      places[u] = u / n * n + (n - 1 - u % n);
    add(&c, places, BATCH * n);
    for (int k = 0; k < 5; k++) {
      int64_t size = k < tables ? (int64_t)BATCH * sizes[9 + 2 * k] * sizes[10 + 2 * k] : 1;
      int32_t *table = malloc(size * sizeof *table);
      for (int64_t i = 0; i < size; i++)
        table[i] = (int32_t)(i / ((size + BATCH - 1) / BATCH) * n + rand() % n);
      add(&c, table, size);
    }
    add(&c, floats(BATCH * n * d), BATCH * n * d);
    add(&c, floats(BATCH * n * d), BATCH * n * d); // y, or the cotangent of y
    if (pulled) {
      add(&c, floats(BATCH * n * d), BATCH * n * d);
      add(&c, floats(BATCH * blocks * mixed), BATCH * blocks * mixed);
    }
    run(&pengcde_emulated_messages[pulled], &c);
  }
}

int main(void) {
  for (int norm = 0; norm < 3; norm++)
    for (int before = 0; before < 3; before++) {
      linear(40, 37, 19, norm, before);
      linear(3, 4096, 2, norm, before);
      linear(2048, 1, 1, norm, before);
    }
  for (int matrices = 1; matrices < 3; matrices++)
    for (int symmetric = 0; symmetric < 2; symmetric++) {
      messages(70, 37, matrices, symmetric, 5);
      messages(2048, 3, matrices, symmetric, 1);
      messages(33, 256, matrices, symmetric, 2);
      messages(3, 1, matrices, symmetric, 1);
    }
  printf("kernels for GPUs: the same in both orders of threads\n");
  return 0;
}
