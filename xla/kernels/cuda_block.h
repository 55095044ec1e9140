// What a kernel for GPUs is written in: CUDA, or plain C that runs its blocks and threads one after another, see
// emulated_linear.c. A kernel is compiled once for all shapes. Its first argument holds the sizes.
//
// A kernel is a sequence of phases. EACH(t) runs the statement after it for each thread t of a block, and then waits for
// all. Within a phase no thread reads what another one writes. Between phases values live only in shared memory, and all
// threads take the same branches, which must not depend on shared memory.
#ifndef PENGCDE_CUDA_BLOCK_H
#define PENGCDE_CUDA_BLOCK_H

enum { THREADS = 256 };

#ifdef __CUDACC__
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name
#define INLINE static __device__ __forceinline__
#define SHARED __shared__
#define BLOCKS(block, count) for (int block = blockIdx.x; block < (count); block += gridDim.x)
#define EACH(t) for (int t = threadIdx.x, once = 1; once; once = 0, __syncthreads())
#else
#include <math.h>
extern int pengcde_backwards; // run threads from the last to the first
#define KERNEL(name) static void name
#define INLINE static inline __attribute__((always_inline))
#define SHARED
#define BLOCKS(block, count) for (int block = 0; block < (count); block++)
#define EACH(t) \
  for (int t = pengcde_backwards ? THREADS - 1 : 0, more = THREADS; more > 0; more--, t += pengcde_backwards ? -1 : 1)
#endif

INLINE int smaller(int a, int b) { return a < b ? a : b; }

// sum_up adds up, by pairs, each column of values by threads, and leaves its sum with thread 0.
INLINE void sum_up(float (*columns)[THREADS], int count) {
  for (int step = THREADS / 2; step > 0; step /= 2)
    EACH(t)
      for (int c = 0; c < count && t < step; c++)
        columns[c][t] += columns[c][t + step];
}

#endif
