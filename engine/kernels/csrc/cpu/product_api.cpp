// Products alone, for tests and benchmarks; models run whole programs through api.h.
#include <memory>
#include <span>

#include "cpu/activations.h"
#include "cpu/dispatch.h"
#include "cpu/export.h"
#include "cpu/kernels.h"
#include "cpu/matrix.h"
#include "cpu/pool.h"

namespace paceline {
namespace {

struct LoneProduct {
  LoneProduct(const char* isa, int threads) : kernels(choose_kernels(isa)), pool(threads) {}

  const Kernels& kernels;
  Pool pool;
  Arena arena;
  Matrix matrix;
  ActivationStore activations;

  void quantise() {
    const Activations& source = activations.view();
    if (is_plain(matrix.layout)) return;
    pool.run(source.rows, [&](int64_t row, int) { kernels.quantise(source, row, row + 1); });
  }

  void multiply(const Product& product) {
    const int64_t step = tiles_per_task(matrix, pool.threads());
    pool.run((matrix.tiles + step - 1) / step, [&](int64_t task, int) {
      const int64_t first = task * step, end = first + step;
      kernels.multiply(product, first, end < matrix.tiles ? end : matrix.tiles);
    });
  }
};

}  // namespace
}  // namespace paceline

using paceline::guarded;
using paceline::LoneProduct;

// A matrix `[experts, rows, columns]` in blocks of a GGUF type, with threads of its own; null on
// failure. Plain floats in `data` must outlive it.
PACELINE_EXPORT void* paceline_product_new(const char* isa, int threads, int ggml_type,
                                           int64_t experts, int64_t rows, int64_t columns,
                                           const void* data) {
  return guarded<void*>(nullptr, [&] {
    auto product = std::make_unique<LoneProduct>(isa, threads);
    product->matrix = paceline::make_matrix(ggml_type, experts, rows, columns, data,
                                            product->kernels, product->pool, product->arena);
    return product.release();
  });
}

// Bytes that the matrix takes where it was repacked, else 0.
PACELINE_EXPORT int64_t paceline_product_bytes(const void* handle) {
  const auto& matrix = static_cast<const LoneProduct*>(handle)->matrix;
  return matrix.repacked ? matrix.experts * matrix.tiles * matrix.tile_bytes : 0;
}

PACELINE_EXPORT void paceline_product_free(void* handle) {
  delete static_cast<LoneProduct*>(handle);
}

// out[r] = weight[e] x[r] + bias[e] for the rows offsets[e] … offsets[e + 1] of each expert e; rows
// of `x` and `out` lie `x_stride` and `out_stride` floats apart. `bias` `[experts, rows]` may be
// null. Returns 0, or 1 on failure.
PACELINE_EXPORT int paceline_product_run(void* handle, const float* x, int64_t x_stride,
                                         const int64_t* offsets, const float* bias, int accumulate,
                                         float* out, int64_t out_stride) {
  return guarded<int>(1, [&] {
    auto& self = *static_cast<LoneProduct*>(handle);
    const auto& matrix = self.matrix;
    const std::span experts(offsets, static_cast<size_t>(matrix.experts) + 1);
    const auto& source = self.activations.describe_grouped(x, {x_stride}, matrix.columns, experts,
                                                           self.kernels.panel_rows);
    self.quantise();
    const auto panels = self.activations.first_panel();
    for (int64_t e = 0; e < matrix.experts; ++e) {
      if (panels[e] == panels[e + 1]) continue;
      self.multiply({&matrix, &source, out, {out_stride}, bias ? bias + e * matrix.rows : nullptr,
                     accumulate != 0, e, panels[e], panels[e + 1]});
    }
    return 0;
  });
}
