// e^x as 2^n e^r, with a series for r, where |r| is at most half of log 2. The error is one or two units in the last
// place.

enum {
  NAME(DIGITS) = sizeof(REAL) == 4 ? 23 : 52,  // of the fraction
  NAME(BIAS) = sizeof(REAL) == 4 ? 127 : 1023, // of the exponent
  NAME(TERMS) = sizeof(REAL) == 4 ? 7 : 13,    // of the series
  NAME(REACH) = sizeof(REAL) == 4 ? 87 : 708,  // the largest |x|
};

// limited clips x to the range of exponential; NaN stays. It needs a loop of its own: a loop that also calls
// exponential does not vectorise.
INLINE REAL NAME(limited)(REAL x) {
  x = x > NAME(REACH) ? NAME(REACH) : x;
  return x < -NAME(REACH) ? -NAME(REACH) : x;
}

INLINE REAL NAME(exponential)(REAL x) {
  static const double factor[] = {1,           1,           1. / 2,       1. / 6,       1. / 24,
                                  1. / 120,    1. / 720,    1. / 5040,    1. / 40320,   1. / 362880,
                                  1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
  const REAL per_log2 = (REAL)(1 / 0x1.62e42fefa39efp-1);
  // log 2: its leading digits, so that n times them is exact, and the rest.
  const REAL first = (REAL)(sizeof(REAL) == 4 ? 0x1.62e4p-1 : 0x1.62e42fefap-1);
  const REAL rest = (REAL)(sizeof(REAL) == 4 ? 0x1.7f7d1cf79abcap-20 : 0x1.cf79abc9e3b3ap-40);
  const REAL whole = (REAL)(1.5 * ((int64_t)1 << NAME(DIGITS))); // adding it rounds to an integer
  NAME(word) power = {x * per_log2 + whole};
  REAL n = power.number - whole, r = x - n * first - n * rest, sum = (REAL)factor[NAME(TERMS)];
#pragma GCC unroll 16
  for (int k = NAME(TERMS) - 1; k >= 0; k--)
    sum = sum * r + (REAL)factor[k];
  power.bits = (power.bits + NAME(BIAS)) << NAME(DIGITS);
  return sum * power.number;
}
