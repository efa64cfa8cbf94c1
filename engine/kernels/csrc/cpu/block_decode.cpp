#include "cpu/block_decode.h"

#include "common/half.h"

namespace paceline {

void decode_block(const BlockQ4_0& source, float* out) {
  const float d = float_from_half(source.d);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((source.nibbles[i] & 0x0F) - 8) * d;
    out[i + 16] = static_cast<float>((source.nibbles[i] >> 4) - 8) * d;
  }
}

void decode_block(const BlockQ4_1& source, float* out) {
  const float d = float_from_half(source.d), m = float_from_half(source.m);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>(source.nibbles[i] & 0x0F) * d + m;
    out[i + 16] = static_cast<float>(source.nibbles[i] >> 4) * d + m;
  }
}

// Quant i of 32.
template <class Block>
int five_bits(const Block& source, int i) {
  const int low = source.nibbles[i % 16] >> 4 * (i / 16) & 0x0F;
  return low | (source.high[i / 8] >> i % 8 & 1) << 4;
}

void decode_block(const BlockQ5_0& source, float* out) {
  const float d = float_from_half(source.d);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(five_bits(source, i) - 16) * d;
}

void decode_block(const BlockQ5_1& source, float* out) {
  const float d = float_from_half(source.d), m = float_from_half(source.m);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(five_bits(source, i)) * d + m;
}

void decode_block(const BlockQ8_0& source, float* out) {
  const float d = float_from_half(source.d);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(source.q[i]) * d;
}

void decode_block(const BlockQ2_K& source, float* out) {
  const float d = float_from_half(source.d), dmin = float_from_half(source.dmin);
  for (int s = 0; s < 16; ++s) {
    const float factor = d * static_cast<float>(source.scales[s] & 0x0F);
    const float shift = dmin * static_cast<float>(source.scales[s] >> 4);
    const uint8_t* pairs = source.pairs + 32 * (s / 8) + 16 * (s % 2);
    for (int i = 0; i < 16; ++i) {
      const int q = pairs[i] >> 2 * (s / 2 % 4) & 3;
      out[16 * s + i] = static_cast<float>(q) * factor - shift;
    }
  }
}

void decode_block(const BlockQ3_K& source, float* out) {
  const float d = float_from_half(source.d);
  for (int s = 0; s < 16; ++s) {
    const int low = source.scales[s % 8] >> 4 * (s / 8) & 15;
    const int top = source.scales[8 + s % 4] >> 2 * (s / 4) & 3;
    const float scale = d * static_cast<float>((low | top << 4) - 32);
    const uint8_t* pairs = source.pairs + 32 * (s / 8) + 16 * (s % 2);
    const uint8_t* high = source.high + 16 * (s % 2);
    for (int i = 0; i < 16; ++i) {
      const int q = (pairs[i] >> 2 * (s / 2 % 4) & 3) | (high[i] >> s / 2 & 1) << 2;
      out[16 * s + i] = static_cast<float>(q - 4) * scale;
    }
  }
}

struct ScaleAndMinimum {
  int scale, minimum;
};
ScaleAndMinimum unpack(const PackedScales& packed, int s) {
  const uint8_t* bytes = packed.bytes;
  if (s < 4) return {bytes[s] & 0x3F, bytes[4 + s] & 0x3F};
  const int both = bytes[4 + s];
  return {(both & 0x0F) | bytes[s - 4] >> 6 << 4, both >> 4 | bytes[s] >> 6 << 4};
}

void decode_block(const BlockQ4_K& source, float* out) {
  const float d = float_from_half(source.d), dmin = float_from_half(source.dmin);
  for (int s = 0; s < 8; ++s) {
    const auto [scale, minimum] = unpack(source.scales, s);
    const float factor = d * static_cast<float>(scale), shift = dmin * static_cast<float>(minimum);
    const uint8_t* nibbles = source.nibbles + 32 * (s / 2);
    for (int i = 0; i < 32; ++i) {
      const int q = nibbles[i] >> 4 * (s % 2) & 0x0F;
      out[32 * s + i] = static_cast<float>(q) * factor - shift;
    }
  }
}

void decode_block(const BlockQ5_K& source, float* out) {
  const float d = float_from_half(source.d), dmin = float_from_half(source.dmin);
  for (int s = 0; s < 8; ++s) {
    const auto [scale, minimum] = unpack(source.scales, s);
    const float factor = d * static_cast<float>(scale), shift = dmin * static_cast<float>(minimum);
    const uint8_t* nibbles = source.nibbles + 32 * (s / 2);
    for (int i = 0; i < 32; ++i) {
      const int q = (nibbles[i] >> 4 * (s % 2) & 0x0F) | (source.high[i] >> s & 1) << 4;
      out[32 * s + i] = static_cast<float>(q) * factor - shift;
    }
  }
}

void decode_block(const BlockQ6_K& source, float* out) {
  const float d = float_from_half(source.d);
  for (int run = 0; run < 8; ++run) {
    const int half = run / 4, r = run % 4;
    const uint8_t* nibbles = source.nibbles + 64 * half + 32 * (r % 2);
    const uint8_t* pairs = source.pairs + 32 * half;
    for (int i = 0; i < 32; ++i) {
      const int q = (nibbles[i] >> 4 * (r / 2) & 0x0F) | (pairs[i] >> 2 * r & 3) << 4;
      const float scale = d * static_cast<float>(source.scales[2 * run + i / 16]);
      out[32 * run + i] = static_cast<float>(q - 32) * scale;
    }
  }
}

// 32 weights out of nibbles that are indices.
void decode_nibbles(const uint8_t* nibbles, const int8_t (&values)[16], float scale, float* out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>(values[nibbles[i] & 0x0F]) * scale;
    out[i + 16] = static_cast<float>(values[nibbles[i] >> 4]) * scale;
  }
}

void decode_block(const BlockIQ4_NL& source, float* out) {
  decode_nibbles(source.nibbles, kInt4Values, float_from_half(source.d), out);
}

void decode_block(const BlockIQ4_XS& source, float* out) {
  const float d = float_from_half(source.d);
  for (int s = 0; s < 8; ++s) {
    const int low = source.low[s / 2] >> 4 * (s % 2) & 15;
    const int top = source.high[s / 4] >> 2 * (s % 4) & 3;
    const float scale = d * static_cast<float>((low | top << 4) - 32);
    decode_nibbles(source.nibbles + 16 * s, kInt4Values, scale, out + 32 * s);
  }
}

void decode_block(const BlockMXFP4& source, float* out) {
  const uint32_t e = source.exponent;  // below 2 a subnormal number
  const float scale = float_from_bits(e < 2 ? 0x00200000u << e : (e - 1) << 23);
  decode_nibbles(source.nibbles, kFp4Values, scale, out);
}

void decode_block(const BlockNVFP4& source, float* out) {
  for (int s = 0; s < 4; ++s) {
    // E4M3 is the lower part of a float whose exponent counts from 127 rather than 7.
    const uint32_t bits = source.scales[s] == 0x7F ? 0 : source.scales[s] & 0x7Fu;
    const float scale = float_from_bits(bits << 20) * 0x1p119f;
    for (int i = 0; i < 8; ++i) {
      const uint8_t nibbles = source.nibbles[8 * s + i];
      out[16 * s + i] = static_cast<float>(kFp4Values[nibbles & 0x0F]) * scale;
      out[16 * s + i + 8] = static_cast<float>(kFp4Values[nibbles >> 4]) * scale;
    }
  }
}

}  // namespace paceline
