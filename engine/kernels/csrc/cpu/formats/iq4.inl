// IQ4_NL: w = d value[q], d for 32 columns, and IQ4_XS: w = d scale value[q], scale for 32 columns and
// d for 256. 4.5 bits a weight, as in the file, and 4.3125; that file has 4.25, as it packs scales
// in 6 bits.
//
// Header of IQ4_NL: [8 blocks][16 rows] halves d. Of IQ4_XS: [16] halves d, [8 blocks][16] int8
// scales. Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

// What nibbles stand for, as codes of so many bits.
template <int bits>
struct Codebook {
  alignas(16) uint8_t codes[16];

  explicit constexpr Codebook(const int8_t (&values)[16]) : codes() {
    for (int i = 0; i < 16; ++i) codes[i] = static_cast<uint8_t>(values[i] + (1 << (bits - 1)));
  }
};

// Turn nibbles into codes.
PACELINE_INLINE void look_up_all(u8x64 table, u8x64 (&codes)[8]) {
  PACELINE_UNROLL
  for (int i = 0; i < 8; ++i) codes[i] = look_up(table, codes[i]);
}

inline constexpr Codebook<8> kInt4Codes(kInt4Values);

struct IQ4_NL {
  using Source = BlockIQ4_NL;
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
  static constexpr int kCodeBits = 8;

  struct Group {
    const uint8_t* header;
    u8x64 table;

    explicit Group(const uint8_t* group) : header(group), table(load_table(kInt4Codes.codes)) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      look_up_all(table, block.codes);
      block.scale = read_halves(header + b * kTileRows * 2);
    }
  };
};

struct IQ4_XS {
  using Source = BlockIQ4_XS;
  static constexpr int kSourceColumns = 256;
  static constexpr int kScalesAt = 2 * kTileRows;
  static constexpr int kHeaderBytes = kScalesAt + kGroupBlocks * kTileRows;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      write_half(group, row, source.d);
      for (int s = 0; s < kGroupBlocks; ++s) {
        const int low = source.low[s / 2] >> 4 * (s % 2) & 15;
        const int top = source.high[s / 4] >> 2 * (s % 4) & 3;
        group[kScalesAt + s * kTileRows + row] = static_cast<uint8_t>((low | top << 4) - 32);
      }
    }
    for (int b = 0; b < kGroupBlocks; ++b) {
      write_vectors(group + kHeaderBytes + b * kBlockBytes,
                    [&](int row) { return load_quads(rows[row]->nibbles + 16 * b); });
    }
  }

  using Block = CentredBlock;
  static constexpr int kCodeBits = 8;

  struct Group {
    const uint8_t* header;
    u8x64 table;
    f32x16 d;

    explicit Group(const uint8_t* group)
        : header(group), table(load_table(kInt4Codes.codes)), d(read_halves(group)) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(header + kHeaderBytes + b * kBlockBytes, block.codes);
      look_up_all(table, block.codes);
      const auto* scales = reinterpret_cast<const int8_t*>(header) + kScalesAt;
      block.scale = mul(d, to_float(load_i8(scales + b * kTileRows)));
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
