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

// w[i] = d q[i] + m; nibbles as in Q4_0.
struct BlockQ4_1 {
  half_bits d, m;
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ4_1) == 20, "");

// w[i] = d (q[i] - 16). Bit i % 8 of high[i / 8] is the fifth of q[i]; nibbles as in Q4_0.
struct BlockQ5_0 {
  half_bits d;
  uint8_t high[4];
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ5_0) == 22, "");

// w[i] = d q[i] + m; bits as in Q5_0.
struct BlockQ5_1 {
  half_bits d, m;
  uint8_t high[4];
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockQ5_1) == 24, "");

// w[i] = d q[i].
struct BlockQ8_0 {
  half_bits d;
  int8_t q[32];
};
static_assert(sizeof(BlockQ8_0) == 34, "");

// w[16 s + i] = d scale[s] q - dmin minimum[s] for 16 sub-blocks s, scales in the low nibbles. Each
// half of the block is four runs of 32 weights over 32 bytes of pairs: run r has bits 2r and 2r + 1.
struct BlockQ2_K {
  uint8_t scales[16];
  uint8_t pairs[64];
  half_bits d, dmin;
};
static_assert(sizeof(BlockQ2_K) == 84, "");

// w[16 s + i] = d (scale[s] - 32) (q - 4) for 16 sub-blocks s. Bit r of high[i] belongs to weight i of
// run r of the block's eight; the other bits as in Q2_K. Scale s has its low four bits in byte s % 8,
// those of 8-15 in the high nibbles, and its top two in bits 2 (s / 4) of byte 8 + s % 4.
struct BlockQ3_K {
  uint8_t high[32];
  uint8_t pairs[64];
  uint8_t scales[12];
  half_bits d;
};
static_assert(sizeof(BlockQ3_K) == 110, "");

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

// w[i] = d value[q[i]], the values being kInt4Values; nibbles as in Q4_0.
struct BlockIQ4_NL {
  half_bits d;
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18, "");

// w[32 s + i] = d (scale[s] - 32) value[q] for 8 sub-blocks s; each 16 bytes of nibbles are those of
// a sub-block. Scale s has its low four bits in a nibble of low[s / 2], and its top two in bits
// 2 (s % 4) of high[s / 4].
struct BlockIQ4_XS {
  half_bits d;
  uint8_t high[2], low[4];
  uint8_t nibbles[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136, "");

// w[i] = 2^(exponent - 128) value[q[i]], the values being kFp4Values; nibbles as in Q4_0.
struct BlockMXFP4 {
  uint8_t exponent;
  uint8_t nibbles[16];
};
static_assert(sizeof(BlockMXFP4) == 17, "");

// w[16 s + i] = scale[s] value[q] / 2 for 4 sub-blocks s, the scales unsigned E4M3, of which 0x7F
// stands for 0. Each 8 bytes of nibbles are those of a sub-block, its first 8 weights the low ones.
struct BlockNVFP4 {
  uint8_t scales[4];
  uint8_t nibbles[32];
};
static_assert(sizeof(BlockNVFP4) == 36, "");

// w[i] = d (q[i] - 1), five quants in a byte: see engine/weights/dequant/ternary.py.
struct BlockTQ1_0 {
  uint8_t fives[48], fours[4];
  half_bits d;
};
static_assert(sizeof(BlockTQ1_0) == 54, "");

// w[i] = d (q[i] - 1); pairs as in Q2_K.
struct BlockTQ2_0 {
  uint8_t pairs[64];
  half_bits d;
};
static_assert(sizeof(BlockTQ2_0) == 66, "");

// The formats whose weights come in fours or eights out of a grid; engine/weights/dequant/grids.py
// says what their fields mean.
struct BlockIQ1_S {
  half_bits d;
  uint8_t indices[32];
  uint8_t words[8][2];
};
static_assert(sizeof(BlockIQ1_S) == 50, "");

struct BlockIQ1_M {
  uint8_t indices[32];
  uint8_t high[16];
  uint8_t words[4][2];
};
static_assert(sizeof(BlockIQ1_M) == 56, "");

struct BlockIQ2_XXS {
  half_bits d;
  struct {
    uint8_t indices[4], word[4];
  } parts[8];
};
static_assert(sizeof(BlockIQ2_XXS) == 66, "");

struct BlockIQ2_XS {
  half_bits d;
  uint8_t words[32][2];
  uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74, "");

struct BlockIQ2_S {
  half_bits d;
  uint8_t indices[32];
  uint8_t signs[32];
  uint8_t high[8];
  uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82, "");

struct BlockIQ3_XXS {
  half_bits d;
  uint8_t indices[64];
  uint8_t words[8][4];
};
static_assert(sizeof(BlockIQ3_XXS) == 98, "");

struct BlockIQ3_S {
  half_bits d;
  uint8_t indices[64];
  uint8_t high[8];
  uint8_t signs[32];
  uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110, "");

// What nibbles of IQ4 stand for, and those of FP4 (E2M1), the latter doubled.
constexpr int8_t kInt4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                    1,    13,   25,  38,  53,  69,  89,  113};
constexpr int8_t kFp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace paceline
