// Which code serves which layout.
#pragma once

#include "cpu/plain_products.inl"
#include "cpu/products.inl"
#include "cpu/repack.inl"

namespace paceline::PACELINE_VARIANT {

inline int64_t tile_bytes(Layout layout, int64_t columns) {
  switch (layout) {
    case Layout::q4_0: return format_tile_bytes<Q4_0>(columns);
    case Layout::q8_0: return format_tile_bytes<Q8_0>(columns);
    case Layout::q4_k: return format_tile_bytes<Q4_K>(columns);
    case Layout::q5_k: return format_tile_bytes<Q5_K>(columns);
    case Layout::q6_k: return format_tile_bytes<Q6_K>(columns);
    case Layout::f32: return kTileRows * columns * 4;
    case Layout::f16:
    case Layout::bf16: return kTileRows * columns * 2;
  }
  return 0;
}

inline void repack(const Matrix& matrix, const void* blocks, int64_t expert, int64_t tile) {
  switch (matrix.layout) {
    case Layout::q4_0: return repack_as<Q4_0>(matrix, blocks, expert, tile);
    case Layout::q8_0: return repack_as<Q8_0>(matrix, blocks, expert, tile);
    case Layout::q4_k: return repack_as<Q4_K>(matrix, blocks, expert, tile);
    case Layout::q5_k: return repack_as<Q5_K>(matrix, blocks, expert, tile);
    case Layout::q6_k: return repack_as<Q6_K>(matrix, blocks, expert, tile);
    case Layout::f32:
    case Layout::f16:
    case Layout::bf16: return;
  }
}

inline void multiply(const Product& product, int64_t first_tile, int64_t last_tile) {
  switch (product.weight->layout) {
    case Layout::f32: return multiply_plain<F32>(product, first_tile, last_tile);
    case Layout::f16: return multiply_plain<F16>(product, first_tile, last_tile);
    case Layout::bf16: return multiply_plain<Bf16>(product, first_tile, last_tile);
    case Layout::q4_0: return multiply_quantised<Q4_0>(product, first_tile, last_tile);
    case Layout::q8_0: return multiply_quantised<Q8_0>(product, first_tile, last_tile);
    case Layout::q4_k: return multiply_quantised<Q4_K>(product, first_tile, last_tile);
    case Layout::q5_k: return multiply_quantised<Q5_K>(product, first_tile, last_tile);
    case Layout::q6_k: return multiply_quantised<Q6_K>(product, first_tile, last_tile);
  }
}

}  // namespace paceline::PACELINE_VARIANT
