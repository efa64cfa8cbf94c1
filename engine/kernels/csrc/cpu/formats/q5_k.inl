// Q5_K: as Q4_K with a fifth bit. 5.625 bits a weight; the file has 5.5.
//
// Header: that of Q4_K. Codes: 4 vectors of nibbles, then one of high bits: bit j of a byte is that
// of quad j.
#pragma once

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
    repack_high(rows, codes + 4 * kVectorBytes);
  }

  // From bit b of quad j to bit j of block b.
  PACELINE_INLINE static void repack_high(const Source* const (&rows)[kTileRows], uint8_t* bits) {
    uint8_t quads[8 * kVectorBytes];
    for (int half = 0; half < 2; ++half) {
      write_vectors(quads + 4 * half * kVectorBytes,
                    [&](int row) { return load_quads(rows[row]->high + 16 * half); });
    }
    for (int b = 0; b < kGroupBlocks; ++b) {
      u8x64 block = splat_codes(0);
      for (int j = 0; j < 8; ++j) {
        const u8x64 quad = load_codes(quads + j * kVectorBytes);
        block = or_masked(block, shift_bits_by(quad, j - b), splat_codes(static_cast<uint8_t>(1 << j)));
      }
      store_codes(bits + b * kBlockBytes, block);
    }
  }

  using Block = ScaledBlock;

  struct Group : ScaledGroup {
    const uint8_t* codes;

    explicit Group(const uint8_t* group)
        : ScaledGroup(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = codes + b * kBlockBytes;
      unpack_nibbles(p, block.codes);
      const u8x64 high = load_codes(p + 4 * kVectorBytes);
      const u8x64 fifth = splat_codes(0x10);
      block.codes[0] = or_masked(block.codes[0], shift_bits<4>(high), fifth);
      block.codes[1] = or_masked(block.codes[1], shift_bits<3>(high), fifth);
      block.codes[2] = or_masked(block.codes[2], shift_bits<2>(high), fifth);
      block.codes[3] = or_masked(block.codes[3], shift_bits<1>(high), fifth);
      block.codes[4] = or_masked(block.codes[4], high, fifth);
      block.codes[5] = or_masked(block.codes[5], shift_bits<-1>(high), fifth);
      block.codes[6] = or_masked(block.codes[6], shift_bits<-2>(high), fifth);
      block.codes[7] = or_masked(block.codes[7], shift_bits<-3>(high), fifth);
      factors(b, block);
    }
  };

  // products[r]: see tiles.inl. Row r has its codes at x + 32 r and its terms at terms[r].
  template <int rows>
  PACELINE_INLINE static void multiply(const Block& block, const int8_t* x, const BlockTerms* terms,
                                       f32x16 (&products)[rows]) {
    multiply_scaled<5>(block, x, terms, products);
  }
};

}  // namespace paceline::PACELINE_VARIANT
