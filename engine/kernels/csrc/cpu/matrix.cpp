#include "cpu/matrix.h"

#include <algorithm>

#include "cpu/kernels.h"
#include "cpu/pool.h"

namespace paceline {

Matrix make_matrix(int ggml_type, int64_t experts, int64_t rows, int64_t columns, const void* data,
                   const Kernels& kernels, Pool& pool, Arena& arena) {
  const Layout layout = block_type(ggml_type, columns).layout;
  Matrix matrix{layout,
                experts,
                rows,
                columns,
                (rows + kTileRows - 1) / kTileRows,
                kernels.tile_bytes(layout, columns),
                static_cast<const uint8_t*>(data),
                nullptr};
  if (is_plain(layout)) return matrix;
  matrix.repacked = arena.allocate(static_cast<size_t>(experts * matrix.tiles * matrix.tile_bytes));
  matrix.data = matrix.repacked;
  pool.run(experts * matrix.tiles, [&](int64_t task, int) {
    kernels.repack(matrix, data, task / matrix.tiles, task % matrix.tiles);
  });
  return matrix;
}

int64_t tiles_per_task(const Matrix& matrix, int threads) {
  constexpr int64_t cached_bytes = 256 << 10, tasks_per_thread = 8;
  const int64_t fair = matrix.tiles / (threads * tasks_per_thread);
  return std::max<int64_t>(std::min(fair, cached_bytes / matrix.tile_bytes), 1);
}

}  // namespace paceline
