// Q2_K: w = d scale q - dmin minimum, scale and minimum for 16 columns, d and dmin for 256. 2.625
// bits a weight, as in the file.
//
// Header: [16 rows] halves d, [16] halves dmin, [16 half blocks][16] bytes, the scale in the low and
// the minimum in the high nibble. Codes: 2 vectors of bit pairs: bits 2m and 2m + 1 of vector h are
// quad 4 h + m.
#pragma once

#include "cpu/formats/bit_planes.inl"
#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

struct Q2_K {
  using Source = BlockQ2_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kFactorsAt = 2 * 2 * kTileRows;
  static constexpr int kHeaderBytes = 5 * kVectorBytes;
  static constexpr int kBlockBytes = 2 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      write_half(group, row, source.d);
      write_half(group, kTileRows + row, source.dmin);
      for (int s = 0; s < 16; ++s) group[kFactorsAt + s * kTileRows + row] = source.scales[s];
    }
    for (int half = 0; half < 2; ++half) {
      repack_pairs([&](int row) { return rows[row]->pairs + 32 * half; },
                   group + kHeaderBytes + 4 * half * kBlockBytes, kBlockBytes);
    }
  }

  using Block = HalvedScaledBlock;
  static constexpr int kCodeBits = 2;

  struct Group {
    const uint8_t* header;
    f32x16 d, dmin;  // dmin for minima that are still in the high nibble

    explicit Group(const uint8_t* group)
        : header(group),
          d(read_halves(group)),
          dmin(mul(read_halves(group + 2 * kTileRows), splat(1.0f / 16))) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_pairs(header + kHeaderBytes + b * kBlockBytes, block.codes);
      PACELINE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const i32x16 both = load_u8(header + kFactorsAt + (2 * b + h) * kTileRows);
        block.scale[h] = mul(d, to_float(and_(both, splat_int(0x0F))));
        block.minimum[h] = mul(dmin, to_float(and_(both, splat_int(0xF0))));
      }
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
