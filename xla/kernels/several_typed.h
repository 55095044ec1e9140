// A register of SEVERAL float32 numbers, of which chosen ones can be stored without gaps.
//
// load_first returns the first count numbers of x, and 0 after them. nonzero returns a bit for each number that is not
// 0. pack stores the numbers whose bits are set, one after another; up to SEVERAL numbers there may be overwritten.
#if LEVEL == 4
enum { NAME(SEVERAL) = 16 };
typedef __m512 NAME(several);
typedef __mmask16 NAME(bits);

INLINE NAME(several) NAME(load_first)(const float *x, int64_t count) {
  return _mm512_maskz_loadu_ps(count < 16 ? (1 << count) - 1 : -1, x);
}

INLINE NAME(bits) NAME(nonzero)(NAME(several) x) { return _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_NEQ_UQ); }

INLINE void NAME(pack)(float *to, NAME(bits) bits, NAME(several) x) {
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(bits, x));
}
#else
enum { NAME(SEVERAL) = 8 };
typedef __m256 NAME(several);
typedef unsigned NAME(bits);

INLINE NAME(several) NAME(load_first)(const float *x, int64_t count) {
  if (count >= 8)
    return _mm256_loadu_ps(x);
  __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_maskload_ps(x, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), place));
}

INLINE NAME(bits) NAME(nonzero)(NAME(several) x) {
  return _mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_NEQ_UQ));
}

INLINE void NAME(pack_half)(float *to, NAME(bits) bits, __m128 x) {
  // The places of the set bits, a byte each and the lowest first; unused bytes are 0.
  static const int set[16] = {0, 0,     1,     0x100,   2,     0x200,   0x201,   0x20100,
                              3, 0x300, 0x301, 0x30100, 0x302, 0x30200, 0x30201, 0x3020100};
  _mm_storeu_ps(to, _mm_permutevar_ps(x, _mm_cvtepu8_epi32(_mm_cvtsi32_si128(set[bits]))));
}

INLINE void NAME(pack)(float *to, NAME(bits) bits, NAME(several) x) {
  NAME(pack_half)(to, bits & 15, _mm256_castps256_ps128(x));
  NAME(pack_half)(to + __builtin_popcount(bits & 15), bits >> 4, _mm256_extractf128_ps(x, 1));
}
#endif
