// Q5_0: w = d (q - 16), d for 32 columns, and Q5_1: w = d q + m. 5.5 and 6 bits a weight, as in the
// file.
//
// Header of Q5_0: [8 blocks][16 rows] halves d. Each block of Q5_1 begins as those of Q4_1. Codes: 4
// vectors of nibbles, then one of high bits: bit j of a byte is that of quad j.
#pragma once

#include "cpu/formats/bit_planes.inl"
#include "cpu/formats/block_products.inl"
#include "cpu/formats/q4_1.inl"

namespace paceline::PACELINE_VARIANT {

// Codes of a block: its nibbles, and 32 high bits in a row, bit i that of column i.
template <class Source>
PACELINE_INLINE void repack_five_bits(const Source* const (&rows)[kTileRows], int b,
                                      uint8_t* codes) {
  write_vectors(codes, [&](int row) { return load_quads(rows[row][b].nibbles); });
  for (int row = 0; row < kTileRows; ++row) {
    uint32_t quads = 0;
    for (int j = 0; j < 8; ++j) {
      const uint32_t four = rows[row][b].high[j / 2] >> 4 * (j % 2) & 15;
      quads |= (four * 0x00204081u & 0x01010101u) << j;  // bit c to byte c
    }
    std::memcpy(codes + 4 * kVectorBytes + 4 * row, &quads, sizeof quads);
  }
}

PACELINE_INLINE void unpack_five_bits(const uint8_t* p, u8x64 (&codes)[8]) {
  unpack_nibbles(p, codes);
  add_bits<4>(p + 4 * kVectorBytes, codes);
}

struct Q5_0 {
  using Source = BlockQ5_0;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = kGroupBlocks * kTileRows * 2;
  static constexpr int kBlockBytes = 5 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      for (int row = 0; row < kTileRows; ++row) {
        write_half(group, b * kTileRows + row, rows[row][b].d);
      }
      repack_five_bits(rows, b, group + kHeaderBytes + b * kBlockBytes);
    }
  }

  using Block = CentredBlock;
  static constexpr int kCodeBits = 5;

  struct Group {
    const uint8_t* header;

    explicit Group(const uint8_t* group) : header(group) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_five_bits(header + kHeaderBytes + b * kBlockBytes, block.codes);
      block.scale = read_halves(header + b * kTileRows * 2);
    }
  };
};

struct Q5_1 {
  using Source = BlockQ5_1;
  static constexpr int kSourceColumns = 32;
  static constexpr int kHeaderBytes = 0;
  static constexpr int kBlockBytes = kShiftsBytes + 5 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int blocks, uint8_t* group) {
    for (int b = 0; b < blocks; ++b) {
      uint8_t* const block = group + b * kBlockBytes;
      repack_shifts(rows, b, block);
      repack_five_bits(rows, b, block + kShiftsBytes);
    }
  }

  using Block = ScaledBlock;
  static constexpr int kCodeBits = 5;

  struct Group {
    const uint8_t* blocks;

    explicit Group(const uint8_t* group) : blocks(group) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = blocks + b * kBlockBytes;
      unpack_five_bits(p + kShiftsBytes, block.codes);
      read_shifts(p, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
