// How products hand over what they computed.
#pragma once

#include "cpu/kernels.h"

namespace paceline::PACELINE_VARIANT {

// Write the outputs of a tile for one row of the source: its 16 sums times the weight's own factor,
// with the bias, added to what is there where the product accumulates.
PACELINE_INLINE void write_outputs(const Product& product, int64_t row, int64_t tile,
                                   f32x16 sums) {
  const int64_t first = tile * kTileRows, left = product.weight->rows - first;
  const int count = static_cast<int>(left < kTileRows ? left : kTileRows);
  float* out = product.out + product.places.of(row) + first;
  const float* scales = product.weight->scales;
  if (scales) sums = mul(sums, splat(scales[product.expert]));
  if (product.bias) sums = add(sums, load_partial(product.bias + first, count));
  if (product.accumulate) sums = add(load_partial(out, count), sums);
  store_partial(out, sums, count);
}

}  // namespace paceline::PACELINE_VARIANT
