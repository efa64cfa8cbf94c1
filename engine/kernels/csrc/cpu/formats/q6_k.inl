// Q6_K: w = d scale (q - 32), scale for 16 columns, d for 256. 6.625 bits a weight; the file has
// 6.5625.
//
// Header: [16 rows] halves d, [16 half blocks][16] int8 scales, 32 bytes unused. Codes: 4 vectors of
// nibbles, then 2 of bit pairs: bits 2m and 2m + 1 of vector h are the upper two of quad 4 h + m.
#pragma once

#include "cpu/formats/tiles.inl"

namespace paceline::PACELINE_VARIANT {

struct Q6_K {
  using Source = BlockQ6_K;
  static constexpr int kSourceColumns = 256;
  static constexpr int kHalfScalesAt = 2 * kTileRows;
  static constexpr int kHeaderBytes = 5 * kVectorBytes;
  static constexpr int kBlockBytes = 6 * kVectorBytes;

  static void repack(const Source* const (&rows)[kTileRows], int /*blocks*/, uint8_t* group) {
    for (int row = 0; row < kTileRows; ++row) {
      const Source& source = *rows[row];
      write_half(group, row, source.d);
      for (int s = 0; s < 16; ++s) {
        group[kHalfScalesAt + s * kTileRows + row] = static_cast<uint8_t>(source.scales[s]);
      }
    }
    for (int half = 0; half < 2; ++half) {
      uint8_t* codes = group + kHeaderBytes + 4 * half * kBlockBytes;
      repack_nibbles(rows, half, codes);
      repack_pairs(rows, half, codes + 4 * kVectorBytes);
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

  // From bits 2r of quad 4 h + m to bits 2m of vector h of run r.
  PACELINE_INLINE static void repack_pairs(const Source* const (&rows)[kTileRows], int half,
                                           uint8_t* pairs) {
    uint8_t quads[8 * kVectorBytes];
    for (int h = 0; h < 2; ++h) {
      write_vectors(quads + 4 * h * kVectorBytes,
                    [&](int row) { return load_quads(rows[row]->pairs + 32 * half + 16 * h); });
    }
    for (int run = 0; run < 4; ++run) {
      for (int h = 0; h < 2; ++h) {
        u8x64 vector = splat_codes(0);
        for (int m = 0; m < 4; ++m) {
          const u8x64 quad = load_codes(quads + (4 * h + m) * kVectorBytes);
          const u8x64 mask = splat_codes(static_cast<uint8_t>(3 << 2 * m));
          vector = or_masked(vector, shift_bits_by(quad, 2 * (m - run)), mask);
        }
        store_codes(pairs + run * kBlockBytes + h * kVectorBytes, vector);
      }
    }
  }

  struct Block {
    u8x64 codes[8];
    f32x16 scale[2];
  };

  struct Group {
    const uint8_t* codes;
    const int8_t* scales;
    f32x16 d;

    explicit Group(const uint8_t* group)
        : codes(group + kHeaderBytes),
          scales(reinterpret_cast<const int8_t*>(group) + kHalfScalesAt),
          d(read_halves(group)) {}

    PACELINE_INLINE void block(int b, Block& block) const {
      const uint8_t* p = codes + b * kBlockBytes;
      unpack_nibbles(p, block.codes);
      const u8x64 upper = splat_codes(0x30);
      PACELINE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const u8x64 pairs = load_codes(p + (4 + h) * kVectorBytes);
        u8x64* quads = block.codes + 4 * h;
        quads[0] = or_masked(quads[0], shift_bits<4>(pairs), upper);
        quads[1] = or_masked(quads[1], shift_bits<2>(pairs), upper);
        quads[2] = or_masked(quads[2], pairs, upper);
        quads[3] = or_masked(quads[3], shift_bits<-2>(pairs), upper);
        const i32x16 scale = load_i8(scales + (2 * b + h) * kTileRows);
        block.scale[h] = mul(d, to_float(scale));
      }
    }
  };

  // products[r]: see tiles.inl. Row r has its codes at x + 32 r and its terms at terms[r].
  template <int rows>
  PACELINE_INLINE static void multiply(const Block& block, const int8_t* x, const BlockTerms* terms,
                                       f32x16 (&products)[rows]) {
    PACELINE_UNROLL
    for (int h = 0; h < 2; ++h) {
      i32x16 dots[rows];
      PACELINE_UNROLL
      for (int r = 0; r < rows; ++r) {
        dots[r] = shift_left<5>(splat_int(terms[r].minus_half_sum[h]));
      }
      dot<4, 6>(dots, block.codes + 4 * h, x + 16 * h, kBlockColumns);
      PACELINE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const f32x16 product = to_float(dots[r]);
        products[r] = h == 0 ? mul(product, block.scale[0])
                             : fma(product, block.scale[1], products[r]);
      }
    }
  }
};

}  // namespace paceline::PACELINE_VARIANT
