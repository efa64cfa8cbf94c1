// The bits that a code has beside a nibble, or instead of one, in vectors of their own: single bits,
// 8 quads in a vector, and pairs of bits, 4 quads in one.
#pragma once

#include "cpu/formats/tiles.inl"

namespace paceline::PACELINE_VARIANT {

// The single bits of 256 columns, which K-quants keep in 32 bytes a row: bit b of byte i belongs to
// column i of block b. The vectors of blocks lie `block_bytes` apart; bit j of a byte is quad j's.
template <class BytesOf>
PACELINE_INLINE void repack_high(BytesOf bytes_of, uint8_t* bits, int block_bytes) {
  uint8_t quads[8 * kVectorBytes];
  for (int half = 0; half < 2; ++half) {
    write_vectors(quads + 4 * half * kVectorBytes,
                  [&](int row) { return load_quads(bytes_of(row) + 16 * half); });
  }
  for (int b = 0; b < kGroupBlocks; ++b) {
    u8x64 block = splat_codes(0);
    for (int j = 0; j < 8; ++j) {
      const u8x64 quad = load_codes(quads + j * kVectorBytes);
      const u8x64 mask = splat_codes(static_cast<uint8_t>(1 << j));
      block = or_masked(block, shift_bits_by(quad, j - b), mask);
    }
    store_codes(bits + b * block_bytes, block);
  }
}

// The pairs of bits of 128 columns, which K-quants keep in 32 bytes a row: bits 2r and 2r + 1 of byte
// i belong to column i of run r. Each run becomes a block's two vectors: bits 2m and 2m + 1 of vector
// h are those of quad 4 h + m.
template <class BytesOf>
PACELINE_INLINE void repack_pairs(BytesOf bytes_of, uint8_t* pairs, int block_bytes) {
  uint8_t quads[8 * kVectorBytes];
  for (int h = 0; h < 2; ++h) {
    write_vectors(quads + 4 * h * kVectorBytes,
                  [&](int row) { return load_quads(bytes_of(row) + 16 * h); });
  }
  for (int run = 0; run < 4; ++run) {
    for (int h = 0; h < 2; ++h) {
      u8x64 vector = splat_codes(0);
      for (int m = 0; m < 4; ++m) {
        const u8x64 quad = load_codes(quads + (4 * h + m) * kVectorBytes);
        const u8x64 mask = splat_codes(static_cast<uint8_t>(3 << 2 * m));
        vector = or_masked(vector, shift_bits_by(quad, 2 * (m - run)), mask);
      }
      store_codes(pairs + run * block_bytes + h * kVectorBytes, vector);
    }
  }
}

// Put single bits in place `at` of the codes of a block.
template <int at>
PACELINE_INLINE void add_bits(const uint8_t* bits, u8x64 (&codes)[8]) {
  const u8x64 all = load_codes(bits), mask = splat_codes(1 << at);
  codes[0] = or_masked(codes[0], shift_bits<at>(all), mask);
  codes[1] = or_masked(codes[1], shift_bits<at - 1>(all), mask);
  codes[2] = or_masked(codes[2], shift_bits<at - 2>(all), mask);
  codes[3] = or_masked(codes[3], shift_bits<at - 3>(all), mask);
  codes[4] = or_masked(codes[4], shift_bits<at - 4>(all), mask);
  codes[5] = or_masked(codes[5], shift_bits<at - 5>(all), mask);
  codes[6] = or_masked(codes[6], shift_bits<at - 6>(all), mask);
  codes[7] = or_masked(codes[7], shift_bits<at - 7>(all), mask);
}

// Put pairs of bits in the places `at` and `at` + 1 of the codes of a block.
template <int at>
PACELINE_INLINE void add_pairs(const uint8_t* pairs, u8x64 (&codes)[8]) {
  const u8x64 mask = splat_codes(3 << at);
  PACELINE_UNROLL
  for (int h = 0; h < 2; ++h) {
    const u8x64 all = load_codes(pairs + h * kVectorBytes);
    u8x64* quads = codes + 4 * h;
    quads[0] = or_masked(quads[0], shift_bits<at>(all), mask);
    quads[1] = or_masked(quads[1], shift_bits<at - 2>(all), mask);
    quads[2] = or_masked(quads[2], shift_bits<at - 4>(all), mask);
    quads[3] = or_masked(quads[3], shift_bits<at - 6>(all), mask);
  }
}

// Codes that are pairs of bits.
PACELINE_INLINE void unpack_pairs(const uint8_t* pairs, u8x64 (&codes)[8]) {
  const u8x64 mask = splat_codes(3);
  PACELINE_UNROLL
  for (int h = 0; h < 2; ++h) {
    const u8x64 all = load_codes(pairs + h * kVectorBytes);
    u8x64* quads = codes + 4 * h;
    quads[0] = and_(all, mask);
    quads[1] = and_(shift_bits<-2>(all), mask);
    quads[2] = and_(shift_bits<-4>(all), mask);
    quads[3] = and_(shift_bits<-6>(all), mask);
  }
}

}  // namespace paceline::PACELINE_VARIANT
