// Rows of float32 to int8, one scale for 32 columns.
#pragma once

#include "cpu/activations.h"

namespace paceline::PACELINE_VARIANT {

// scale = max |x| / 127; codes are x / scale, rounded to nearest even. A block whose scale has no
// finite inverse counts as zero.
PACELINE_INLINE BlockTerms quantise_block(const float* x, int8_t* codes) {
  constexpr float smallest_normal = 1.17549435e-38f;
  const f32x16 first = load(x), second = load(x + 16);
  const float scale = max_lane(max(abs(first), abs(second))) / 127.0f;
  const f32x16 inverse = splat(scale < smallest_normal ? 0.0f : 1.0f / scale);
  const i32x16 low = round_to_int(mul(first, inverse)), high = round_to_int(mul(second, inverse));
  store_i8(codes, low);
  store_i8(codes + 16, high);
  const int32_t low_sum = sum(low), high_sum = sum(high);
  return {scale, -(low_sum + high_sum), {-low_sum, -high_sum}};
}

void quantise_row(const Activations& rows, const Panel& panel, int64_t row) {
  const int64_t blocks = rows.blocks();
  const float* values = rows.row(row);
  int8_t* codes = rows.codes + panel.first * rows.columns + (row - panel.first) * kBlockColumns;
  BlockTerms* terms = rows.terms + panel.first * blocks + (row - panel.first);
  for (int64_t b = 0; b < blocks; ++b) {
    terms[b * panel.rows] =
        quantise_block(values + b * kBlockColumns, codes + b * panel.rows * kBlockColumns);
  }
}

void quantise(const Activations& rows, int64_t first_row, int64_t last_row) {
  int64_t p = 0;
  for (int64_t row = first_row; row < last_row; ++row) {
    while (rows.panels[p].first + rows.panels[p].rows <= row) ++p;
    quantise_row(rows, rows.panels[p], row);
  }
}

}  // namespace paceline::PACELINE_VARIANT
