// along writes the last d values and derivatives of the paths of all samples, through rows [batch, rows, length]. Where
// the rows of all knots are the same the path is constant, to the bit, even if they are not finite.
static void NAME(along)(const track *p, const REAL *restrict rows, int64_t length, int64_t d,
                        REAL *restrict x, REAL *restrict dx) {
  rows += length - d;
  for (int64_t b = 0; b < p->batch; b++, rows += p->rows * length, x += d, dx += d) {
    moment m = pengcde_locate(p, b);
    const REAL *before = rows + m.before * length, *at = rows + m.at * length, *after = rows + m.after * length;
    REAL v = m.x[0], w = m.x[1], dv = m.dx[0], dw = m.dx[1];
    if (m.constant) {
      __builtin_memcpy(x, at, d * sizeof(REAL));
      __builtin_memset(dx, 0, d * sizeof(REAL));
    } else if (p->kind != HERMITE) {
      for (int64_t i = 0; i < d; i++) {
        REAL next = after[i] - at[i];
        x[i] = at[i] + w * next;
        dx[i] = dw * next;
      }
    } else {
      for (int64_t i = 0; i < d; i++) {
        REAL previous = at[i] - before[i], next = after[i] - at[i];
        x[i] = at[i] + (v * previous + w * next);
        dx[i] = dv * previous + dw * next;
      }
    }
  }
}
