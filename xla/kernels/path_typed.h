// along writes numbers [from, to) of the last d values and derivatives of the path of a sample, through rows [batch,
// rows, length]. Where the rows of all knots are the same the path is constant, to the bit, even if they are not
// finite.
static void NAME(along)(const following *o, int64_t sample, int64_t from, int64_t to, const REAL *restrict rows,
                        REAL *restrict x, REAL *restrict dx) {
  const track *p = o->path;
  moment m = pengcde_locate(p, sample);
  int64_t length = o->length, count = to - from;
  rows += sample * p->rows * length + length - o->d + from;
  x += sample * o->d + from;
  dx += sample * o->d + from;
  const REAL *before = rows + m.before * length, *at = rows + m.at * length, *after = rows + m.after * length;
  REAL v = m.x[0], w = m.x[1], dv = m.dx[0], dw = m.dx[1];
  if (m.constant) {
    __builtin_memcpy(x, at, count * sizeof(REAL));
    __builtin_memset(dx, 0, count * sizeof(REAL));
  } else if (p->kind != HERMITE) {
    for (int64_t i = 0; i < count; i++) {
      REAL next = after[i] - at[i];
      x[i] = at[i] + w * next;
      dx[i] = dw * next;
    }
  } else {
    for (int64_t i = 0; i < count; i++) {
      REAL previous = at[i] - before[i], next = after[i] - at[i];
      x[i] = at[i] + (v * previous + w * next);
      dx[i] = dv * previous + dw * next;
    }
  }
}
