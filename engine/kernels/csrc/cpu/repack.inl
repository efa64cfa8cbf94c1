// From the rows of a file to tiles.
#pragma once

#include "cpu/formats/q4_0.inl"
#include "cpu/formats/q4_k.inl"
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

// Repack the tile of rows first … first + 15 of `source`; those from `rows` on are zeros.
template <class Format>
void repack_tile(const void* blocks, int64_t first, int64_t rows, int64_t columns, uint8_t* tile) {
  using Source = typename Format::Source;
  static constexpr Source zeros[kGroupColumns / Format::kSourceColumns] = {};
  const auto* source = static_cast<const Source*>(blocks);
  const int64_t row_blocks = columns / Format::kSourceColumns;
  for (int64_t column = 0; column < columns; column += kGroupColumns) {
    const Source* group[kTileRows];
    for (int row = 0; row < kTileRows; ++row) {
      const int64_t block = (first + row) * row_blocks + column / Format::kSourceColumns;
      group[row] = first + row < rows ? source + block : zeros;
    }
    const int64_t left = (columns - column) / kBlockColumns;
    const int count = static_cast<int>(left < kGroupBlocks ? left : kGroupBlocks);
    Format::repack(group, count, tile);
    tile += Format::kHeaderBytes + count * Format::kBlockBytes;
  }
}

template <class Format>
void repack_as(const Matrix& matrix, const void* blocks, int64_t expert, int64_t tile) {
  using Source = typename Format::Source;
  const int64_t row_blocks = matrix.columns / Format::kSourceColumns;
  const auto* source = static_cast<const Source*>(blocks) + expert * matrix.rows * row_blocks;
  uint8_t* target = matrix.repacked + (expert * matrix.tiles + tile) * matrix.tile_bytes;
  repack_tile<Format>(source, tile * kTileRows, matrix.rows, matrix.columns, target);
}

}  // namespace paceline::PACELINE_VARIANT
