// MXFP4: w = 2^(e - 128) value[q], e for 32 columns, and NVFP4: w = scale value[q] / 2, scale for 16
// columns in E4M3. 4.25 and 4.5 bits a weight, as in the files.
//
// Header of MXFP4: [8 blocks][16 rows] bytes e. Of NVFP4: [16 half blocks][16] bytes scale. Codes: 4
// vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"
#include "cpu/formats/iq4.inl"

namespace paceline::PACELINE_VARIANT {

inline constexpr Codebook<5> kFp4Codes(kFp4Values);

struct MXFP4 {
  using Source = BlockMXFP4;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = kGroupBlocks * kTileRows;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      for (int row = 0; row < kTileRows; ++row) group[b * kTileRows + row] = rows[row][b].exponent;
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return load_quads(rows[row][b].nibbles); });
    }
  }

  using Block = CentredBlock;
  static constexpr int kCodeBits = 5;

  struct Group {
    const uint8_t* header;
    u8x64 table;

    explicit Group(const uint8_t* group) : header(group), table(load_table(kFp4Codes.codes)) {}

    // As the exponent of a float, e is 127 too large; 0 then stands for 0 rather than 2^-128, and
    // 255, which the format has for what is no number, for infinity.
    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      look_up_all(table, block.codes);
      const i32x16 exponent = load_u8(header + b * kTileRows);
      block.scale = mul(as_float(shift_left<23>(exponent)), splat(0.5f));
    }
  };
};

struct NVFP4 {
  using Source = BlockNVFP4;
  static constexpr int kSourceColumns = 64;
  static constexpr int kHeaderBytes = 2 * kGroupBlocks * kTileRows;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      for (int s = 0; s < 2 * blocks; ++s) {
        const uint8_t scale = rows[row][s / 4].scales[s % 4];
        group[s * kTileRows + row] = scale == 0x7F ? 0 : scale & 0x7F;
      }
    }
    for (int b = 0; b < blocks; ++b) {
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return quads_of(rows[row][b / 2].nibbles + 16 * (b % 2)); });
    }
  }

  // From the nibbles of two runs of 16 columns, columns 8-15 in the high ones, to those of one of 32.
  PACELINE_INLINE static Quads quads_of(const uint8_t* nibbles) {
    constexpr uint64_t low = 0x0F0F0F0F0F0F0F0F;
    uint64_t first, second;
    std::memcpy(&first, nibbles, sizeof first);
    std::memcpy(&second, nibbles + 8, sizeof second);
    const uint64_t packed[2] = {(first & low) | (second & low) << 4,
                                (first >> 4 & low) | (second & ~low)};
    return load_quads(packed);
  }

  using Block = HalvedBlock;
  static constexpr int kCodeBits = 5;

  struct Group {
    const uint8_t* header;
    u8x64 table;

    explicit Group(const uint8_t* group) : header(group), table(load_table(kFp4Codes.codes)) {}

    // E4M3 is the lower part of a float whose exponent counts from 127 rather than 7.
    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      look_up_all(table, block.codes);
      PACELINE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const i32x16 scale = load_u8(header + (2 * b + h) * kTileRows);
        block.scale[h] = mul(as_float(shift_left<20>(scale)), splat(0x1p119f));
      }
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
