//go:build linux && cgo

// The kernels for GPUs on a CPU, for tests: blocks and threads run one after another, threads from the first to the
// last or backwards. Results differ between the two if a phase of a kernel reads what another thread writes there.

#include "kernels.h"

#include "cuda_linear.h"

int pengcde_backwards;

#define INPUT(i) f->in.at[i]->data
#define OUTPUT(i) f->out.at[i]->data

static void *map(call_frame *f) {
  if (!begin(f))
    pengcde_gpu_linear(INPUT(0), INPUT(1), INPUT(2), INPUT(3), INPUT(4), INPUT(5), INPUT(6), OUTPUT(0));
  return NULL;
}

static void *pullback(call_frame *f) {
  if (!begin(f))
    pengcde_gpu_linear_pullback(INPUT(0), INPUT(1), INPUT(2), INPUT(3), INPUT(4), INPUT(5), INPUT(6), INPUT(7),
                                OUTPUT(0), OUTPUT(1), OUTPUT(2), OUTPUT(3), OUTPUT(4));
  return NULL;
}

const kernel pengcde_emulated_linear[] = {
    {"pengcde_gpu_linear", map}, {"pengcde_gpu_linear_pullback", pullback}, {NULL, NULL}};
