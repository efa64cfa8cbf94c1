// The vector types over AVX-512 F, BW, DQ, VL and VNNI: one register holds 16 lanes.
//
// Every header of this folder offers the same names; kernels are written once over them. f32x16,
// i32x16 and u8x64 have 16 lanes of 4 bytes, in as many registers as that takes.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "cpu/arch/inline.h"
#include "cpu/arch/x86/quads.h"

namespace paceline::PACELINE_VARIANT {

struct f32x16 {
  __m512 v;
};
struct i32x16 {
  __m512i v;
};
struct u8x64 {
  __m512i v;
};
// Lanes of a register.
constexpr int kLanes = 16;
// Vectors of sums that registers hold beside what goes into them.
constexpr int kSums = 16;
// Rows of activations that share a load of weights: 32 registers hold 16 sums, 8 vectors of codes,
// factors and what is in flight.
constexpr int kPanelRows = 16;
// Rows whose dot products are computed together: a dot product is a chain of instructions that take
// 4 cycles each, and one begins in every cycle.
constexpr int kDotRows = 4;

// The first n of 16 lanes.
PACELINE_INLINE __mmask16 first_lanes(int n) { return static_cast<__mmask16>((1u << n) - 1); }

// Loads and stores; no address needs alignment. `partial` touches the first n ≤ 16 lanes only and
// loads zero into the others.
PACELINE_INLINE f32x16 load(const float* p) {
  return {_mm512_loadu_ps(p)};
}
PACELINE_INLINE f32x16 load_partial(const float* p, int n) {
  return {_mm512_maskz_loadu_ps(first_lanes(n), p)};
}
PACELINE_INLINE void store(float* p, f32x16 x) { _mm512_storeu_ps(p, x.v); }
PACELINE_INLINE void store_partial(float* p, f32x16 x, int n) {
  _mm512_mask_storeu_ps(p, first_lanes(n), x.v);
}
PACELINE_INLINE f32x16 splat(float x) {
  return {_mm512_set1_ps(x)};
}
PACELINE_INLINE i32x16 splat_int(int32_t x) {
  return {_mm512_set1_epi32(x)};
}
PACELINE_INLINE f32x16 load_half(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
PACELINE_INLINE f32x16 load_half_partial(const uint16_t* p, int n) {
  return {_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(n), p))};
}
PACELINE_INLINE f32x16 splat_half(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_set1_epi16(static_cast<int16_t>(*p)))};
}
PACELINE_INLINE void store_half(uint16_t* p, f32x16 x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtps_ph(x.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
PACELINE_INLINE f32x16 load_bf16(const uint16_t* p) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))};
}
PACELINE_INLINE f32x16 load_bf16_partial(const uint16_t* p, int n) {
  const __m256i bits = _mm256_maskz_loadu_epi16(first_lanes(n), p);
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))};
}
PACELINE_INLINE i32x16 load_u8(const uint8_t* p) {
  return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
PACELINE_INLINE i32x16 load_i8(const int8_t* p) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
// 16 numbers that fit int8.
PACELINE_INLINE void store_i8(int8_t* p, i32x16 x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(x.v));
}

// Arithmetic.
PACELINE_INLINE f32x16 add(f32x16 a, f32x16 b) { return {_mm512_add_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 sub(f32x16 a, f32x16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 mul(f32x16 a, f32x16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 div(f32x16 a, f32x16 b) { return {_mm512_div_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 max(f32x16 a, f32x16 b) { return {_mm512_max_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 min(f32x16 a, f32x16 b) { return {_mm512_min_ps(a.v, b.v)}; }
PACELINE_INLINE f32x16 abs(f32x16 a) { return {_mm512_abs_ps(a.v)}; }
PACELINE_INLINE f32x16 sqrt(f32x16 a) { return {_mm512_sqrt_ps(a.v)}; }
// a b + c, rounded once.
PACELINE_INLINE f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
PACELINE_INLINE i32x16 add(i32x16 a, i32x16 b) { return {_mm512_add_epi32(a.v, b.v)}; }
PACELINE_INLINE i32x16 sub(i32x16 a, i32x16 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
template <int bits>
PACELINE_INLINE i32x16 shift_left(i32x16 a) {
  return {_mm512_slli_epi32(a.v, bits)};
}
PACELINE_INLINE i32x16 and_(i32x16 a, i32x16 b) { return {_mm512_and_si512(a.v, b.v)}; }
// a < b ? x : y, lane by lane.
PACELINE_INLINE f32x16 select_less(f32x16 a, f32x16 b, f32x16 x, f32x16 y) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ), y.v, x.v)};
}

// Conversions; rounding is to nearest even.
PACELINE_INLINE f32x16 to_float(i32x16 a) { return {_mm512_cvtepi32_ps(a.v)}; }
PACELINE_INLINE i32x16 round_to_int(f32x16 a) { return {_mm512_cvtps_epi32(a.v)}; }
PACELINE_INLINE f32x16 round(f32x16 a) {
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
PACELINE_INLINE f32x16 as_float(i32x16 a) { return {_mm512_castsi512_ps(a.v)}; }
PACELINE_INLINE i32x16 as_int(f32x16 a) { return {_mm512_castps_si512(a.v)}; }

// Over the lanes, always in this order: lane i with i + 8, then i + 4, i + 2, i + 1.
PACELINE_INLINE float sum(f32x16 a) {
  __m256 x = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_add_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

// Halves, blocks of 4, pairs and lanes of two vectors side by side, added as `sum` adds them.
PACELINE_INLINE __m512 add_halves(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}
PACELINE_INLINE __m512 add_blocks(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
PACELINE_INLINE __m512 add_pairs(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
}
PACELINE_INLINE __m512 add_lanes(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}

// The `sum` of each of 16 vectors, bit for bit, in a third of the time.
PACELINE_INLINE f32x16 sums(const f32x16 (&v)[16]) {
  __m512 four[4];
  PACELINE_UNROLL
  for (int i = 0; i < 4; ++i) {
    four[i] = add_blocks(add_halves(v[i].v, v[i + 4].v), add_halves(v[i + 8].v, v[i + 12].v));
  }
  return {add_lanes(add_pairs(four[0], four[1]), add_pairs(four[2], four[3]))};
}

PACELINE_INLINE float max_lane(f32x16 a) {
  __m256 x = _mm256_max_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}
PACELINE_INLINE int32_t sum(i32x16 a) { return _mm512_reduce_add_epi32(a.v); }

// Codes: unsigned bytes, four neighbours a lane.
PACELINE_INLINE u8x64 load_codes(const uint8_t* p) { return {_mm512_loadu_si512(p)}; }
PACELINE_INLINE u8x64 splat_codes(uint8_t x) {
  return {_mm512_set1_epi8(static_cast<char>(x))};
}
PACELINE_INLINE u8x64 and_(u8x64 a, u8x64 b) { return {_mm512_and_si512(a.v, b.v)}; }
// base | (bits & mask)
PACELINE_INLINE u8x64 or_masked(u8x64 base, u8x64 bits, u8x64 mask) {
  return {_mm512_ternarylogic_epi32(base.v, bits.v, mask.v, 0xF8)};
}
// Shift to the left, or right where `left` is negative. Bits cross from byte to byte of a lane:
// mask what may have come in.
template <int left>
PACELINE_INLINE u8x64 shift_bits(u8x64 a) {
  if constexpr (left == 0) return a;
  if constexpr (left > 0) return {_mm512_slli_epi32(a.v, left)};
  if constexpr (left < 0) return {_mm512_srli_epi32(a.v, -left)};
}

// The same for a number of bits that only shows at run time.
PACELINE_INLINE u8x64 shift_bits_by(u8x64 a, int left) {
  return {left < 0 ? _mm512_srl_epi32(a.v, _mm_cvtsi32_si128(-left))
                   : _mm512_sll_epi32(a.v, _mm_cvtsi32_si128(left))};
}
PACELINE_INLINE void store_codes(uint8_t* p, u8x64 x) { _mm512_storeu_si512(p, x.v); }

// A table of 16 bytes, and what it has at each index; indices are below 16.
PACELINE_INLINE u8x64 load_table(const uint8_t* p) {
  return {_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
PACELINE_INLINE u8x64 look_up(u8x64 table, u8x64 indices) {
  return {_mm512_shuffle_epi8(table.v, indices.v)};
}

// total += Σ_c codes[4 l + c] * quad[c] in each lane l, exact. The processor broadcasts the quad as it
// reads it; GCC, left alone, would spend an instruction and a register on that.
PACELINE_INLINE void add_quad(i32x16& total, u8x64 codes, const int8_t* quad) {
#if defined(_MSC_VER) && !defined(__clang__)
  int32_t bits;
  std::memcpy(&bits, quad, sizeof bits);
  total.v = _mm512_dpbusd_epi32(total.v, codes.v, _mm512_set1_epi32(bits));
#else
  const auto& four = *reinterpret_cast<const int8_t(*)[4]>(quad);
  __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(total.v) : "v"(codes.v), "m"(four));
#endif
}

// totals[r] += Σ_j Σ_c codes[j][4 l + c] * x[r][4 j + c] in each lane l, exact, for rows of x that lie
// `stride` bytes apart. Codes are below 2^bits.
template <int quads, int bits, int rows>
PACELINE_INLINE void dot(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x, int stride) {
  PACELINE_UNROLL
  for (int j = 0; j < quads; ++j) {
    PACELINE_UNROLL
    for (int row = 0; row < rows; ++row) add_quad(totals[row], codes[j], x + row * stride + 4 * j);
  }
}

// As `dot` over 8 quads of signed codes, each stored with 128 added; totals[r] comes as -Σ x[r].
template <int rows>
PACELINE_INLINE void dot_signed(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x,
                                int stride) {
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) totals[row] = shift_left<7>(totals[row]);
  dot<8, 8>(totals, codes, x, stride);
}

// Any address will do: one that is not mapped is passed over.
PACELINE_INLINE void prefetch(const void* p) {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
// The same into the second-level cache.
PACELINE_INLINE void prefetch_second(const void* p) {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}

}  // namespace paceline::PACELINE_VARIANT
