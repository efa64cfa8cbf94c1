// GGUF's block formats as they lie in a file, little-endian; the one description that the CPU, CUDA
// and Metal sources share. Source: ggml's `ggml-common.h`.
#pragma once

#if !defined(__METAL_VERSION__)
#include <cstdint>
#endif

namespace paceline {

// Scales of 16 bits are IEEE halves, kept as bits.
typedef uint16_t half_bits;

// w[i] = d (q[i] - 8); byte j holds q[j] in its low and q[j + 16] in its high nibble.
struct BlockQ4_0 {
  half_bits d;
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ4_0) == 18, "");

// w[i] = d q[i].
struct BlockQ8_0 {
  half_bits d;
  int8_t q[32];
};
static_assert(sizeof(BlockQ8_0) == 34, "");

// The 6-bit scales and minima of 8 sub-blocks in 12 bytes. Those of sub-blocks 0-3 are the low six
// bits of bytes 0-3 and 4-7; those of 4-7 have their low four bits in the nibbles of bytes 8-11
// (scale low, minimum high) and their top two in the top bits of bytes 0-3 and 4-7.
struct PackedScales {
  uint8_t bytes[12];
};

// w[32 s + i] = d scale[s] q - dmin minimum[s] for 8 sub-blocks s. Each 32 bytes of nibbles hold a
// pair of sub-blocks, the even one in the low nibbles.
struct BlockQ4_K {
  half_bits d, dmin;
  PackedScales scales;
  uint8_t nibbles[128];
};
static_assert(sizeof(BlockQ4_K) == 144, "");

// As Q4_K with a fifth bit: bit s of high[i] belongs to weight i of sub-block s.
struct BlockQ5_K {
  half_bits d, dmin;
  PackedScales scales;
  uint8_t high[32];
  uint8_t nibbles[128];
};
static_assert(sizeof(BlockQ5_K) == 176, "");

// w[16 s + i] = d scale[s] (q - 32) for 16 sub-blocks s. Each half of the block is four runs of 32
// weights over 64 bytes of nibbles and 32 of bit pairs: runs 0 and 1 in the low nibbles of the first
// and second 32 bytes, runs 2 and 3 in the high ones; run r has bits 2r and 2r + 1 of each pair
// byte.
struct BlockQ6_K {
  uint8_t nibbles[128];
  uint8_t pairs[64];
  int8_t scales[16];
  half_bits d;
};
static_assert(sizeof(BlockQ6_K) == 210, "");

}  // namespace paceline
