//go:build linux && cgo

// Values and derivatives of control paths through rows of graphs. Package path defines the paths and their weights.

#include "kernels.h"

#include <math.h>
#include <string.h>

typedef enum { HERMITE, LINEAR, RAMP } what;

typedef struct {
  const double *times, *t, *side, *moving;
  const int32_t *index;
  int64_t batch, knots, rows, d;
  what kind;
} track;

// The weights in X and X' of x_k - x_(k-1) and of x_(k+1) - x_k, with the rows of the three knots.
typedef struct {
  double x[2], dx[2];
  int64_t before, at, after;
} moment;

// row returns an index within the rows, as XLA's gathers do.
static int64_t row(const track *p, int64_t index) { return index < 0 ? 0 : index < p->rows ? index : p->rows - 1; }

// locate returns the weights of a sample at its time. The derivative is 0 where the path is held.
static moment locate(const track *p, int64_t sample) {
  const double *times = p->times + sample * p->knots, t = p->t[sample], side = p->side[sample];
  int64_t last = p->knots - 1, past = 0;
  for (int64_t i = 0; i <= last; i++) {
    double distance = t - times[i];
    past += fabs(distance) <= fabs(side) ? side > 0 : distance > 0;
  }
  int64_t k = past - 1 < 0 ? 0 : past - 1;
  if (k > last - 1)
    k = last < 1 ? 0 : last - 1;
  int64_t before = k > 0 ? k - 1 : 0, after = k < last ? k + 1 : last;
  const int32_t *index = p->index + sample * p->knots;
  moment m = {{0, 0}, {0, 0}, row(p, index[before]), row(p, index[k]), row(p, index[after])};
  double u = t - times[k], h = times[after] - times[k], r;
  switch (p->kind) {
  case HERMITE:
    if (k == 0) {
      m.x[1] = u / h;
      m.dx[1] = 1 / h;
      break;
    }
    double length = times[k] - times[before];
    double part = 2 * u * u / h - u * u * u / (h * h), slope = 4 * u / h - 3 * u * u / (h * h);
    m.x[0] = (u - part) / length;
    m.x[1] = part / h;
    m.dx[0] = (1 - slope) / length;
    m.dx[1] = slope / h;
    break;
  case LINEAR:
    m.x[1] = u / h;
    m.dx[1] = 1 / h;
    break;
  case RAMP:
    r = u / h;
    r = r < 0 ? 0 : r > 1 ? 1 : r; // a time that is not a number stays so
    m.x[1] = r * r * (3 - 2 * r);
    m.dx[1] = 6 * r * (1 - r) / h;
  }
  m.dx[0] *= p->moving[sample];
  m.dx[1] *= p->moving[sample];
  return m;
}

#define TYPED "path_typed.h"
#include "versions.h"

static const operand inputs[] = {{"times of the knots", TYPE_F64, "BT"},
                                 {"times", TYPE_F64, "B"},
                                 {"sides", TYPE_F64, "B"},
                                 {"1 where the path moves", TYPE_F64, "B"},
                                 {"rows of the knots", TYPE_S32, "BT"},
                                 {"rows", REALS, "Bjd"},
                                 {0}};
static const operand outputs[] = {{"values", REALS, "Bd"}, {"derivatives", REALS, "Bd"}, {0}};

static const signature wanted[] = {
    [HERMITE] = {"pengcde_path_hermite", inputs, outputs, 0},
    [LINEAR] = {"pengcde_path_linear", inputs, outputs, 0},
    [RAMP] = {"pengcde_path_ramp", inputs, outputs, 0},
};

static void *run(call_frame *f, what kind) {
  fit sizes;
  void *error;
  if (refused(f, &wanted[kind], &sizes, &error))
    return error;
  buffer **in = f->in.at;
  track p = {in[0]->data,      in[1]->data,      in[2]->data,      in[3]->data,      in[4]->data,
             SIZE(&sizes, 'B'), SIZE(&sizes, 'T'), SIZE(&sizes, 'j'), SIZE(&sizes, 'd'), kind};
  CALL(in[5]->type, along, &p, in[5]->data, f->out.at[0]->data, f->out.at[1]->data);
  return NULL;
}

static void *hermite(call_frame *f) { return run(f, HERMITE); }
static void *linear(call_frame *f) { return run(f, LINEAR); }
static void *ramp(call_frame *f) { return run(f, RAMP); }

const kernel pengcde_path_kernels[] = {
    {"pengcde_path_hermite", hermite},
    {"pengcde_path_linear", linear},
    {"pengcde_path_ramp", ramp},
    {NULL, NULL},
};
