#include "cpu/block_types.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "common/blocks.h"
#include "common/half.h"

namespace paceline {
namespace {

// Decode one block; each product and difference is rounded on its own, as in engine/weights/dequant.

void decode_block(const float& source, float* out) { *out = source; }

struct Half {
  uint16_t bits;
};
void decode_block(const Half& source, float* out) { *out = float_from_half(source.bits); }

struct Bfloat16 {
  uint16_t bits;
};
void decode_block(const Bfloat16& source, float* out) {
  *out = float_from_bits(uint32_t{source.bits} << 16);
}

void decode_block(const BlockQ4_0& source, float* out) {
  const float d = float_from_half(source.d);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((source.nibbles[i] & 0x0F) - 8) * d;
    out[i + 16] = static_cast<float>((source.nibbles[i] >> 4) - 8) * d;
  }
}

void decode_block(const BlockQ8_0& source, float* out) {
  const float d = float_from_half(source.d);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(source.q[i]) * d;
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

template <class Block, int columns>
void decode_blocks(const uint8_t* blocks, int64_t row_columns, float* out) {
  for (int64_t k = 0; k < row_columns; k += columns, blocks += sizeof(Block)) {
    Block block;  // a copy: a mapped file aligns nothing
    std::memcpy(&block, blocks, sizeof block);
    decode_block(block, out + k);
  }
}

template <class Block, int columns>
constexpr BlockType make_type(int ggml_type, Layout layout) {
  return {ggml_type, layout, columns, sizeof(Block), decode_blocks<Block, columns>};
}

// Type numbers: `ggml_type` in ggml's `ggml.h`.
constexpr BlockType kTypes[] = {
    make_type<float, 1>(0, Layout::f32),
    make_type<Half, 1>(1, Layout::f16),
    make_type<Bfloat16, 1>(30, Layout::bf16),
    make_type<BlockQ4_0, 32>(2, Layout::q4_0),
    make_type<BlockQ8_0, 32>(8, Layout::q8_0),
    make_type<BlockQ4_K, 256>(12, Layout::q4_k),
    make_type<BlockQ5_K, 256>(13, Layout::q5_k),
    make_type<BlockQ6_K, 256>(14, Layout::q6_k),
};

}  // namespace

const BlockType& block_type(int ggml_type, int64_t columns) {
  for (const BlockType& type : kTypes) {
    if (type.ggml_type != ggml_type) continue;
    if (columns % type.block_columns == 0) return type;
    throw std::invalid_argument("Rows of " + std::to_string(columns) +
                                " columns are no whole number of blocks.");
  }
  throw std::invalid_argument("There is no kernel for weights of GGUF type " +
                              std::to_string(ggml_type) + ".");
}

}  // namespace paceline
