// Four quads (16 bytes) of a row, as repacking moves them: one SSE register.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "cpu/arch/inline.h"

namespace paceline::PACELINE_VARIANT {

struct Quads {
  __m128i v;
};

PACELINE_INLINE Quads load_quads(const void* p) {
  return {_mm_loadu_si128(static_cast<const __m128i*>(p))};
}
// (a & mask) | (b & ~mask), the mask the same in every byte.
PACELINE_INLINE Quads merge(Quads a, Quads b, uint8_t mask) {
  const __m128i bits = _mm_set1_epi8(static_cast<char>(mask));
  return {_mm_or_si128(_mm_and_si128(bits, a.v), _mm_andnot_si128(bits, b.v))};
}
// Shift each lane of four bytes; bits cross from byte to byte.
template <int left>
PACELINE_INLINE Quads shift_bits(Quads a) {
  if constexpr (left >= 0) return {_mm_slli_epi32(a.v, left)};
  if constexpr (left < 0) return {_mm_srli_epi32(a.v, -left)};
}
PACELINE_INLINE Quads flip_top_bits(Quads a) {
  return {_mm_xor_si128(a.v, _mm_set1_epi8(static_cast<char>(0x80)))};
}

// Put quad i of rows row … row + 3 into lanes row … row + 3 of vector i at `codes`.
PACELINE_INLINE void store_transposed(uint8_t* codes, int row, const Quads (&rows)[4]) {
  const __m128i low01 = _mm_unpacklo_epi32(rows[0].v, rows[1].v);
  const __m128i low23 = _mm_unpacklo_epi32(rows[2].v, rows[3].v);
  const __m128i high01 = _mm_unpackhi_epi32(rows[0].v, rows[1].v);
  const __m128i high23 = _mm_unpackhi_epi32(rows[2].v, rows[3].v);
  const auto store = [codes, row](int vector, __m128i lanes) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + 64 * vector + 4 * row), lanes);
  };
  store(0, _mm_unpacklo_epi64(low01, low23));
  store(1, _mm_unpackhi_epi64(low01, low23));
  store(2, _mm_unpacklo_epi64(high01, high23));
  store(3, _mm_unpackhi_epi64(high01, high23));
}

}  // namespace paceline::PACELINE_VARIANT
