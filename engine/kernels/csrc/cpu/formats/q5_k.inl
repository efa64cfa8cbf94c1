// Q5_K: as Q4_K with a fifth bit. 5.5 bits a weight, as in the file.
//
// Header: that of Q4_K. Codes: 4 vectors of nibbles, then one of high bits: bit j of a byte is that
// of quad j.
#pragma once

#include "cpu/formats/bit_planes.inl"
#include "cpu/formats/q4_k.inl"

namespace paceline::PACELINE_VARIANT {

struct Q5_K {
  using Source = BlockQ5_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kHeaderBytes = kScaledHeaderBytes;
  static constexpr int kBlockBytes = 5 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      repack_scales(source.d, source.dmin, source.scales, row, group);
    }
    uint8_t* codes = group + kHeaderBytes;
    repack_nibbles(rows, codes, kBlockBytes);
    repack_high([&](int row) { return rows[row]->high; }, codes + 4 * kVectorBytes, kBlockBytes);
  }

  using Block = ScaledBlock;
  static constexpr int kCodeBits = 5;

  struct Group : ScaledGroup {
    const uint8_t* codes;

    explicit Group(const uint8_t* group)
        : ScaledGroup(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = codes + b * kBlockBytes;
      unpack_nibbles(p, block.codes);
      add_bits<4>(p + 4 * kVectorBytes, block.codes);
      factors(b, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
