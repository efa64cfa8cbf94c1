#include "cpu/block_types.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "common/half.h"
#include "cpu/block_decode.h"
#include "cpu/grids.h"
#include "cpu/ternary.h"

namespace paceline {
namespace {

template <class Number>
void decode_block(const Number& source, float* out) {
  *out = static_cast<float>(source);
}

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

// A copy: a mapped file aligns nothing.
template <class Block>
Block read_block(const uint8_t* bytes) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  return block;
}

template <class Block, int columns>
void decode_blocks(const uint8_t* blocks, int64_t row_columns, float* out) {
  for (int64_t k = 0; k < row_columns; k += columns, blocks += sizeof(Block)) {
    decode_block(read_block<Block>(blocks), out + k);
  }
}

template <class Block, class Source>
void convert_block(const uint8_t* block, void* source) {
  convert(read_block<Block>(block), *static_cast<Source*>(source));
}

template <class Block, class Source>
void decode_converted(const uint8_t* blocks, int64_t row_columns, float* out) {
  Source source;
  for (int64_t k = 0; k < row_columns; k += 256, blocks += sizeof(Block)) {
    convert_block<Block, Source>(blocks, &source);
    decode_block(source, out + k);
  }
}

template <class Block, int columns>
constexpr BlockType own(int ggml_type, Layout layout) {
  return {ggml_type, layout, columns, sizeof(Block), decode_blocks<Block, columns>};
}

// A type whose blocks of 256 become those of another, `Source`.
template <class Block, class Source>
constexpr BlockType converted(int ggml_type, Layout layout) {
  return {ggml_type, layout, 256, sizeof(Block), decode_converted<Block, Source>,
          convert_block<Block, Source>};
}

template <class Number>
constexpr BlockType decoded(int ggml_type) {
  return {ggml_type, Layout::f32, 1, sizeof(Number), decode_blocks<Number, 1>, nullptr, true};
}

// Type numbers: `ggml_type` in ggml's `ggml.h`.
constexpr BlockType kTypes[] = {
    own<float, 1>(0, Layout::f32),
    own<Half, 1>(1, Layout::f16),
    own<Bfloat16, 1>(30, Layout::bf16),
    decoded<double>(28),
    decoded<int8_t>(24),
    decoded<int16_t>(25),
    decoded<int32_t>(26),
    decoded<int64_t>(27),
    own<BlockQ4_0, 32>(2, Layout::q4_0),
    own<BlockQ4_1, 32>(3, Layout::q4_1),
    own<BlockQ5_0, 32>(6, Layout::q5_0),
    own<BlockQ5_1, 32>(7, Layout::q5_1),
    own<BlockQ8_0, 32>(8, Layout::q8_0),
    own<BlockQ2_K, 256>(10, Layout::q2_k),
    own<BlockQ3_K, 256>(11, Layout::q3_k),
    own<BlockQ4_K, 256>(12, Layout::q4_k),
    own<BlockQ5_K, 256>(13, Layout::q5_k),
    own<BlockQ6_K, 256>(14, Layout::q6_k),
    own<BlockIQ4_NL, 32>(20, Layout::iq4_nl),
    own<BlockIQ4_XS, 256>(23, Layout::iq4_xs),
    own<BlockMXFP4, 32>(39, Layout::mxfp4),
    own<BlockNVFP4, 64>(40, Layout::nvfp4),
    converted<BlockTQ1_0, BlockQ2_K>(34, Layout::q2_k),
    converted<BlockTQ2_0, BlockQ2_K>(35, Layout::q2_k),
    converted<BlockIQ1_S, GridBlock>(19, Layout::grid),
    converted<BlockIQ1_M, GridBlock>(29, Layout::grid),
    converted<BlockIQ2_XXS, GridBlock>(16, Layout::grid),
    converted<BlockIQ2_XS, GridBlock>(17, Layout::grid),
    converted<BlockIQ2_S, GridBlock>(22, Layout::grid),
    converted<BlockIQ3_XXS, GridBlock>(18, Layout::grid),
    converted<BlockIQ3_S, GridBlock>(21, Layout::grid),
};

}  // namespace

const BlockType& block_type(int ggml_type, int64_t columns) {
  for (const BlockType& type : kTypes) {
    if (type.ggml_type != ggml_type || !has_grid(ggml_type)) continue;
    if (columns % type.block_columns == 0) return type;
    throw std::invalid_argument("Rows of " + std::to_string(columns) +
                                " columns are no whole number of blocks.");
  }
  throw std::invalid_argument("There is no kernel for weights of GGUF type " +
                              std::to_string(ggml_type) + ".");
}

}  // namespace paceline
