// Q4_K: w = d scale q - dmin minimum, scale and minimum for 32 columns, d and dmin for 256. 4.5 bits
// a weight, as in the file.
//
// Header: [16 rows] halves d, [16] halves dmin, then scales and minima of 6 bits in 3 vectors. Byte
// 16 (b % 4) + row of vector b / 4 has the low bits of block b's: the scale's in the low, the
// minimum's in the high nibble. That byte of the third vector has the top bits, two each: of scale
// and minimum b % 4, then of those 4 blocks behind. Codes: 4 vectors of nibbles.
#pragma once

#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int kNibblesAt = 2 * 2 * kTileRows;
constexpr int kTopBitsAt = kNibblesAt + 2 * kVectorBytes;
constexpr int kScaledHeaderBytes = kTopBitsAt + kVectorBytes;

// One row of the header that Q4_K and Q5_K share.
PACELINE_INLINE void repack_scales(half_bits d, half_bits dmin, const PackedScales& packed, int row,
                                   uint8_t* header) {
  write_half(header, row, d);
  write_half(header, kTileRows + row, dmin);
  for (int s = 0; s < 4; ++s) {
    const int scales = packed.bytes[s], minima = packed.bytes[4 + s];
    uint8_t* const nibbles = header + kNibblesAt + s * kTileRows + row;
    nibbles[0] = static_cast<uint8_t>((scales & 15) | (minima & 15) << 4);
    nibbles[kVectorBytes] = packed.bytes[8 + s];
    header[kTopBitsAt + s * kTileRows + row] = static_cast<uint8_t>(
        (scales >> 4 & 3) | (minima >> 4 & 3) << 2 | scales >> 6 << 4 | minima >> 6 << 6);
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
  alignas(64) uint8_t scales[kGroupBlocks * kTileRows];
  alignas(64) uint8_t minima[kGroupBlocks * kTileRows];
  f32x16 d, dmin;

  explicit ScaledGroup(const uint8_t* group)
      : d(read_halves(group)), dmin(read_halves(group + 2 * kTileRows)) {
    const u8x64 first = load_codes(group + kNibblesAt);
    const u8x64 second = load_codes(group + kNibblesAt + kVectorBytes);
    const u8x64 tops = load_codes(group + kTopBitsAt);
    const u8x64 low = splat_codes(0x0F), top = splat_codes(0x30);
    store_codes(scales, or_masked(and_(first, low), shift_bits<4>(tops), top));
    store_codes(minima, or_masked(and_(shift_bits<-4>(first), low), shift_bits<2>(tops), top));
    store_codes(scales + kVectorBytes, or_masked(and_(second, low), tops, top));
    store_codes(minima + kVectorBytes,
                or_masked(and_(shift_bits<-4>(second), low), shift_bits<-2>(tops), top));
  }

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
