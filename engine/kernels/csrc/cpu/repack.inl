// From the rows of a file to tiles.
#pragma once

#include "cpu/formats/fp4.inl"
#include "cpu/formats/grid.inl"
#include "cpu/formats/iq4.inl"
#include "cpu/formats/q2_k.inl"
#include "cpu/formats/q3_k.inl"
#include "cpu/formats/q4_0.inl"
#include "cpu/formats/q4_1.inl"
#include "cpu/formats/q4_k.inl"
#include "cpu/formats/q5_0.inl"
#include "cpu/formats/q5_k.inl"
#include "cpu/formats/q6_k.inl"
#include "cpu/formats/q8_0.inl"

namespace paceline::PACELINE_VARIANT {

constexpr int64_t kGroupColumns = kGroupBlocks * kBlockColumns;

template <class Format>
constexpr int64_t format_tile_bytes(int64_t columns) {
  const int64_t groups = (columns + kGroupColumns - 1) / kGroupColumns;
  return groups * Format::kHeaderBytes + columns / kBlockColumns * Format::kBlockBytes;
}

// The blocks of a matrix as they lie in the file, seen as what `Format` repacks.
template <class Format>
class Blocks {
 public:
  using Source = typename Format::Source;

  Blocks(const Matrix& matrix, const void* blocks)
      : type_(*matrix.type),
        blocks_(static_cast<const uint8_t*>(blocks)),
        row_blocks_(matrix.columns / Format::kSourceColumns) {}

  // Where a row has its blocks from `column` on. What is converted lasts until the next call for a
  // row of the same number in its tile.
  const Source* at(int64_t row, int64_t column) {
    const int64_t block = row * row_blocks_ + column / Format::kSourceColumns;
    if (!type_.convert) return reinterpret_cast<const Source*>(blocks_) + block;
    Source& converted = converted_[row % kTileRows];
    type_.convert(blocks_ + block * type_.block_bytes, &converted);
    return &converted;
  }

 private:
  const BlockType& type_;
  const uint8_t* blocks_;
  int64_t row_blocks_;
  Source converted_[kTileRows];
};

// Repack the tile `tile` of an expert; rows behind the last are zeros.
template <class Format>
void repack_as(const Matrix& matrix, const void* blocks, int64_t expert, int64_t tile) {
  using Source = typename Format::Source;
  static constexpr Source zeros[kGroupColumns / Format::kSourceColumns] = {};
  Blocks<Format> source(matrix, blocks);
  const int64_t first = expert * matrix.rows + tile * kTileRows;
  const int64_t rows = matrix.rows - tile * kTileRows;
  uint8_t* target = matrix.repacked + (expert * matrix.tiles + tile) * matrix.tile_bytes;
  for (int64_t column = 0; column < matrix.columns; column += kGroupColumns) {
    const Source* group[kTileRows];
    for (int row = 0; row < kTileRows; ++row) {
      group[row] = row < rows ? source.at(first + row, column) : zeros;
    }
    const int64_t left = (matrix.columns - column) / kBlockColumns;
    const int count = static_cast<int>(left < kGroupBlocks ? left : kGroupBlocks);
    Format::repack(group, count, target);
    target += Format::kHeaderBytes + count * Format::kBlockBytes;
  }
}

}  // namespace paceline::PACELINE_VARIANT
