// What IQ1, IQ2 and IQ3 are repacked to: w = d scale value[q], scale for 16 columns, d for 256. 4.75
// bits a weight; the files have 1.56 to 3.44.
//
// Header: [16 rows] floats d, [16 half blocks][16] bytes scale, 16 codes of values, 48 bytes unused.
// Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"
#include "cpu/formats/iq4.inl"
#include "cpu/grids.h"

namespace paceline::PACELINE_VARIANT {

struct GridFormat {
  using Source = GridBlock;
  static constexpr int kSourceColumns = 256;
  static constexpr int kScalesAt = 4 * kTileRows;
  static constexpr int kCodesAt = kScalesAt + 2 * kGroupBlocks * kTileRows;
  static constexpr int kHeaderBytes = 6 * kVectorBytes;
  static constexpr int kBlockBytes = 4 * kVectorBytes;
  static_assert(kCodesAt + 16 <= kHeaderBytes);

  using Block = HalvedBlock;
  static constexpr int kCodeBits = 7;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      std::memcpy(group + 4 * row, &source.d, sizeof source.d);
      for (int s = 0; s < 16; ++s) group[kScalesAt + s * kTileRows + row] = source.scales[s];
    }
    const Codebook<kCodeBits> codebook(*rows[0]->values);
    std::memcpy(group + kCodesAt, codebook.codes, sizeof codebook.codes);
    for (int b = 0; b < kGroupBlocks; ++b) {
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return load_quads(rows[row]->nibbles + 16 * b); });
    }
  }

  struct Group {
    const uint8_t* header;
    u8x64 table;
    f32x16 d;

    explicit Group(const uint8_t* group)
        : header(group),
          table(load_table(group + kCodesAt)),
          d(load(reinterpret_cast<const float*>(group))) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      look_up_all(table, block.codes);
      PACELINE_UNROLL
      for (int h = 0; h < 2; ++h) {
        block.scale[h] = mul(d, to_float(load_u8(header + kScalesAt + (2 * b + h) * kTileRows)));
      }
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
