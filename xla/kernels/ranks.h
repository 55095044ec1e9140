// The low-rank part of a message matrix, for kernels that add it to another part.
#ifndef PENGCDE_RANKS_H
#define PENGCDE_RANKS_H

#include "kernels.h"
#include "parts.h"

// Each matrix has five sums at a node. There are most with two matrices, and a 1.
enum { OF_EACH = 5, MOST_SUMS = 2 * OF_EACH + 1 };

typedef struct {
  int type;
  const void *nodes, *puts, *z; // sums [batch, n, sums], coefficients [seeds, sums, 4], states [batch, n, d]
  int64_t batch, n, sums, d, seeds;
  // Without nodes the sums are read from the ends of the rows [batch, width] of each matrix.
  const void *rows[2];
  int matrices, directed;
  int64_t width;
} ranks;

typedef enum { PRODUCT, TO_PUTS, TO_NODES } rank_result;

// pengcde_low_rank writes the product with the states, or a cotangent for cotangent x of the product: of the
// coefficients or of the sums. It returns 0 if there is no memory.
int pengcde_low_rank(call_frame *f, const ranks *r, rank_result result, const void *x, void *out);

#endif
