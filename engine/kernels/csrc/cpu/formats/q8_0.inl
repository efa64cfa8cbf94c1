// Q8_0: w = d q, d for 32 columns. 8.5 bits a weight, as in the file.
//
// Header: [8 blocks][16 rows] halves d. Codes: 8 vectors of q + 128.
#pragma once

#include "cpu/formats/block_products.inl"

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

  using Block = CentredBlock;
  static constexpr int kCodeBits = 8;

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
};

}  // namespace paceline::PACELINE_VARIANT
