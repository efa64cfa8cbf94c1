// Rows of keys and values, rounded into pages and read back: the bits of kv_pages.py.
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu/math.inl"
#include "cpu/state.h"

namespace paceline::PACELINE_VARIANT {

PACELINE_INLINE void write_halves(const float* x, uint16_t* out, int64_t dim) {
  each_lanes(dim, [&](int64_t i, int n) {
    uint16_t halves[16];
    store_half(halves, load_lanes(x + i, n));
    std::memcpy(out + i, halves, static_cast<size_t>(n) * sizeof *halves);
  });
}

PACELINE_INLINE void write_blocks(const float* x, int8_t* codes, uint16_t* scales, int64_t dim) {
  for (int64_t i = 0; i < dim; i += kCacheBlock) {
    const f32x16 low = load(x + i), high = load(x + i + 16);
    const float scale = max_lane(max(abs(low), abs(high))) / 127.0f;
    const f32x16 inverse = splat(scale > 0 ? 1.0f / scale : 0.0f);
    store_i8(codes + i, round_to_int(mul(low, inverse)));
    store_i8(codes + i + 16, round_to_int(mul(high, inverse)));
    uint16_t halves[16];
    store_half(halves, splat(scale));
    scales[i / kCacheBlock] = halves[0];
  }
}

// Rounds one row of all heads, float [heads * dim], into a page.
void write_row(const Plane& plane, int64_t page, int64_t position, const float* x) {
  const int64_t dim = plane.dim;
  for (int64_t head = 0; head < plane.heads; ++head, x += dim) {
    const int64_t row = plane.row(page, head, position);
    switch (plane.type) {
      case CacheType::f32:
        std::memcpy(static_cast<float*>(plane.elements) + row * dim, x,
                    static_cast<size_t>(dim) * sizeof *x);
        break;
      case CacheType::f16:
        write_halves(x, static_cast<uint16_t*>(plane.elements) + row * dim, dim);
        break;
      case CacheType::q8_0:
        write_blocks(x, static_cast<int8_t*>(plane.elements) + row * dim,
                     plane.scales + row * (dim / kCacheBlock), dim);
        break;
    }
  }
}

PACELINE_INLINE void read_halves(const uint16_t* halves, float* out, int64_t dim) {
  int64_t i = 0;
  for (; i + 16 <= dim; i += 16) store(out + i, load_half(halves + i));
  if (i < dim) store(out + i, load_half_partial(halves + i, lanes_left(dim, i)));
}

PACELINE_INLINE void read_blocks(const int8_t* codes, const uint16_t* scales, float* out,
                                 int64_t dim) {
  for (int64_t i = 0; i < dim; i += kCacheBlock) {
    const f32x16 scale = splat(sum(load_half_partial(scales + i / kCacheBlock, 1)));
    store(out + i, mul(to_float(load_i8(codes + i)), scale));
    store(out + i + 16, mul(to_float(load_i8(codes + i + 16)), scale));
  }
}

// Reads `count` rows of a page from `first` on into float [count, stride]; stride is dim rounded
// up to 16, and what lies between is zero.
PACELINE_INLINE void read_rows(const Plane& plane, int64_t page, int64_t head, int64_t first,
                               int64_t count, float* out, int64_t stride) {
  const int64_t dim = plane.dim;
  int64_t row = plane.row(page, head, first);
  for (const int64_t end = row + count; row < end; ++row, out += stride) {
    switch (plane.type) {
      case CacheType::f32: {
        const float* from = static_cast<const float*>(plane.elements) + row * dim;
        each_lanes(dim, [&](int64_t i, int n) { store(out + i, load_lanes(from + i, n)); });
        break;
      }
      case CacheType::f16:
        read_halves(static_cast<const uint16_t*>(plane.elements) + row * dim, out, dim);
        break;
      case CacheType::q8_0:
        read_blocks(static_cast<const int8_t*>(plane.elements) + row * dim,
                    plane.scales + row * (dim / kCacheBlock), out, dim);
        break;
    }
  }
}

}  // namespace paceline::PACELINE_VARIANT
