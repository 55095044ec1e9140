//go:build linux && cgo

// Weighted sums of rows, each of rows of its own, such as states between the stages of steps. Package ode uses them.

#include "kernels.h"

#include <string.h>

enum { TOGETHER = 32 }; // rows added in one pass over a sum

typedef struct {
  const int32_t *places;
  int64_t sums, terms, d;
} combination;

#define TYPED "combine_typed.h"
#include "versions.h"

static const operand rows[] = {
    {"weights", REALS, "nk"}, {"places of the rows", TYPE_S32, "nk"}, {"rows", REALS, "rd"}, {0}};
static const operand sums[] = {{"sums", REALS, "nd"}, {0}};

static void *combine(call_frame *f) {
  static const signature wanted = {"pengcde_combine", rows, sums, 0};
  fit sizes;
  void *error;
  if (refused(f, &wanted, &sizes, &error))
    return error;
  combination c = {f->in.at[1]->data, SIZE(&sizes, 'n'), SIZE(&sizes, 'k'), SIZE(&sizes, 'd')};
  CALL(f->in.at[0]->type, combine, &c, f->in.at[0]->data, f->in.at[2]->data, f->out.at[0]->data);
  return NULL;
}

const kernel pengcde_combine_kernels[] = {{"pengcde_combine", combine}, {NULL, NULL}};
