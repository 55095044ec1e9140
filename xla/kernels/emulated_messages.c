//go:build linux && cgo

// The kernels for GPUs on a CPU, see emulated_linear.c.

#include "kernels.h"

#include "cuda_messages.h"

#define INPUT(i) f->in.at[i]->data
#define OUTPUT(i) f->out.at[i]->data
#define INPUTS \
  INPUT(0), INPUT(1), INPUT(2), INPUT(3), INPUT(4), INPUT(5), INPUT(6), INPUT(7), INPUT(8), INPUT(9), INPUT(10)

static void *forward(call_frame *f) {
  if (!begin(f))
    pengcde_gpu_messages(INPUTS, OUTPUT(0));
  return NULL;
}

static void *pullback(call_frame *f) {
  if (!begin(f))
    pengcde_gpu_messages_pullback(INPUTS, INPUT(11), OUTPUT(0), OUTPUT(1));
  return NULL;
}

const kernel pengcde_emulated_messages[] = {
    {"pengcde_gpu_messages", forward}, {"pengcde_gpu_messages_pullback", pullback}, {NULL, NULL}};
