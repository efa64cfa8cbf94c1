// The vector types in plain C++, for any processor. See x86/avx512.h for what the names mean.
//
// `fma` rounds twice here: a processor without the instruction would call a slow library function.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cpu/arch/inline.h"

namespace paceline::PACELINE_VARIANT {

struct f32x16 {
  float lane[16];
};
struct i32x16 {
  int32_t lane[16];
};
struct u8x64 {
  uint8_t byte[64];
};
constexpr int kLanes = 16;
// More sums at a time than one leave the registers.
constexpr int kSums = 1;
constexpr int kPanelRows = 4;
constexpr int kDotRows = 1;

// V{f(0), …, f(15)}, and the same for 64 bytes.
template <class V, class F>
PACELINE_INLINE V lanes(F f) {
  V result;
  for (int i = 0; i < 16; ++i) result.lane[i] = f(i);
  return result;
}
template <class F>
PACELINE_INLINE u8x64 bytes(F f) {
  u8x64 result;
  for (int i = 0; i < 64; ++i) result.byte[i] = static_cast<uint8_t>(f(i));
  return result;
}

PACELINE_INLINE float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
PACELINE_INLINE uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// IEEE half precision. Multiplying by 2^112 moves a half's exponent, subnormal or not, to where a
// float has it; infinities and NaNs keep their full exponent.
PACELINE_INLINE float widen_half(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t full = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return float_of(sign | full | bits_of(float_of(magnitude << 13) * 0x1p112f));
}
// Round to nearest even. Below the normal halves, adding 0.5 lets the addition do the rounding.
PACELINE_INLINE uint16_t narrow_half(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u;
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14
    half = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    half = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

// Loads and stores.
PACELINE_INLINE f32x16 load(const float* p) {
  return lanes<f32x16>([=](int i) { return p[i]; });
}
PACELINE_INLINE f32x16 load_partial(const float* p, int n) {
  return lanes<f32x16>([=](int i) { return i < n ? p[i] : 0.0f; });
}
PACELINE_INLINE void store(float* p, const f32x16& x) { std::memcpy(p, x.lane, sizeof x.lane); }
PACELINE_INLINE void store_partial(float* p, const f32x16& x, int n) {
  std::memcpy(p, x.lane, static_cast<size_t>(n) * sizeof *p);
}
PACELINE_INLINE f32x16 splat(float x) {
  return lanes<f32x16>([=](int) { return x; });
}
PACELINE_INLINE i32x16 splat_int(int32_t x) {
  return lanes<i32x16>([=](int) { return x; });
}
PACELINE_INLINE f32x16 load_half(const uint16_t* p) {
  return lanes<f32x16>([=](int i) { return widen_half(p[i]); });
}
PACELINE_INLINE f32x16 load_half_partial(const uint16_t* p, int n) {
  return lanes<f32x16>([=](int i) { return i < n ? widen_half(p[i]) : 0.0f; });
}
PACELINE_INLINE f32x16 splat_half(const uint16_t* p) { return splat(widen_half(*p)); }
PACELINE_INLINE void store_half(uint16_t* p, const f32x16& x) {
  for (int i = 0; i < 16; ++i) p[i] = narrow_half(x.lane[i]);
}
PACELINE_INLINE float widen_bf16(uint16_t x) { return float_of(static_cast<uint32_t>(x) << 16); }
PACELINE_INLINE f32x16 load_bf16(const uint16_t* p) {
  return lanes<f32x16>([=](int i) { return widen_bf16(p[i]); });
}
PACELINE_INLINE f32x16 load_bf16_partial(const uint16_t* p, int n) {
  return lanes<f32x16>([=](int i) { return i < n ? widen_bf16(p[i]) : 0.0f; });
}
PACELINE_INLINE i32x16 load_u8(const uint8_t* p) {
  return lanes<i32x16>([=](int i) { return int32_t{p[i]}; });
}
PACELINE_INLINE i32x16 load_i8(const int8_t* p) {
  return lanes<i32x16>([=](int i) { return int32_t{p[i]}; });
}
PACELINE_INLINE void store_i8(int8_t* p, const i32x16& x) {
  for (int i = 0; i < 16; ++i) p[i] = static_cast<int8_t>(x.lane[i]);
}

// Arithmetic.
#define PACELINE_LANEWISE(name, type, expression)              \
  PACELINE_INLINE type name(const type& a, const type& b) {    \
    return lanes<type>([&](int i) {                            \
      const auto x = a.lane[i], y = b.lane[i];                 \
      return expression;                                       \
    });                                                        \
  }
PACELINE_LANEWISE(add, f32x16, x + y)
PACELINE_LANEWISE(sub, f32x16, x - y)
PACELINE_LANEWISE(mul, f32x16, x* y)
PACELINE_LANEWISE(div, f32x16, x / y)
PACELINE_LANEWISE(max, f32x16, x > y ? x : y)
PACELINE_LANEWISE(min, f32x16, x < y ? x : y)
PACELINE_LANEWISE(add, i32x16, x + y)
PACELINE_LANEWISE(sub, i32x16, x - y)
PACELINE_LANEWISE(and_, i32x16, x & y)
#undef PACELINE_LANEWISE
PACELINE_INLINE f32x16 abs(const f32x16& a) {
  return lanes<f32x16>([&](int i) { return std::fabs(a.lane[i]); });
}
PACELINE_INLINE f32x16 sqrt(const f32x16& a) {
  return lanes<f32x16>([&](int i) { return std::sqrt(a.lane[i]); });
}
PACELINE_INLINE f32x16 fma(const f32x16& a, const f32x16& b, const f32x16& c) {
  return lanes<f32x16>([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
}
template <int bits>
PACELINE_INLINE i32x16 shift_left(const i32x16& a) {
  return lanes<i32x16>([&](int i) { return a.lane[i] << bits; });
}
PACELINE_INLINE f32x16 select_less(const f32x16& a, const f32x16& b, const f32x16& x,
                                   const f32x16& y) {
  return lanes<f32x16>([&](int i) { return a.lane[i] < b.lane[i] ? x.lane[i] : y.lane[i]; });
}

// Conversions. Adding and taking away 1.5 * 2^23 rounds to nearest even below 2^22, the range of
// what is rounded here.
PACELINE_INLINE f32x16 to_float(const i32x16& a) {
  return lanes<f32x16>([&](int i) { return static_cast<float>(a.lane[i]); });
}
PACELINE_INLINE f32x16 round(const f32x16& a) {
  constexpr float magic = 0x1.8p23f;
  return lanes<f32x16>([&](int i) { return (a.lane[i] + magic) - magic; });
}
PACELINE_INLINE i32x16 round_to_int(const f32x16& a) {
  const f32x16 whole = round(a);
  return lanes<i32x16>([&](int i) { return static_cast<int32_t>(whole.lane[i]); });
}
PACELINE_INLINE f32x16 as_float(const i32x16& a) {
  return lanes<f32x16>([&](int i) { return float_of(static_cast<uint32_t>(a.lane[i])); });
}
PACELINE_INLINE i32x16 as_int(const f32x16& a) {
  return lanes<i32x16>([&](int i) { return static_cast<int32_t>(bits_of(a.lane[i])); });
}

// Over the lanes, in the order that avx512.h states.
PACELINE_INLINE float sum(f32x16 a) {
  for (int half = 8; half; half /= 2) {
    for (int i = 0; i < half; ++i) a.lane[i] += a.lane[i + half];
  }
  return a.lane[0];
}
// The `sum` of each of 16 vectors.
PACELINE_INLINE f32x16 sums(const f32x16 (&v)[16]) {
  f32x16 all;
  for (int i = 0; i < 16; ++i) all.lane[i] = sum(v[i]);
  return all;
}
PACELINE_INLINE float max_lane(const f32x16& a) {
  float best = a.lane[0];
  for (int i = 1; i < 16; ++i) best = a.lane[i] > best ? a.lane[i] : best;
  return best;
}
PACELINE_INLINE int32_t sum(const i32x16& a) {
  int32_t total = 0;
  for (int i = 0; i < 16; ++i) total += a.lane[i];
  return total;
}

// Codes.
PACELINE_INLINE u8x64 load_codes(const uint8_t* p) {
  u8x64 result;
  std::memcpy(result.byte, p, sizeof result.byte);
  return result;
}
PACELINE_INLINE u8x64 splat_codes(uint8_t x) {
  return bytes([=](int) { return x; });
}
PACELINE_INLINE u8x64 and_(const u8x64& a, const u8x64& b) {
  return bytes([&](int i) { return a.byte[i] & b.byte[i]; });
}
PACELINE_INLINE u8x64 or_masked(const u8x64& base, const u8x64& bits, const u8x64& mask) {
  return bytes([&](int i) { return base.byte[i] | (bits.byte[i] & mask.byte[i]); });
}
template <int left>
PACELINE_INLINE u8x64 shift_bits(const u8x64& a) {
  constexpr int right = left < 0 ? -left : 0;
  return bytes([&](int i) { return a.byte[i] << (left + right) >> right; });
}

PACELINE_INLINE u8x64 shift_bits_by(const u8x64& a, int left) {
  const int right = left < 0 ? -left : 0;
  return bytes([&](int i) { return a.byte[i] << (left + right) >> right; });
}
PACELINE_INLINE void store_codes(uint8_t* p, const u8x64& x) {
  std::memcpy(p, x.byte, sizeof x.byte);
}

PACELINE_INLINE u8x64 load_table(const uint8_t* p) {
  return bytes([=](int i) { return p[i % 16]; });
}
PACELINE_INLINE u8x64 look_up(const u8x64& table, const u8x64& indices) {
  return bytes([&](int i) { return table.byte[indices.byte[i]]; });
}

// Four quads of a row: see x86/quads.h.
struct Quads {
  uint32_t lane[4];
};
template <class F>
PACELINE_INLINE Quads quads(F f) {
  return {f(0), f(1), f(2), f(3)};
}
PACELINE_INLINE Quads load_quads(const void* p) {
  Quads result;
  std::memcpy(result.lane, p, sizeof result.lane);
  return result;
}
PACELINE_INLINE Quads merge(const Quads& a, const Quads& b, uint8_t mask) {
  const uint32_t bits = mask * 0x01010101u;
  return quads([&](int i) { return (a.lane[i] & bits) | (b.lane[i] & ~bits); });
}
template <int left>
PACELINE_INLINE Quads shift_bits(const Quads& a) {
  constexpr int right = left < 0 ? -left : 0;
  return quads([&](int i) { return a.lane[i] << (left + right) >> right; });
}
PACELINE_INLINE Quads flip_top_bits(const Quads& a) {
  return quads([&](int i) { return a.lane[i] ^ 0x80808080u; });
}
PACELINE_INLINE void store_transposed(uint8_t* codes, int row, const Quads (&rows)[4]) {
  for (int vector = 0; vector < 4; ++vector) {
    for (int r = 0; r < 4; ++r) {
      std::memcpy(codes + 64 * vector + 4 * (row + r), &rows[r].lane[vector], 4);
    }
  }
}

template <int quads, int bits, int rows>
PACELINE_INLINE void dot(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x, int stride) {
  for (int row = 0; row < rows; ++row, x += stride) {
    for (int j = 0; j < quads; ++j) {
      const int8_t* quad = x + 4 * j;
      int32_t four[16];  // whole lanes: compilers vectorise shifts, and not steps of four bytes
      std::memcpy(four, codes[j].byte, sizeof four);
      for (int l = 0; l < 16; ++l) {
        totals[row].lane[l] += (four[l] & 255) * quad[0] + (four[l] >> 8 & 255) * quad[1] +
                               (four[l] >> 16 & 255) * quad[2] + (four[l] >> 24 & 255) * quad[3];
      }
    }
  }
}
template <int rows>
PACELINE_INLINE void dot_signed(i32x16 (&totals)[rows], const u8x64* codes, const int8_t* x,
                                int stride) {
  for (int row = 0; row < rows; ++row) totals[row] = shift_left<7>(totals[row]);
  dot<8, 8>(totals, codes, x, stride);
}

PACELINE_INLINE void prefetch(const void*) {}
PACELINE_INLINE void prefetch_second(const void*) {}

}  // namespace paceline::PACELINE_VARIANT
