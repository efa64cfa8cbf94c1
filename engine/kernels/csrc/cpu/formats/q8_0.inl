// Q8_0: w = d q, d for 32 columns. 8.5 bits a weight, as in the file.
//
// Header: [8 blocks][16 rows] halves d. Codes: 8 vectors of q + 128.
#pragma once

#include "cpu/formats/tiles.inl"

namespace paceline::PACELINE_VARIANT {

struct Q8_0 {
  using Source = BlockQ8_0;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = kGroupBlocks * kTileRows * 2;
  static constexpr int kBlockBytes = 8 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      for (int row = 0; row < kTileRows; ++row) {
        write_half(group, b * kTileRows + row, rows[row][b].d);
      }
      uint8_t* codes = group + kHeaderBytes + b * kBlockBytes;
      for (int half = 0; half < 2; ++half) {
        write_vectors(codes + 4 * half * kVectorBytes, [&](int row) {
          return flip_top_bits(load_quads(rows[row][b].q + 16 * half));
        });
      }
    }
  }

  struct Block {
    u8x64 codes[8];
    f32x16 scale;
  };

  struct Group {
    const uint8_t *scales, *codes;

    explicit Group(const uint8_t* group)
        : scales(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      PACELINE_UNROLL
      for (int i = 0; i < 8; ++i) {
        block.codes[i] = load_codes(codes + b * kBlockBytes + i * kVectorBytes);
      }
      block.scale = read_halves(scales + b * kTileRows * 2);
    }
  };

  // products[r]: see tiles.inl. Row r has its codes at x + 32 r and its terms at terms[r].
  template <int rows>
  PACELINE_INLINE static void multiply(const Block& block, const int8_t* x, const BlockTerms* terms,
                                       f32x16 (&products)[rows]) {
    i32x16 dots[rows];
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) dots[r] = splat_int(terms[r].minus_sum);
    dot_signed(dots, block.codes, x, kBlockColumns);
    PACELINE_UNROLL
    for (int r = 0; r < rows; ++r) products[r] = mul(to_float(dots[r]), block.scale);
  }
};

}  // namespace paceline::PACELINE_VARIANT
