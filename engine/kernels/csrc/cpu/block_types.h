// The table of formats: one row for each type of block that a file may hold.
#pragma once

#include <cstdint>

namespace paceline {

// What a product reads; each has a kernel of its own, those of blocks in formats/.
enum class Layout : uint8_t {
  f32, f16, bf16,
  q4_0, q4_1, q5_0, q5_1, q8_0,
  q2_k, q3_k, q4_k, q5_k, q6_k,
  iq4_nl, iq4_xs, mxfp4, nvfp4, grid,
};

constexpr bool is_plain(Layout layout) { return layout <= Layout::bf16; }

struct BlockType {
  int ggml_type;
  Layout layout;  // what matrices of this type are repacked to
  int block_columns, block_bytes;
  // Decode a row of `columns` columns to float32.
  void (*decode)(const uint8_t* blocks, int64_t columns, float* out);
  // Turn a block into one that the layout's repacking reads, without loss; null where it is one.
  void (*convert)(const uint8_t* block, void* source) = nullptr;
  // For numbers that products do not read as they lie: matrices are decoded, to the layout f32.
  bool is_decoded = false;
};

// The row of a type whose blocks are to fill rows of `columns`.
//
// Throws std::invalid_argument when there is none, or they do not.
const BlockType& block_type(int ggml_type, int64_t columns);

}  // namespace paceline
