// Q3_K: w = d scale (q - 4), scale for 16 columns, d for 256. 3.5625 bits a weight; the file has
// 3.4375, as it packs scales in 6 bits.
//
// Header: that of Q6_K. Codes: 2 vectors of bit pairs as in Q2_K, then one of high bits as in Q5_0.
#pragma once

#include "cpu/formats/bit_planes.inl"
#include "cpu/formats/q6_k.inl"

namespace paceline::PACELINE_VARIANT {

struct Q3_K {
  using Source = BlockQ3_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kHeaderBytes = kHalvedHeaderBytes;
  static constexpr int kBlockBytes = 3 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      int8_t scales[16];
      for (int s = 0; s < 16; ++s) {
        const int low = source.scales[s % 8] >> 4 * (s / 8) & 15;
        const int top = source.scales[8 + s % 4] >> 2 * (s / 4) & 3;
        scales[s] = static_cast<int8_t>((low | top << 4) - 32);
      }
      repack_half_scales(source.d, scales, row, group);
    }
    uint8_t* codes = group + kHeaderBytes;
    for (int half = 0; half < 2; ++half) {
      repack_pairs([&](int row) { return rows[row]->pairs + 32 * half; },
                   codes + 4 * half * kBlockBytes, kBlockBytes);
    }
    repack_high([&](int row) { return rows[row]->high; }, codes + 2 * kVectorBytes, kBlockBytes);
  }

  using Block = HalvedBlock;
  static constexpr int kCodeBits = 3;

  struct Group : HalvedGroup {
    const uint8_t* codes;

    explicit Group(const uint8_t* group) : HalvedGroup(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = codes + b * kBlockBytes;
      unpack_pairs(p, block.codes);
      add_bits<2>(p + 2 * kVectorBytes, block.codes);
      factors(b, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
