// Q4_0: w = d (q - 8), d for 32 columns. 4.5 bits a weight, as in the file.
//
// Header: [8 blocks][16 rows] halves d. Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

struct Q4_0 {
  using Source = BlockQ4_0;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = kGroupBlocks * kTileRows * 2;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      for (int row = 0; row < kTileRows; ++row) {
        write_half(group, b * kTileRows + row, rows[row][b].d);
      }
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return load_quads(rows[row][b].nibbles); });
    }
  }

  using Block = CentredBlock;
  static constexpr int kCodeBits = 4;

  struct Group {
    const uint8_t *scales, *codes;

    explicit Group(const uint8_t* group)
        : scales(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(codes + b * kBlockBytes, block.codes);
      block.scale = read_halves(scales + b * kTileRows * 2);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
