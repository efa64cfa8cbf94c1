// Plain floats, as they lie in the file, times float32 activations.
//
// An output is 16 sums, lane l over the columns l, l + 16, …, joined by `sum`'s tree: the same for
// any number of rows and outputs computed together.
#pragma once

#include "cpu/outputs.inl"

namespace paceline::PACELINE_VARIANT {

struct F32 {
  using Element = float;
  PACELINE_INLINE static f32x16 read(const Element* p) { return load(p); }
  PACELINE_INLINE static f32x16 read(const Element* p, int n) { return load_partial(p, n); }
};

struct F16 {
  using Element = uint16_t;
  PACELINE_INLINE static f32x16 read(const Element* p) { return load_half(p); }
  PACELINE_INLINE static f32x16 read(const Element* p, int n) { return load_half_partial(p, n); }
};

struct Bf16 {
  using Element = uint16_t;
  PACELINE_INLINE static f32x16 read(const Element* p) { return load_bf16(p); }
  PACELINE_INLINE static f32x16 read(const Element* p, int n) { return load_bf16_partial(p, n); }
};

// Sums that fit the registers, beside the weights and activations of one step.
constexpr int kPlainOutputs = 4;
constexpr int kPlainRows = kLanes == 16 ? 4 : 1;

// out[row][output] = Σ_k weights[output, k] x[row][k]; out is [rows][16].
template <class Float, int outputs, int rows>
PACELINE_INLINE void plain_sums(const typename Float::Element* weights, int64_t columns,
                                const float* const (&x)[rows], float* out) {
  f32x16 sums[rows][outputs];
  PACELINE_UNROLL
  for (int row = 0; row < rows; ++row) {
    PACELINE_UNROLL
    for (int o = 0; o < outputs; ++o) sums[row][o] = splat(0.0f);
  }
  const auto step = [&](auto read_weight, auto read_x) {
    f32x16 weight[outputs];
    PACELINE_UNROLL
    for (int o = 0; o < outputs; ++o) weight[o] = read_weight(weights + o * columns);
    PACELINE_UNROLL
    for (int row = 0; row < rows; ++row) {
      const f32x16 value = read_x(x[row]);
      PACELINE_UNROLL
      for (int o = 0; o < outputs; ++o) sums[row][o] = fma(weight[o], value, sums[row][o]);
    }
  };
  int64_t k = 0;
  for (; k + 16 <= columns; k += 16) {
    step([k](const auto* p) { return Float::read(p + k); },
         [k](const float* p) { return load(p + k); });
  }
  const int left = static_cast<int>(columns - k);
  if (left > 0) {
    step([k, left](const auto* p) { return Float::read(p + k, left); },
         [k, left](const float* p) { return load_partial(p + k, left); });
  }
  for (int row = 0; row < rows; ++row) {
    for (int o = 0; o < outputs; ++o) out[row * kTileRows + o] = sum(sums[row][o]);
  }
}

// The outputs of one tile for `rows` neighbouring rows.
template <class Float, int rows>
void multiply_plain_rows(const Product& product, int64_t row, int64_t tile) {
  const Matrix& weight = *product.weight;
  const Activations& source = *product.source;
  const int64_t first = tile * kTileRows;
  const auto* weights = reinterpret_cast<const typename Float::Element*>(weight.data) +
                        (product.expert * weight.rows + first) * weight.columns;
  const float* x[rows];
  for (int r = 0; r < rows; ++r) x[r] = source.row(row + r);
  const int64_t left = weight.rows - first;
  const int64_t count = left < kTileRows ? left : kTileRows;
  alignas(64) float out[rows * kTileRows] = {};
  int64_t o = 0;
  for (; o + kPlainOutputs <= count; o += kPlainOutputs) {
    plain_sums<Float, kPlainOutputs, rows>(weights + o * weight.columns, weight.columns, x,
                                           out + o);
  }
  for (; o < count; ++o) {
    plain_sums<Float, 1, rows>(weights + o * weight.columns, weight.columns, x, out + o);
  }
  for (int r = 0; r < rows; ++r) write_outputs(product, row + r, tile, load(out + r * kTileRows));
}

template <class Float>
void multiply_plain(const Product& product, int64_t first_tile, int64_t last_tile) {
  for (int64_t p = product.first_panel; p < product.last_panel; ++p) {
    const Panel& panel = product.source->panels[p];
    const int64_t end = panel.first + panel.rows;
    for (int64_t tile = first_tile; tile < last_tile; ++tile) {
      int64_t row = panel.first;
      for (; row + kPlainRows <= end; row += kPlainRows) {
        multiply_plain_rows<Float, kPlainRows>(product, row, tile);
      }
      for (; row < end; ++row) multiply_plain_rows<Float, 1>(product, row, tile);
    }
  }
}

}  // namespace paceline::PACELINE_VARIANT
