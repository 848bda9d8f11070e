// SPDX-License-Identifier: Apache-2.0
// Vectors of doubles: Vec has HOCKEYSTICK_LANES of them; One is a single double with the same operations, for small
// sizes; Narrow is Vec, or half of a Vec of eight lanes, for 4 x 4 matrices. Everything is in the namespace of the
// instruction set, HOCKEYSTICK_ISA, so that no linker can merge the copies. multiply_add may fuse or not; the error
// analysis in real_fft.hpp allows both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if HOCKEYSTICK_LANES >= 4 || defined(HOCKEYSTICK_SSE2)
#include <immintrin.h>
#elif defined(HOCKEYSTICK_NEON)
#include <arm_neon.h>
#elif defined(HOCKEYSTICK_WASM)
#include <wasm_simd128.h>
#endif

#if defined(_MSC_VER)
#define HOCKEYSTICK_INLINE __forceinline
#else
#define HOCKEYSTICK_INLINE inline __attribute__((always_inline))
#endif

// Precedes functions that are long enough to be called, where the module is to be small.
#if defined(HOCKEYSTICK_SMALL_MODULE)
#define HOCKEYSTICK_INLINE_LONG inline __attribute__((noinline))
#else
#define HOCKEYSTICK_INLINE_LONG HOCKEYSTICK_INLINE
#endif

// Precedes loops of 2 to 5 rounds whose arrays must become registers, which -O2 alone does not do.
#if defined(__clang__)
#define HOCKEYSTICK_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define HOCKEYSTICK_UNROLL _Pragma("GCC unroll 8")
#else
#define HOCKEYSTICK_UNROLL
#endif

namespace hockeystick::HOCKEYSTICK_ISA {

// The bits of 0x1.6a09ep-1, just above the square root of 1/2; the bits of 1 minus these; the bits of a fraction.
constexpr std::uint64_t fraction_least = 0x3fe6a09e00000000, split_offset = 0x3ff0000000000000 - fraction_least;
constexpr std::uint64_t fraction_mask = 0x000fffffffffffff;
constexpr double exponent_magic =
    0x1p52 + 1023;  // minus this, the bits of 2^52 plus a biased exponent give the exponent

struct One {
  static constexpr std::size_t lanes = 1;
  double v;
  HOCKEYSTICK_INLINE static One load(const double* p) { return {*p}; }
  HOCKEYSTICK_INLINE static One broadcast(double x) { return {x}; }
  HOCKEYSTICK_INLINE void store(double* p) const { *p = v; }
};
HOCKEYSTICK_INLINE One operator+(One a, One b) { return {a.v + b.v}; }
HOCKEYSTICK_INLINE One operator-(One a, One b) { return {a.v - b.v}; }
HOCKEYSTICK_INLINE One operator*(One a, One b) { return {a.v * b.v}; }
HOCKEYSTICK_INLINE One multiply_add(One a, One b, One c) { return {a.v * b.v + c.v}; }
HOCKEYSTICK_INLINE One multiply_subtract(One a, One b, One c) { return {a.v * b.v - c.v}; }
HOCKEYSTICK_INLINE One magnitude(One a) { return {a.v < 0 ? -a.v : a.v}; }
HOCKEYSTICK_INLINE bool all_at_most(One a, One b) { return a.v <= b.v; }  // false for NaN
HOCKEYSTICK_INLINE One operator/(One a, One b) { return {a.v / b.v}; }
HOCKEYSTICK_INLINE One larger(One a, One b) { return {a.v > b.v ? a.v : b.v}; }   // of numbers, not NaN
HOCKEYSTICK_INLINE One smaller(One a, One b) { return {a.v < b.v ? a.v : b.v}; }  // of numbers, not NaN
/// a where x > limit, else 0.
HOCKEYSTICK_INLINE One where_above(One x, One limit, One a) { return {x.v > limit.v ? a.v : 0.0}; }
/// 2^k for 1.5 * 2^52 + k, k an integer in [-1022, 1023].
HOCKEYSTICK_INLINE One power_of_two(One a) {
  std::uint64_t bits;
  std::memcpy(&bits, &a.v, 8);
  bits = (bits << 52) + (std::uint64_t{1023} << 52);
  double result;
  std::memcpy(&result, &bits, 8);
  return {result};
}
/// A normal number x > 0 as 2^exponent times the result, which lies in [0x1.6a09ep-1, 0x1.6a09ep+0).
HOCKEYSTICK_INLINE One split(One x, One& exponent) {
  std::uint64_t bits;
  std::memcpy(&bits, &x.v, 8);
  bits += split_offset;
  exponent.v = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  bits = (bits & fraction_mask) + fraction_least;
  double result;
  std::memcpy(&result, &bits, 8);
  return {result};
}

/// Transposes the 4 x 4 matrix whose row r is rows[r][0..4/lanes).
HOCKEYSTICK_INLINE void transpose(One (&rows)[4][4]) {
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < 4; ++i) {
    HOCKEYSTICK_UNROLL for (std::size_t j = 0; j < i; ++j) {
      const One other = rows[i][j];
      rows[i][j] = rows[j][i];
      rows[j][i] = other;
    }
  }
}

#if HOCKEYSTICK_LANES == 1

using Vec = One;
using Narrow = One;

#elif HOCKEYSTICK_LANES == 2

struct Vec {
  static constexpr std::size_t lanes = 2;
#if defined(HOCKEYSTICK_SSE2)
  __m128d v;
  HOCKEYSTICK_INLINE static Vec load(const double* p) { return {_mm_loadu_pd(p)}; }
  HOCKEYSTICK_INLINE static Vec broadcast(double x) { return {_mm_set1_pd(x)}; }
  HOCKEYSTICK_INLINE void store(double* p) const { _mm_storeu_pd(p, v); }
#elif defined(HOCKEYSTICK_WASM)
  v128_t v;
  HOCKEYSTICK_INLINE static Vec load(const double* p) { return {wasm_v128_load(p)}; }
  HOCKEYSTICK_INLINE static Vec broadcast(double x) { return {wasm_f64x2_splat(x)}; }
  HOCKEYSTICK_INLINE void store(double* p) const { wasm_v128_store(p, v); }
#else
  float64x2_t v;
  HOCKEYSTICK_INLINE static Vec load(const double* p) { return {vld1q_f64(p)}; }
  HOCKEYSTICK_INLINE static Vec broadcast(double x) { return {vdupq_n_f64(x)}; }
  HOCKEYSTICK_INLINE void store(double* p) const { vst1q_f64(p, v); }
#endif
};
#if defined(HOCKEYSTICK_SSE2)
HOCKEYSTICK_INLINE Vec operator+(Vec a, Vec b) { return {_mm_add_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator-(Vec a, Vec b) { return {_mm_sub_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator*(Vec a, Vec b) { return {_mm_mul_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return a * b + c; }
HOCKEYSTICK_INLINE Vec multiply_subtract(Vec a, Vec b, Vec c) { return a * b - c; }
HOCKEYSTICK_INLINE Vec low(Vec a, Vec b) { return {_mm_unpacklo_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec high(Vec a, Vec b) { return {_mm_unpackhi_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec magnitude(Vec a) { return {_mm_andnot_pd(_mm_set1_pd(-0.0), a.v)}; }
HOCKEYSTICK_INLINE bool all_at_most(Vec a, Vec b) { return _mm_movemask_pd(_mm_cmple_pd(a.v, b.v)) == 3; }
HOCKEYSTICK_INLINE Vec operator/(Vec a, Vec b) { return {_mm_div_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec larger(Vec a, Vec b) { return {_mm_max_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec smaller(Vec a, Vec b) { return {_mm_min_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec where_above(Vec x, Vec limit, Vec a) { return {_mm_and_pd(_mm_cmpgt_pd(x.v, limit.v), a.v)}; }
HOCKEYSTICK_INLINE Vec power_of_two(Vec a) {
  return {
      _mm_castsi128_pd(_mm_add_epi64(_mm_slli_epi64(_mm_castpd_si128(a.v), 52), _mm_castpd_si128(_mm_set1_pd(1.0))))};
}
HOCKEYSTICK_INLINE Vec split(Vec x, Vec& exponent) {
  const auto all = [](std::uint64_t value) { return _mm_set1_epi64x(static_cast<long long>(value)); };
  const __m128i bits = _mm_add_epi64(_mm_castpd_si128(x.v), all(split_offset));
  const __m128i biased = _mm_or_si128(_mm_srli_epi64(bits, 52), _mm_castpd_si128(_mm_set1_pd(0x1p52)));
  exponent.v = _mm_sub_pd(_mm_castsi128_pd(biased), _mm_set1_pd(exponent_magic));
  return {_mm_castsi128_pd(_mm_add_epi64(_mm_and_si128(bits, all(fraction_mask)), all(fraction_least)))};
}
#elif defined(HOCKEYSTICK_WASM)
HOCKEYSTICK_INLINE Vec operator+(Vec a, Vec b) { return {wasm_f64x2_add(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator-(Vec a, Vec b) { return {wasm_f64x2_sub(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator*(Vec a, Vec b) { return {wasm_f64x2_mul(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return a * b + c; }
HOCKEYSTICK_INLINE Vec multiply_subtract(Vec a, Vec b, Vec c) { return a * b - c; }
HOCKEYSTICK_INLINE Vec low(Vec a, Vec b) { return {wasm_i64x2_shuffle(a.v, b.v, 0, 2)}; }
HOCKEYSTICK_INLINE Vec high(Vec a, Vec b) { return {wasm_i64x2_shuffle(a.v, b.v, 1, 3)}; }
HOCKEYSTICK_INLINE Vec magnitude(Vec a) { return {wasm_f64x2_abs(a.v)}; }
HOCKEYSTICK_INLINE bool all_at_most(Vec a, Vec b) { return wasm_i64x2_all_true(wasm_f64x2_le(a.v, b.v)); }
HOCKEYSTICK_INLINE Vec operator/(Vec a, Vec b) { return {wasm_f64x2_div(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec larger(Vec a, Vec b) { return {wasm_f64x2_pmax(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec smaller(Vec a, Vec b) { return {wasm_f64x2_pmin(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec where_above(Vec x, Vec limit, Vec a) {
  return {wasm_v128_and(wasm_f64x2_gt(x.v, limit.v), a.v)};
}
HOCKEYSTICK_INLINE Vec power_of_two(Vec a) { return {wasm_i64x2_add(wasm_i64x2_shl(a.v, 52), wasm_f64x2_splat(1.0))}; }
HOCKEYSTICK_INLINE Vec split(Vec x, Vec& exponent) {
  const auto all = [](std::uint64_t value) { return wasm_i64x2_splat(static_cast<std::int64_t>(value)); };
  const v128_t bits = wasm_i64x2_add(x.v, all(split_offset));
  const v128_t biased = wasm_v128_or(wasm_u64x2_shr(bits, 52), wasm_f64x2_splat(0x1p52));
  exponent.v = wasm_f64x2_sub(biased, wasm_f64x2_splat(exponent_magic));
  return {wasm_i64x2_add(wasm_v128_and(bits, all(fraction_mask)), all(fraction_least))};
}
#else
HOCKEYSTICK_INLINE Vec operator+(Vec a, Vec b) { return {vaddq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator-(Vec a, Vec b) { return {vsubq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator*(Vec a, Vec b) { return {vmulq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return {vfmaq_f64(c.v, a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec multiply_subtract(Vec a, Vec b, Vec c) { return {vfmaq_f64(vnegq_f64(c.v), a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec low(Vec a, Vec b) { return {vzip1q_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec high(Vec a, Vec b) { return {vzip2q_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec magnitude(Vec a) { return {vabsq_f64(a.v)}; }
HOCKEYSTICK_INLINE bool all_at_most(Vec a, Vec b) {
  const uint64x2_t yes = vcleq_f64(a.v, b.v);
  return (vgetq_lane_u64(yes, 0) & vgetq_lane_u64(yes, 1)) != 0;
}
HOCKEYSTICK_INLINE Vec operator/(Vec a, Vec b) { return {vdivq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec larger(Vec a, Vec b) { return {vmaxq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec smaller(Vec a, Vec b) { return {vminq_f64(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec where_above(Vec x, Vec limit, Vec a) {
  return {vreinterpretq_f64_u64(vandq_u64(vcgtq_f64(x.v, limit.v), vreinterpretq_u64_f64(a.v)))};
}
HOCKEYSTICK_INLINE Vec power_of_two(Vec a) {
  const uint64x2_t one = vreinterpretq_u64_f64(vdupq_n_f64(1.0));
  return {vreinterpretq_f64_u64(vaddq_u64(vshlq_n_u64(vreinterpretq_u64_f64(a.v), 52), one))};
}
HOCKEYSTICK_INLINE Vec split(Vec x, Vec& exponent) {
  const uint64x2_t bits = vaddq_u64(vreinterpretq_u64_f64(x.v), vdupq_n_u64(split_offset));
  exponent.v = vcvtq_f64_s64(vsubq_s64(vreinterpretq_s64_u64(vshrq_n_u64(bits, 52)), vdupq_n_s64(1023)));
  const uint64x2_t fraction = vaddq_u64(vandq_u64(bits, vdupq_n_u64(fraction_mask)), vdupq_n_u64(fraction_least));
  return {vreinterpretq_f64_u64(fraction)};
}
#endif
using Narrow = Vec;
HOCKEYSTICK_INLINE void transpose(Vec (&m)[4][2]) {
  const Vec a = m[0][0], b = m[0][1], c = m[1][0], d = m[1][1];
  const Vec e = m[2][0], f = m[2][1], g = m[3][0], h = m[3][1];
  m[0][0] = low(a, c), m[1][0] = high(a, c), m[0][1] = low(e, g), m[1][1] = high(e, g);
  m[2][0] = low(b, d), m[3][0] = high(b, d), m[2][1] = low(f, h), m[3][1] = high(f, h);
}

#elif HOCKEYSTICK_LANES >= 4

struct Narrow {
  static constexpr std::size_t lanes = 4;
  __m256d v;
  HOCKEYSTICK_INLINE static Narrow load(const double* p) { return {_mm256_loadu_pd(p)}; }
  HOCKEYSTICK_INLINE static Narrow broadcast(double x) { return {_mm256_set1_pd(x)}; }
  HOCKEYSTICK_INLINE void store(double* p) const { _mm256_storeu_pd(p, v); }
};
HOCKEYSTICK_INLINE Narrow operator+(Narrow a, Narrow b) { return {_mm256_add_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow operator-(Narrow a, Narrow b) { return {_mm256_sub_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow operator*(Narrow a, Narrow b) { return {_mm256_mul_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow multiply_add(Narrow a, Narrow b, Narrow c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
HOCKEYSTICK_INLINE Narrow multiply_subtract(Narrow a, Narrow b, Narrow c) { return {_mm256_fmsub_pd(a.v, b.v, c.v)}; }
HOCKEYSTICK_INLINE Narrow magnitude(Narrow a) { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v)}; }
HOCKEYSTICK_INLINE bool all_at_most(Narrow a, Narrow b) {
  return _mm256_movemask_pd(_mm256_cmp_pd(a.v, b.v, _CMP_LE_OQ)) == 15;
}
HOCKEYSTICK_INLINE Narrow operator/(Narrow a, Narrow b) { return {_mm256_div_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow larger(Narrow a, Narrow b) { return {_mm256_max_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow smaller(Narrow a, Narrow b) { return {_mm256_min_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Narrow where_above(Narrow x, Narrow limit, Narrow a) {
  return {_mm256_and_pd(_mm256_cmp_pd(x.v, limit.v, _CMP_GT_OQ), a.v)};
}
HOCKEYSTICK_INLINE Narrow power_of_two(Narrow a) {
  const __m256i one = _mm256_castpd_si256(_mm256_set1_pd(1.0));
  return {_mm256_castsi256_pd(_mm256_add_epi64(_mm256_slli_epi64(_mm256_castpd_si256(a.v), 52), one))};
}
HOCKEYSTICK_INLINE Narrow split(Narrow x, Narrow& exponent) {
  const auto all = [](std::uint64_t value) { return _mm256_set1_epi64x(static_cast<long long>(value)); };
  const __m256i bits = _mm256_add_epi64(_mm256_castpd_si256(x.v), all(split_offset));
  const __m256i biased = _mm256_or_si256(_mm256_srli_epi64(bits, 52), _mm256_castpd_si256(_mm256_set1_pd(0x1p52)));
  exponent.v = _mm256_sub_pd(_mm256_castsi256_pd(biased), _mm256_set1_pd(exponent_magic));
  return {_mm256_castsi256_pd(_mm256_add_epi64(_mm256_and_si256(bits, all(fraction_mask)), all(fraction_least)))};
}
HOCKEYSTICK_INLINE void transpose(Narrow (&m)[4][1]) {
  const __m256d a = _mm256_unpacklo_pd(m[0][0].v, m[1][0].v), b = _mm256_unpackhi_pd(m[0][0].v, m[1][0].v);
  const __m256d c = _mm256_unpacklo_pd(m[2][0].v, m[3][0].v), d = _mm256_unpackhi_pd(m[2][0].v, m[3][0].v);
  m[0][0].v = _mm256_permute2f128_pd(a, c, 0x20), m[1][0].v = _mm256_permute2f128_pd(b, d, 0x20);
  m[2][0].v = _mm256_permute2f128_pd(a, c, 0x31), m[3][0].v = _mm256_permute2f128_pd(b, d, 0x31);
}

#if HOCKEYSTICK_LANES == 4

using Vec = Narrow;

#else

// Some operations are written with a full mask because without it GCC 12 warns about its own headers.
struct Vec {
  static constexpr std::size_t lanes = 8;
  __m512d v;
  HOCKEYSTICK_INLINE static Vec load(const double* p) { return {_mm512_loadu_pd(p)}; }
  HOCKEYSTICK_INLINE static Vec broadcast(double x) { return {_mm512_set1_pd(x)}; }
  HOCKEYSTICK_INLINE void store(double* p) const { _mm512_storeu_pd(p, v); }
};
HOCKEYSTICK_INLINE Vec operator+(Vec a, Vec b) { return {_mm512_add_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator-(Vec a, Vec b) { return {_mm512_sub_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec operator*(Vec a, Vec b) { return {_mm512_mul_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
HOCKEYSTICK_INLINE Vec multiply_subtract(Vec a, Vec b, Vec c) { return {_mm512_fmsub_pd(a.v, b.v, c.v)}; }
HOCKEYSTICK_INLINE Vec magnitude(Vec a) { return {_mm512_andnot_pd(_mm512_set1_pd(-0.0), a.v)}; }
HOCKEYSTICK_INLINE bool all_at_most(Vec a, Vec b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ) == 255; }
HOCKEYSTICK_INLINE Vec operator/(Vec a, Vec b) { return {_mm512_div_pd(a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec larger(Vec a, Vec b) { return {_mm512_maskz_max_pd(255, a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec smaller(Vec a, Vec b) { return {_mm512_maskz_min_pd(255, a.v, b.v)}; }
HOCKEYSTICK_INLINE Vec where_above(Vec x, Vec limit, Vec a) {
  return {_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x.v, limit.v, _CMP_GT_OQ), a.v)};
}
HOCKEYSTICK_INLINE Vec power_of_two(Vec a) {
  const __m512i one = _mm512_castpd_si512(_mm512_set1_pd(1.0));
  return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_maskz_slli_epi64(255, _mm512_castpd_si512(a.v), 52), one))};
}
HOCKEYSTICK_INLINE Vec split(Vec x, Vec& exponent) {
  const auto all = [](std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); };
  const __m512i bits = _mm512_add_epi64(_mm512_castpd_si512(x.v), all(split_offset));
  const __m512i biased =
      _mm512_or_si512(_mm512_maskz_srli_epi64(255, bits, 52), _mm512_castpd_si512(_mm512_set1_pd(0x1p52)));
  exponent.v = _mm512_sub_pd(_mm512_castsi512_pd(biased), _mm512_set1_pd(exponent_magic));
  return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_and_si512(bits, all(fraction_mask)), all(fraction_least)))};
}
/// The four doubles at `first`, then the four at `second`.
HOCKEYSTICK_INLINE Vec load_pair(const double* first, const double* second) {
  return {_mm512_maskz_insertf64x4(255, _mm512_castpd256_pd512(_mm256_loadu_pd(first)), _mm256_loadu_pd(second), 1)};
}

#endif
#endif

}  // namespace hockeystick::HOCKEYSTICK_ISA
