// Q4_1: w = d q + m, both for 32 columns. 5 bits a weight, as in the file.
//
// Each block: [16 rows] halves d, [16] halves -m, then 4 vectors of nibbles. With these factors in a
// header of the group one row took twice as long, while no header was fetched ahead.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int kShiftsBytes = 2 * 2 * kTileRows;

// What blocks of Q4_1 and Q5_1 begin with.
template <class Source>
PACELINE_INLINE void repack_shifts(const Source* const (&rows)[kTileRows], int b, uint8_t* shifts) {
  for (int row = 0; row < kTileRows; ++row) {
    const Source& source = rows[row][b];
    write_half(shifts, row, source.d);
    const auto minus_m = static_cast<half_bits>(source.m ^ 0x8000);
    write_half(shifts, kTileRows + row, minus_m);
  }
}

PACELINE_INLINE void read_shifts(const uint8_t* shifts, ScaledBlock& block) {
  block.scale = read_halves(shifts);
  block.minimum = read_halves(shifts + 2 * kTileRows);
}

struct Q4_1 {
  using Source = BlockQ4_1;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = 0;
  static constexpr int kBlockBytes = kShiftsBytes + 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      uint8_t* const block = group + b * kBlockBytes;
      repack_shifts(rows, b, block);
      write_vectors(block + kShiftsBytes,
                    [&](int row) { return load_quads(rows[row][b].nibbles); });
    }
  }

  using Block = ScaledBlock;
  static constexpr int kCodeBits = 4;

  struct Group {
    const uint8_t* blocks;

    explicit Group(const uint8_t* group) : blocks(group) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = blocks + b * kBlockBytes;
      unpack_nibbles(p + kShiftsBytes, block.codes);
      read_shifts(p, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
