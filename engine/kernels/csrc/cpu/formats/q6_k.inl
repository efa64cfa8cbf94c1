// Q6_K: w = d scale (q - 32), scale for 16 columns, d for 256. 6.5625 bits a weight, as in the file.
//
// Header: [16 rows] halves d, [16 half blocks][16] int8 scales. Codes: 4 vectors of nibbles, then 2 of
// bit pairs: bits 2m and 2m + 1 of vector h are the upper two of quad 4 h + m.
#pragma once

#include "cpu/formats/bit_planes.inl"
#include "cpu/formats/block_products.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int kHalfScalesAt = 2 * kTileRows;
constexpr int kHalvedHeaderBytes = kHalfScalesAt + 2 * kGroupBlocks * kTileRows;

// One row of the header that Q3_K and Q6_K share.
PACELINE_INLINE void repack_half_scales(half_bits d, const int8_t* scales, int row,
                                        uint8_t* header) {
  write_half(header, row, d);
  for (int s = 0; s < 16; ++s) {
    header[kHalfScalesAt + s * kTileRows + row] = static_cast<uint8_t>(scales[s]);
  }
}

// Reads the shared header; formats add their codes.
struct HalvedGroup {
  const int8_t* scales;
  f32x16 d;

  explicit HalvedGroup(const uint8_t* group)
      : scales(reinterpret_cast<const int8_t*>(group) + kHalfScalesAt), d(read_halves(group)) {}

  PACELINE_INLINE void factors(int b, HalvedBlock& block) const {
    PACELINE_UNROLL
    for (int h = 0; h < 2; ++h) {
      block.scale[h] = mul(d, to_float(load_i8(scales + (2 * b + h) * kTileRows)));
    }
  }
};

struct Q6_K {
  using Source = BlockQ6_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kHeaderBytes = kHalvedHeaderBytes;
  static constexpr int kBlockBytes = 6 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      repack_half_scales(rows[row]->d, rows[row]->scales, row, group);
    }
    for (int half = 0; half < 2; ++half) {
      uint8_t* codes = group + kHeaderBytes + 4 * half * kBlockBytes;
      repack_nibbles(rows, half, codes);
      repack_pairs([&](int row) { return rows[row]->pairs + 32 * half; }, codes + 4 * kVectorBytes,
                   kBlockBytes);
    }
  }

  // The runs that blocks.h describes become blocks.
  PACELINE_INLINE static void repack_nibbles(const Source* const (&rows)[kTileRows], int half,
                                             uint8_t* codes) {
    for (int first = 0; first < 2; ++first) {
      const auto part = [&](int row, int p) {
        return load_quads(rows[row]->nibbles + 64 * half + 32 * first + 16 * p);
      };
      write_vectors(codes + first * kBlockBytes, [&](int row) {
        return merge(part(row, 0), shift_bits<4>(part(row, 1)), 0x0F);
      });
      write_vectors(codes + (first + 2) * kBlockBytes, [&](int row) {
        return merge(shift_bits<-4>(part(row, 0)), part(row, 1), 0x0F);
      });
    }
  }

  using Block = HalvedBlock;
  static constexpr int kCodeBits = 6;

  struct Group : HalvedGroup {
    const uint8_t* codes;

    explicit Group(const uint8_t* group) : HalvedGroup(group), codes(group + kHeaderBytes) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = codes + b * kBlockBytes;
      unpack_nibbles(p, block.codes);
      add_pairs<4>(p + 4 * kVectorBytes, block.codes);
      factors(b, block);
    }
  };
};

}  // namespace paceline::PACELINE_VARIANT
