// What the layouts of repacked matrices have in common.
//
// A tile is 16 rows. Its columns follow in groups of 256 (the last may be shorter), each a header
// with the factors of the group, then for every 32 columns the codes. Codes are unsigned bytes; a
// vector of 64 bytes holds four columns (a quad) of 16 rows, so that lane l belongs to row l:
//
//   byte 4 l + c = column c of the quad, row l
//
// Nibbles pack two quads into a vector: quad i in the low and quad 4 + i in the high nibbles.
//
// A format is a struct with
//   Source, kSourceColumns        the file's block and how many columns it holds
//   kHeaderBytes, kBlockBytes     of a group, and of the codes of 32 columns
//   repack(rows, blocks, group)   writes a group from each row's blocks of it
//   Group(group)                  reads it; block(b, block) unpacks a block
//   Block, kCodeBits              what it unpacks to: see block_products.inl
#pragma once

#include "common/blocks.h"
#include "cpu/matrix.h"

namespace paceline::PACELINE_VARIANT {

constexpr int kVectorBytes = 4 * kTileRows;

// Write vectors 0 … 3 at `codes`, from the four quads of each row that `quads_of(row)` gives.
template <class QuadsOf>
PACELINE_INLINE void write_vectors(uint8_t* codes, QuadsOf quads_of) {
  for (int row = 0; row < kTileRows; row += 4) {
    store_transposed(codes, row,
                     {quads_of(row), quads_of(row + 1), quads_of(row + 2), quads_of(row + 3)});
  }
}

PACELINE_INLINE void write_half(uint8_t* halves, int index, half_bits half) {
  std::memcpy(halves + 2 * index, &half, sizeof half);
}

PACELINE_INLINE f32x16 read_halves(const uint8_t* halves) {
  return load_half(reinterpret_cast<const uint16_t*>(halves));
}

// The 8 quads of 32 columns from 4 vectors of nibbles.
PACELINE_INLINE void unpack_nibbles(const uint8_t* p, u8x64 (&codes)[8]) {
  const u8x64 nibble = splat_codes(0x0F);
  PACELINE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const u8x64 both = load_codes(p + i * kVectorBytes);
    codes[i] = and_(both, nibble);
    codes[4 + i] = and_(shift_bits<-4>(both), nibble);
  }
}

}  // namespace paceline::PACELINE_VARIANT
