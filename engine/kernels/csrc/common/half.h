// IEEE half precision to single, without instructions for it.
#pragma once

#include <cstdint>
#include <cstring>

namespace paceline {

inline float float_from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Multiplying by 2^112 moves a half's exponent, subnormal or not, to where a float has it;
// infinities and NaNs keep their full exponent.
inline float float_from_half(uint16_t half) {
  const uint32_t magnitude = half & 0x7fffu;
  const uint32_t sign = (half & 0x8000u) << 16;
  if (magnitude >= 0x7c00u) return float_from_bits(sign | 0x7f800000u | magnitude << 13);
  const float scaled = float_from_bits(magnitude << 13) * 0x1p112f;
  return sign ? -scaled : scaled;
}

}  // namespace paceline
