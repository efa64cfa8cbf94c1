// Q4_K: w = d scale q - dmin minimum, scale and minimum for 32 columns, d and dmin for 256.
// 4.625 bits a weight; the file has 4.5, as it packs scales and minima in 6 bits.
//
// Header: [16 rows] halves d, [16] halves dmin, [8 blocks][16] bytes scale, [8][16] bytes minimum.
// Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int kScalesAt = 2 * 2 * kTileRows;
constexpr int kMinimaAt = kScalesAt + kGroupBlocks * kTileRows;
constexpr int kScaledHeaderBytes = kMinimaAt + kGroupBlocks * kTileRows;

// One row of the header that Q4_K and Q5_K share.
PACELINE_INLINE void repack_scales(half_bits d, half_bits dmin, const PackedScales& packed, int row,
                                   uint8_t* header) {
  write_half(header, row, d);
  write_half(header, kTileRows + row, dmin);
  const uint8_t* bytes = packed.bytes;
  uint8_t* scales = header + kScalesAt + row;
  uint8_t* minima = header + kMinimaAt + row;
  for (int s = 0; s < 4; ++s) {
    const uint8_t first = bytes[s], second = bytes[4 + s], third = bytes[8 + s];
    scales[s * kTileRows] = first & 0x3F;
    minima[s * kTileRows] = second & 0x3F;
    scales[(4 + s) * kTileRows] = static_cast<uint8_t>((third & 0x0F) | (first >> 6) << 4);
    minima[(4 + s) * kTileRows] = static_cast<uint8_t>(third >> 4 | (second >> 6) << 4);
  }
}

// The nibbles of 256 columns of each row, from pairs of blocks in the nibbles of 32 bytes to quads i
// and 4 + i of one block in those of 4. Blocks of the group lie `block_bytes` apart.
template <class Source>
PACELINE_INLINE void repack_nibbles(const Source* const (&rows)[kTileRows], uint8_t* codes,
                                    int block_bytes) {
  for (int pair = 0; pair < 4; ++pair) {
    uint8_t* even = codes + 2 * pair * block_bytes;
    const auto half = [&](int row, int h) {
      return load_quads(rows[row]->nibbles + 32 * pair + 16 * h);
    };
    write_vectors(even, [&](int row) {
      return merge(half(row, 0), shift_bits<4>(half(row, 1)), 0x0F);
    });
    write_vectors(even + block_bytes, [&](int row) {
      return merge(shift_bits<-4>(half(row, 0)), half(row, 1), 0x0F);
    });
  }
}

// Reads the shared header; formats add their codes.
struct ScaledGroup {
  const uint8_t *scales, *minima;
  f32x16 d, dmin;

  explicit ScaledGroup(const uint8_t* group)
      : scales(group + kScalesAt),
        minima(group + kMinimaAt),
        d(read_halves(group)),
        dmin(read_halves(group + 2 * kTileRows)) {}

  PACELINE_INLINE void factors(int b, ScaledBlock& block) const {
    block.scale = mul(d, to_float(load_u8(scales + b * kTileRows)));
    block.minimum = mul(dmin, to_float(load_u8(minima + b * kTileRows)));
  }
};

struct Q4_K {
  using Source = BlockQ4_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kHeaderBytes = kScaledHeaderBytes;
  static constexpr int kBlockBytes = 4 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      repack_scales(source.d, source.dmin, source.scales, row, group);
    }
    repack_nibbles(rows, group + kHeaderBytes, kBlockBytes);
  }

  using Block = ScaledBlock;
  static constexpr int kCodeBits = 4;

  struct Group : ScaledGroup {
    const uint8_t* codes;

    explicit Group(const uint8_t* group)
        : ScaledGroup(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      unpack_nibbles(codes + b * kBlockBytes, block.codes);
      factors(b, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
