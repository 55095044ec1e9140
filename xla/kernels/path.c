//go:build linux && cgo

// Values and derivatives of control paths through rows of graphs. Package path defines the paths and their weights.

#include "parts.h"
#include "path.h"

#include <math.h>
#include <string.h>

// row returns an index within the rows, as XLA's gathers do.
static int64_t row(const track *p, int64_t index) { return index < 0 ? 0 : index < p->rows ? index : p->rows - 1; }

moment pengcde_locate(const track *p, int64_t sample) {
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
  moment m = {.at = row(p, index[k]), .after = row(p, index[after])};
  m.before = p->kind == HERMITE ? row(p, index[before]) : m.at;
  m.constant = m.before == m.at && m.at == m.after;
  if (m.constant)
    return m;
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

// Rows to write, of all samples.
typedef struct {
  const track *path;
  int type;
  int64_t length, d, parts; // parts of each sample
  const void *rows;
  void *x, *dx;
} following;

#define TYPED "path_typed.h"
#include "versions.h"

static const operand inputs[] = {PATH, {0}};
static const operand outputs[] = {{"values", REALS, "Bv"}, {"derivatives", REALS, "Bv"}, {0}};

static const signature wanted[] = {
    [HERMITE] = {"pengcde_path_hermite", inputs, outputs, 0},
    [LINEAR] = {"pengcde_path_linear", inputs, outputs, 0},
    [RAMP] = {"pengcde_path_ramp", inputs, outputs, 0},
};

static void follow_part(void *of, int64_t number) {
  const following *o = of;
  int64_t part = number % o->parts;
  CALL(o->type, along, o, number / o->parts, first_of(part, o->parts, o->d), first_of(part + 1, o->parts, o->d),
       o->rows, o->x, o->dx);
}

static void *run(call_frame *f, path_kind kind) {
  fit sizes;
  void *error;
  if (refused(f, &wanted[kind], &sizes, &error))
    return error;
  int64_t length = SIZE(&sizes, 'w'), last = SIZE(&sizes, 'v');
  if (last > length)
    return invalid(f, "%s: the last %lld of rows of %lld numbers, want at most all", wanted[kind].kernel,
                   (long long)last, (long long)length);
  track p = track_of(f->in.at, kind);
  following o = {&p, sizes.reals, length, last, parts_of(last), f->in.at[5]->data,
                 f->out.at[0]->data, f->out.at[1]->data};
  pengcde_share(f, p.batch * o.parts, last / o.parts, follow_part, &o);
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
