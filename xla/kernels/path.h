// Control paths through rows of graphs, for kernels that follow them.
#ifndef PENGCDE_PATH_H
#define PENGCDE_PATH_H

#include "kernels.h"

typedef enum { HERMITE, LINEAR, RAMP } path_kind;

typedef struct {
  const double *times, *t, *side, *moving;
  const int32_t *index;
  int64_t batch, knots, rows;
  path_kind kind;
} track;

// The weights in X and X' of x_k - x_(k-1) and of x_(k+1) - x_k, with the rows of the three knots. constant is 1 where
// the rows are the same; all weights are then 0.
typedef struct {
  double x[2], dx[2];
  int64_t before, at, after;
  int constant;
} moment;

// pengcde_locate returns the weights of a sample at its time. The derivative is 0 where the path is held.
moment pengcde_locate(const track *p, int64_t sample);

// The inputs of a kernel that follows a path, before others, and the track that they describe.
#define PATH \
  {"times of the knots", TYPE_F64, "BT"}, {"times", TYPE_F64, "B"}, {"sides", TYPE_F64, "B"}, \
      {"1 where the path moves", TYPE_F64, "B"}, {"rows of the knots", TYPE_S32, "BT"}, { "rows", REALS, "Bjw" }
enum { PATH_INPUTS = 6 };

static inline track track_of(buffer *const *in, path_kind kind) {
  return (track){in[0]->data,    in[1]->data,    in[2]->data,    in[3]->data, in[4]->data,
                 in[5]->dims[0], in[0]->dims[1], in[5]->dims[1], kind};
}

#endif
