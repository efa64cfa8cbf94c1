// The vector types over AVX2, FMA and F16C, with VNNI in its AVX form where the compiler may use it.
//
// 16 lanes are two registers. See avx512.h for what the names mean.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "cpu/arch/inline.h"
#include "cpu/arch/x86/quads.h"

namespace paceline::PACELINE_VARIANT {

struct f32x8 {
  __m256 v;
};
struct i32x8 {
  __m256i v;
};
struct f32x16 {
  f32x8 low, high;
};
struct i32x16 {
  i32x8 low, high;
};
struct u8x64 {
  __m256i low, high;
};
constexpr int kLanes = 8;
constexpr int kSums = 4;
// 16 registers hold 8 sums of 16-bit pairs; codes and float sums come from the first-level cache.
constexpr int kPanelRows = 4;
constexpr int kDotRows = 4;

// All bits of the first n of 8 lanes; n may lie outside 0 … 8.
PACELINE_INLINE __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
// The first n ≤ 16 of 16 halves, zeros behind.
struct Halves {
  alignas(16) uint16_t lane[16] = {};
};
PACELINE_INLINE Halves first_halves(const uint16_t* p, int n) {
  Halves halves;
  std::memcpy(halves.lane, p, static_cast<size_t>(n) * sizeof *p);
  return halves;
}

// Loads and stores.
PACELINE_INLINE f32x8 load_8(const float* p) {
  return {_mm256_loadu_ps(p)};
}
PACELINE_INLINE f32x16 load(const float* p) {
  return {load_8(p), load_8(p + 8)};
}
PACELINE_INLINE f32x16 load_partial(const float* p, int n) {
  return {{_mm256_maskload_ps(p, first_lanes(n))}, {_mm256_maskload_ps(p + 8, first_lanes(n - 8))}};
}
PACELINE_INLINE void store(float* p, f32x8 x) { _mm256_storeu_ps(p, x.v); }
PACELINE_INLINE void store(float* p, f32x16 x) {
  store(p, x.low);
  store(p + 8, x.high);
}
PACELINE_INLINE void store_partial(float* p, f32x16 x, int n) {
  _mm256_maskstore_ps(p, first_lanes(n), x.low.v);
  _mm256_maskstore_ps(p + 8, first_lanes(n - 8), x.high.v);
}
PACELINE_INLINE f32x8 splat_8(float x) {
  return {_mm256_set1_ps(x)};
}
PACELINE_INLINE f32x16 splat(float x) {
  return {splat_8(x), splat_8(x)};
}
PACELINE_INLINE i32x8 splat_int_8(int32_t x) {
  return {_mm256_set1_epi32(x)};
}
PACELINE_INLINE i32x16 splat_int(int32_t x) {
  return {splat_int_8(x), splat_int_8(x)};
}
PACELINE_INLINE f32x8 load_half_8(const uint16_t* p) {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
PACELINE_INLINE f32x16 load_half(const uint16_t* p) {
  return {load_half_8(p), load_half_8(p + 8)};
}
PACELINE_INLINE f32x16 load_half_partial(const uint16_t* p, int n) {
  return load_half(first_halves(p, n).lane);
}
PACELINE_INLINE f32x16 splat_half(const uint16_t* p) {
  const f32x8 both{_mm256_cvtph_ps(_mm_set1_epi16(static_cast<int16_t>(*p)))};
  return {both, both};
}
PACELINE_INLINE void store_half(uint16_t* p, f32x16 x) {
  constexpr int nearest = _MM_FROUND_TO_NEAREST_INT;
  auto* to = reinterpret_cast<__m128i*>(p);
  _mm_storeu_si128(to, _mm256_cvtps_ph(x.low.v, nearest));
  _mm_storeu_si128(to + 1, _mm256_cvtps_ph(x.high.v, nearest));
}
PACELINE_INLINE f32x8 widen_bf16(const uint16_t* p) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16))};
}
PACELINE_INLINE f32x16 load_bf16(const uint16_t* p) {
  return {widen_bf16(p), widen_bf16(p + 8)};
}
PACELINE_INLINE f32x16 load_bf16_partial(const uint16_t* p, int n) {
  return load_bf16(first_halves(p, n).lane);
}
PACELINE_INLINE i32x8 load_u8_8(const uint8_t* p) {
  return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
PACELINE_INLINE i32x16 load_u8(const uint8_t* p) {
  return {load_u8_8(p), load_u8_8(p + 8)};
}
PACELINE_INLINE i32x8 load_i8_8(const int8_t* p) {
  return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
PACELINE_INLINE i32x16 load_i8(const int8_t* p) {
  return {load_i8_8(p), load_i8_8(p + 8)};
}
PACELINE_INLINE void store_i8(int8_t* p, i32x16 x) {
  // Packing joins 128-bit halves crosswise: words are 0-3 8-11 4-7 12-15 before the permutation.
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(x.low.v, x.high.v), 0xD8);
  const __m128i bytes =
      _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
}

// Arithmetic, for a register and for 16 lanes.
PACELINE_INLINE f32x8 add(f32x8 a, f32x8 b) { return {_mm256_add_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 sub(f32x8 a, f32x8 b) { return {_mm256_sub_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 mul(f32x8 a, f32x8 b) { return {_mm256_mul_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 div(f32x8 a, f32x8 b) { return {_mm256_div_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 max(f32x8 a, f32x8 b) { return {_mm256_max_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 min(f32x8 a, f32x8 b) { return {_mm256_min_ps(a.v, b.v)}; }
PACELINE_INLINE f32x8 abs(f32x8 a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)}; }
PACELINE_INLINE f32x8 sqrt(f32x8 a) { return {_mm256_sqrt_ps(a.v)}; }
PACELINE_INLINE f32x8 fma(f32x8 a, f32x8 b, f32x8 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
PACELINE_INLINE i32x8 add(i32x8 a, i32x8 b) { return {_mm256_add_epi32(a.v, b.v)}; }
PACELINE_INLINE i32x8 sub(i32x8 a, i32x8 b) { return {_mm256_sub_epi32(a.v, b.v)}; }
template <int bits>
PACELINE_INLINE i32x8 shift_left(i32x8 a) {
  return {_mm256_slli_epi32(a.v, bits)};
}
PACELINE_INLINE i32x8 and_(i32x8 a, i32x8 b) { return {_mm256_and_si256(a.v, b.v)}; }
PACELINE_INLINE f32x8 select_less(f32x8 a, f32x8 b, f32x8 x, f32x8 y) {
  return {_mm256_blendv_ps(y.v, x.v, _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ))};
}
PACELINE_INLINE f32x8 to_float(i32x8 a) { return {_mm256_cvtepi32_ps(a.v)}; }
PACELINE_INLINE i32x8 round_to_int(f32x8 a) { return {_mm256_cvtps_epi32(a.v)}; }
PACELINE_INLINE f32x8 round(f32x8 a) {
  return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
PACELINE_INLINE f32x8 as_float(i32x8 a) { return {_mm256_castsi256_ps(a.v)}; }
PACELINE_INLINE i32x8 as_int(f32x8 a) { return {_mm256_castps_si256(a.v)}; }

PACELINE_INLINE f32x16 add(f32x16 a, f32x16 b) { return {add(a.low, b.low), add(a.high, b.high)}; }
PACELINE_INLINE f32x16 sub(f32x16 a, f32x16 b) { return {sub(a.low, b.low), sub(a.high, b.high)}; }
PACELINE_INLINE f32x16 mul(f32x16 a, f32x16 b) { return {mul(a.low, b.low), mul(a.high, b.high)}; }
PACELINE_INLINE f32x16 div(f32x16 a, f32x16 b) { return {div(a.low, b.low), div(a.high, b.high)}; }
PACELINE_INLINE f32x16 max(f32x16 a, f32x16 b) { return {max(a.low, b.low), max(a.high, b.high)}; }
PACELINE_INLINE f32x16 min(f32x16 a, f32x16 b) { return {min(a.low, b.low), min(a.high, b.high)}; }
PACELINE_INLINE f32x16 abs(f32x16 a) { return {abs(a.low), abs(a.high)}; }
PACELINE_INLINE f32x16 sqrt(f32x16 a) { return {sqrt(a.low), sqrt(a.high)}; }
PACELINE_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
}
PACELINE_INLINE i32x16 add(i32x16 a, i32x16 b) { return {add(a.low, b.low), add(a.high, b.high)}; }
PACELINE_INLINE i32x16 sub(i32x16 a, i32x16 b) { return {sub(a.low, b.low), sub(a.high, b.high)}; }
template <int bits>
PACELINE_INLINE i32x16 shift_left(i32x16 a) {
  return {shift_left<bits>(a.low), shift_left<bits>(a.high)};
}
PACELINE_INLINE i32x16 and_(i32x16 a, i32x16 b) {
  return {and_(a.low, b.low), and_(a.high, b.high)};
}
PACELINE_INLINE f32x16 select_less(f32x16 a, f32x16 b, f32x16 x, f32x16 y) {
  return {select_less(a.low, b.low, x.low, y.low), select_less(a.high, b.high, x.high, y.high)};
}
PACELINE_INLINE f32x16 to_float(i32x16 a) { return {to_float(a.low), to_float(a.high)}; }
PACELINE_INLINE i32x16 round_to_int(f32x16 a) {
  return {round_to_int(a.low), round_to_int(a.high)};
}
PACELINE_INLINE f32x16 round(f32x16 a) { return {round(a.low), round(a.high)}; }
PACELINE_INLINE f32x16 as_float(i32x16 a) { return {as_float(a.low), as_float(a.high)}; }
PACELINE_INLINE i32x16 as_int(f32x16 a) { return {as_int(a.low), as_int(a.high)}; }

// Over the lanes, in the order that avx512.h states.
PACELINE_INLINE float sum(f32x16 a) {
  const __m256 x = _mm256_add_ps(a.low.v, a.high.v);
  __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_add_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

// Halves, pairs and lanes of two vectors side by side, added as `sum` adds them.
PACELINE_INLINE __m256 add_halves(__m256 a, __m256 b) {
  return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}
PACELINE_INLINE __m256 add_pairs(__m256 a, __m256 b) {
  return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}
PACELINE_INLINE __m256 add_lanes(__m256 a, __m256 b) {
  return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
}
PACELINE_INLINE f32x8 sums_of_8(const f32x16* v) {
  __m256 four[4];
  PACELINE_UNROLL
  for (int i = 0; i < 4; ++i) {
    four[i] = add_halves(_mm256_add_ps(v[i].low.v, v[i].high.v),
                         _mm256_add_ps(v[i + 4].low.v, v[i + 4].high.v));
  }
  return {add_lanes(add_pairs(four[0], four[1]), add_pairs(four[2], four[3]))};
}

// The `sum` of each of 16 vectors, bit for bit, in a third of the time.
PACELINE_INLINE f32x16 sums(const f32x16 (&v)[16]) { return {sums_of_8(v), sums_of_8(v + 8)}; }

PACELINE_INLINE float max_lane(f32x16 a) {
  const __m256 x = _mm256_max_ps(a.low.v, a.high.v);
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}
PACELINE_INLINE int32_t sum(i32x16 a) {
  const __m256i x = _mm256_add_epi32(a.low.v, a.high.v);
  __m128i y = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  y = _mm_add_epi32(y, _mm_shuffle_epi32(y, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(y, _mm_shuffle_epi32(y, 0xB1)));
}

// Codes.
PACELINE_INLINE __m256i load_bytes(const uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
PACELINE_INLINE u8x64 load_codes(const uint8_t* p) { return {load_bytes(p), load_bytes(p + 32)}; }
PACELINE_INLINE u8x64 splat_codes(uint8_t x) {
  const __m256i both = _mm256_set1_epi8(static_cast<char>(x));
  return {both, both};
}
PACELINE_INLINE u8x64 and_(u8x64 a, u8x64 b) {
  return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
}
PACELINE_INLINE u8x64 or_masked(u8x64 base, u8x64 bits, u8x64 mask) {
  const u8x64 kept = and_(bits, mask);
  return {_mm256_or_si256(base.low, kept.low), _mm256_or_si256(base.high, kept.high)};
}
template <int left>
PACELINE_INLINE __m256i shift_lanes(__m256i a) {
  if constexpr (left == 0) return a;
  if constexpr (left > 0) return _mm256_slli_epi32(a, left);
  if constexpr (left < 0) return _mm256_srli_epi32(a, -left);
}
template <int left>
PACELINE_INLINE u8x64 shift_bits(u8x64 a) {
  return {shift_lanes<left>(a.low), shift_lanes<left>(a.high)};
}

PACELINE_INLINE u8x64 shift_bits_by(u8x64 a, int left) {
  const __m128i count = _mm_cvtsi32_si128(left < 0 ? -left : left);
  if (left < 0) return {_mm256_srl_epi32(a.low, count), _mm256_srl_epi32(a.high, count)};
  return {_mm256_sll_epi32(a.low, count), _mm256_sll_epi32(a.high, count)};
}
PACELINE_INLINE void store_codes(uint8_t* p, u8x64 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), x.high);
}

PACELINE_INLINE u8x64 load_table(const uint8_t* p) {
  const __m256i both =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return {both, both};
}
PACELINE_INLINE u8x64 look_up(u8x64 table, u8x64 indices) {
  return {_mm256_shuffle_epi8(table.low, indices.low),
          _mm256_shuffle_epi8(table.high, indices.high)};
}

PACELINE_INLINE __m256i splat_quad(const int8_t* four) {
  int32_t bits;
  std::memcpy(&bits, four, sizeof bits);
  return _mm256_set1_epi32(bits);
}

#if defined(__AVXVNNI__)

template <int quads, int bits, int rows>
PACELINE_INLINE void dot(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x, int stride) {
  PACELINE_UNROLL
  for (int j = 0; j < quads; ++j) {
    PACELINE_UNROLL
    for (int row = 0; row < rows; ++row) {
      const __m256i quad = splat_quad(x + row * stride + 4 * j);
      __m256i &low = totals[row].low.v, &high = totals[row].high.v;
      low = _mm256_dpbusd_avx_epi32(low, codes[j].low, quad);
      high = _mm256_dpbusd_avx_epi32(high, codes[j].high, quad);
      PACELINE_KEEP(low);
      PACELINE_KEEP(high);
    }
  }
}

template <int rows>
PACELINE_INLINE void dot_signed(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x,
                                int stride) {
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) totals[row] = shift_left<7>(totals[row]);
  dot<8, 8>(totals, codes, x, stride);
}

#else

// Add up pairs of 16 bits.
PACELINE_INLINE __m256i add_wide(__m256i total, __m256i pairs) {
  return _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

// Pairs of products are summed in 16 bits over as many quads as fit, then widened.
template <int quads, int bits, int rows>
PACELINE_INLINE void dot(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x, int stride) {
  static_assert(bits < 8, "maddubs saturates");
  constexpr int largest_pair = 2 * ((1 << bits) - 1) * 127;
  constexpr int fitting = 32767 / largest_pair;
  constexpr int run = fitting < quads ? fitting : quads;
  PACELINE_UNROLL
  for (int start = 0; start < quads; start += run) {
    __m256i low[rows], high[rows];
    PACELINE_UNROLL
    for (int j = start; j < start + run; ++j) {
      PACELINE_UNROLL
      for (int row = 0; row < rows; ++row) {
        const __m256i quad = splat_quad(x + row * stride + 4 * j);
        const __m256i more_low = _mm256_maddubs_epi16(codes[j].low, quad);
        const __m256i more_high = _mm256_maddubs_epi16(codes[j].high, quad);
        low[row] = j == start ? more_low : _mm256_add_epi16(low[row], more_low);
        high[row] = j == start ? more_high : _mm256_add_epi16(high[row], more_high);
        PACELINE_KEEP(low[row]);
        PACELINE_KEEP(high[row]);
      }
    }
    PACELINE_UNROLL
    for (int row = 0; row < rows; ++row) {
      totals[row].low.v = add_wide(totals[row].low.v, low[row]);
      totals[row].high.v = add_wide(totals[row].high.v, high[row]);
    }
  }
}

// The sign moves over to x: |code| ≤ 128 and |x| ≤ 127, so that a pair stays within 32512.
template <int rows>
PACELINE_INLINE void dot_signed(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x,
                                int stride) {
  const __m256i top = _mm256_set1_epi8(static_cast<char>(0x80));
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) totals[row] = splat_int(0);
  PACELINE_UNROLL
  for (int j = 0; j < 8; ++j) {
    const __m256i low = _mm256_xor_si256(codes[j].low, top), low_size = _mm256_abs_epi8(low);
    const __m256i high = _mm256_xor_si256(codes[j].high, top), high_size = _mm256_abs_epi8(high);
    PACELINE_UNROLL
    for (int row = 0; row < rows; ++row) {
      const __m256i quad = splat_quad(x + row * stride + 4 * j);
      __m256i &total_low = totals[row].low.v, &total_high = totals[row].high.v;
      const __m256i signed_low = _mm256_sign_epi8(quad, low);
      const __m256i signed_high = _mm256_sign_epi8(quad, high);
      total_low = add_wide(total_low, _mm256_maddubs_epi16(low_size, signed_low));
      total_high = add_wide(total_high, _mm256_maddubs_epi16(high_size, signed_high));
      PACELINE_KEEP(total_low);
      PACELINE_KEEP(total_high);
    }
  }
}

#endif

PACELINE_INLINE void prefetch(const void* p) {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
// The same into the second-level cache.
PACELINE_INLINE void prefetch_second(const void* p) {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}

}  // namespace paceline::PACELINE_VARIANT
