// Q4_1: w = d q + m, both for 32 columns. 5 bits a weight, as in the file.
//
// Header: [8 blocks][16 rows] halves d, [8][16] halves -m. Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int kShiftedMinimaAt = kGroupBlocks * kTileRows * 2;
constexpr int kShiftedHeaderBytes = 2 * kShiftedMinimaAt;

// Block b of the header that Q4_1 and Q5_1 share.
template <class Source>
PACELINE_INLINE void repack_shifts(const Source* const (&rows)[kTileRows], int b, uint8_t* header) {
  for (int row = 0; row < kTileRows; ++row) {
    const Source& source = rows[row][b];
    write_half(header, b * kTileRows + row, source.d);
    const auto minus_m = static_cast<half_bits>(source.m ^ 0x8000);
    write_half(header + kShiftedMinimaAt, b * kTileRows + row, minus_m);
  }
}

PACELINE_INLINE void read_shifts(const uint8_t* header, int b, ScaledBlock& block) {
  block.scale = read_halves(header + b * kTileRows * 2);
  block.minimum = read_halves(header + kShiftedMinimaAt + b * kTileRows * 2);
}

struct Q4_1 {
  using Source = BlockQ4_1;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = kShiftedHeaderBytes;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      repack_shifts(rows, b, group);
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return load_quads(rows[row][b].nibbles); });
    }
  }

  using Block = ScaledBlock;
  static constexpr int kCodeBits = 4;

  struct Group {
    const uint8_t* header;

    explicit Group(const uint8_t* group) : header(group) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      read_shifts(header, b, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
