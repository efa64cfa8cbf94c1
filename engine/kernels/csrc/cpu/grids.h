// The formats whose weights come in fours or eights out of a grid: IQ1, IQ2 and IQ3.
//
// Sixteen different values are all that a block of them holds, so that it can be spelt in nibbles.
#pragma once

#include <cstdint>

#include "common/blocks.h"

namespace paceline {

// w[16 s + i] = d scale[s] value[q]; each 16 bytes of nibbles are 32 columns, as in Q4_0.
struct GridBlock {
  float d;
  uint8_t scales[16];
  uint8_t nibbles[128];
  const int8_t (*values)[16];
};

// Give the grid of a format, once for the process: 16 values and `count` points, each of 4 or 8 codes
// below 8 that stand for the first eight values. The others are what a set sign makes of those.
//
// Throws std::invalid_argument for a format without a grid, and where `count` is not its size.
void set_grid(int ggml_type, const int8_t* values, int64_t count, const uint8_t* points);
// Whether that has been done, or need not be.
bool has_grid(int ggml_type);

// The weights are the same, bit for bit.
void convert(const BlockIQ1_S& source, GridBlock& block);
void convert(const BlockIQ1_M& source, GridBlock& block);
void convert(const BlockIQ2_XXS& source, GridBlock& block);
void convert(const BlockIQ2_XS& source, GridBlock& block);
void convert(const BlockIQ2_S& source, GridBlock& block);
void convert(const BlockIQ3_XXS& source, GridBlock& block);
void convert(const BlockIQ3_S& source, GridBlock& block);

void decode_block(const GridBlock& source, float* out);

}  // namespace paceline
