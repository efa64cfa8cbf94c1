#include "cpu/matrix.h"

#include <algorithm>

#include "cpu/kernels.h"
#include "cpu/pool.h"

namespace paceline {

namespace {

// Decode the rows of a tile to float32.
void decode_tile(const Matrix& matrix, const void* blocks, int64_t expert, int64_t tile) {
  const BlockType& type = *matrix.type;
  const int64_t row_bytes = matrix.columns / type.block_columns * type.block_bytes;
  const int64_t first = expert * matrix.rows + tile * kTileRows;
  const int64_t end = std::min(first + kTileRows, (expert + 1) * matrix.rows);
  auto* out = reinterpret_cast<float*>(matrix.repacked);
  for (int64_t row = first; row < end; ++row) {
    type.decode(static_cast<const uint8_t*>(blocks) + row * row_bytes, matrix.columns,
                out + row * matrix.columns);
  }
}

}  // namespace

Matrix make_matrix(int ggml_type, int64_t experts, int64_t rows, int64_t columns, const void* data,
                   const Kernels& kernels, Pool& pool, Arena& arena) {
  const BlockType& type = block_type(ggml_type, columns);
  Matrix matrix{&type,
                type.layout,
                experts,
                rows,
                columns,
                (rows + kTileRows - 1) / kTileRows,
                kernels.tile_bytes(type.layout, columns),
                static_cast<const uint8_t*>(data),
                nullptr,
                nullptr};
  if (is_plain(type.layout) && !type.is_decoded) return matrix;
  matrix.repacked = arena.allocate(static_cast<size_t>(experts * matrix.tiles * matrix.tile_bytes));
  matrix.data = matrix.repacked;
  const auto repack = type.is_decoded ? decode_tile : kernels.repack;
  pool.run(experts * matrix.tiles, [&](int64_t task, int) {
    repack(matrix, data, task / matrix.tiles, task % matrix.tiles);
  });
  return matrix;
}

int64_t tiles_per_task(const Matrix& matrix, int threads) {
  constexpr int64_t cached_bytes = 256 << 10, tasks_per_thread = 8;
  const int64_t fair = matrix.tiles / (threads * tasks_per_thread);
  return std::max<int64_t>(std::min(fair, cached_bytes / matrix.tile_bytes), 1);
}

}  // namespace paceline
