// Blocks of 32 columns in registers, and what they give with some rows of activations:
//
//   products[r] = Σ w x[r] / (scale of x[r])
//
// Codes have `bits` bits. Row r has its own codes at x + 32 r and its terms at terms[r].
#pragma once

#include "cpu/formats/tiles.inl"

namespace paceline::PACELINE_VARIANT {

// w = scale (code - 2^(bits - 1))
struct CentredBlock {
  u8x64 codes[8];
  f32x16 scale;
};

template <int bits, int rows>
PACELINE_INLINE void multiply_block(const CentredBlock& block, const int8_t* x,
                                    const BlockTerms* terms, f32x16 (&products)[rows]) {
  i32x16 dots[rows];
  PACELINE_UNROLL
  for (int r = 0; r < rows; ++r) dots[r] = splat_int(terms[r].minus_sum);
  if constexpr (bits == 8) {
    dot_signed(dots, block.codes, x, kBlockColumns);
  } else {
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) dots[r] = shift_left<bits - 1>(dots[r]);
    dot<8, bits>(dots, block.codes, x, kBlockColumns);
  }
  PACELINE_UNROLL
  for (int r = 0; r < rows; ++r) products[r] = mul(to_float(dots[r]), block.scale);
}

// w = scale code - minimum
struct ScaledBlock {
  u8x64 codes[8];
  f32x16 scale, minimum;
};

template <int bits, int rows>
PACELINE_INLINE void multiply_block(const ScaledBlock& block, const int8_t* x,
                                    const BlockTerms* terms, f32x16 (&products)[rows]) {
  i32x16 dots[rows];
  PACELINE_UNROLL
  for (int r = 0; r < rows; ++r) dots[r] = splat_int(0);
  dot<8, bits>(dots, block.codes, x, kBlockColumns);
  PACELINE_UNROLL
  for (int r = 0; r < rows; ++r) {
    const f32x16 minus_sum = to_float(splat_int(terms[r].minus_sum));
    products[r] = fma(minus_sum, block.minimum, mul(to_float(dots[r]), block.scale));
  }
}

// w = scale (code - 2^(bits - 1)), a scale for each 16 columns
struct HalvedBlock {
  u8x64 codes[8];
  f32x16 scale[2];
};

template <int bits, int rows>
PACELINE_INLINE void multiply_block(const HalvedBlock& block, const int8_t* x,
                                    const BlockTerms* terms, f32x16 (&products)[rows]) {
  PACELINE_UNROLL
  for (int h = 0; h < 2; ++h) {
    i32x16 dots[rows];
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) {
      dots[r] = shift_left<bits - 1>(splat_int(terms[r].minus_half_sum[h]));
    }
    dot<4, bits>(dots, block.codes + 4 * h, x + 16 * h, kBlockColumns);
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const f32x16 product = to_float(dots[r]);
      products[r] =
          h == 0 ? mul(product, block.scale[0]) : fma(product, block.scale[1], products[r]);
    }
  }
}

// w = scale code - minimum, both for each 16 columns
struct HalvedScaledBlock {
  u8x64 codes[8];
  f32x16 scale[2], minimum[2];
};

template <int bits, int rows>
PACELINE_INLINE void multiply_block(const HalvedScaledBlock& block, const int8_t* x,
                                    const BlockTerms* terms, f32x16 (&products)[rows]) {
  PACELINE_UNROLL
  for (int h = 0; h < 2; ++h) {
    i32x16 dots[rows];
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) dots[r] = splat_int(0);
    dot<4, bits>(dots, block.codes + 4 * h, x + 16 * h, kBlockColumns);
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const f32x16 product = to_float(dots[r]);
      const f32x16 minus_sum = to_float(splat_int(terms[r].minus_half_sum[h]));
      products[r] =
          h == 0 ? mul(product, block.scale[0]) : fma(product, block.scale[1], products[r]);
      products[r] = fma(minus_sum, block.minimum[h], products[r]);
    }
  }
}

}  // namespace paceline::PACELINE_VARIANT
