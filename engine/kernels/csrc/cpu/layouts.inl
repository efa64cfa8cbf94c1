// Which code serves which layout.
#pragma once

#include "cpu/plain_products.inl"
#include "cpu/products.inl"
#include "cpu/repack.inl"

namespace paceline::PACELINE_VARIANT {

// Call `serve` with the format of a layout of blocks.
template <class Serve>
PACELINE_INLINE auto with_format(Layout layout, Serve serve) {
  switch (layout) {
    case Layout::q4_0: return serve(Q4_0{});
    case Layout::q4_1: return serve(Q4_1{});
    case Layout::q5_0: return serve(Q5_0{});
    case Layout::q5_1: return serve(Q5_1{});
    case Layout::q8_0: return serve(Q8_0{});
    case Layout::q2_k: return serve(Q2_K{});
    case Layout::q3_k: return serve(Q3_K{});
    case Layout::q4_k: return serve(Q4_K{});
    case Layout::q5_k: return serve(Q5_K{});
    case Layout::q6_k: return serve(Q6_K{});
    case Layout::iq4_nl: return serve(IQ4_NL{});
    case Layout::iq4_xs: return serve(IQ4_XS{});
    case Layout::mxfp4: return serve(MXFP4{});
    case Layout::nvfp4: return serve(NVFP4{});
    case Layout::grid: return serve(GridFormat{});
    case Layout::f32:
    case Layout::f16:
    case Layout::bf16: break;
  }
  return decltype(serve(Q4_0{}))();
}

inline int64_t tile_bytes(Layout layout, int64_t columns) {
  if (is_plain(layout)) return kTileRows * columns * (layout == Layout::f32 ? 4 : 2);
  return with_format(
      layout, [=](auto format) { return format_tile_bytes<decltype(format)>(columns); });
}

inline void repack(const Matrix& matrix, const void* blocks, int64_t expert, int64_t tile) {
  with_format(matrix.layout, [&](auto format) {
    repack_as<decltype(format)>(matrix, blocks, expert, tile);
  });
}

inline void multiply(const Product& product, int64_t first_tile, int64_t last_tile) {
  switch (product.weight->layout) {
    case Layout::f32: return multiply_plain<F32>(product, first_tile, last_tile);
    case Layout::f16: return multiply_plain<F16>(product, first_tile, last_tile);
    case Layout::bf16: return multiply_plain<Bf16>(product, first_tile, last_tile);
    default: break;
  }
  with_format(product.weight->layout, [&](auto format) {
    multiply_quantised<decltype(format)>(product, first_tile, last_tile);
  });
}

}  // namespace paceline::PACELINE_VARIANT
