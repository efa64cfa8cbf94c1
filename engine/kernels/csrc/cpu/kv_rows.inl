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
        std::memcpy(static_cast<float*>(plane.elements) + row * plane.width, x,
                    static_cast<size_t>(dim) * sizeof *x);
        break;
      case CacheType::f16:
        write_halves(x, static_cast<uint16_t*>(plane.elements) + row * plane.width, dim);
        break;
      case CacheType::q8_0:
        write_blocks(x, static_cast<int8_t*>(plane.elements) + row * plane.width,
                     plane.scales + row * (plane.width / kCacheBlock), dim);
        break;
    }
  }
}

// The rows of one head in a page, read 16 elements at a time; where the row ends within them, `whole`
// is false and zeros follow.
struct FloatRows {
  const float* elements;
  int64_t dim, width;

  FloatRows(const Plane& plane, int64_t first)
      : elements(static_cast<const float*>(plane.elements) + first * plane.width),
        dim(plane.dim),
        width(plane.width) {}

  template <bool whole>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    const float* p = elements + row * width + i;
    return whole ? load(p) : load_partial(p, lanes_left(dim, i));
  }
};

struct HalfRows {
  const uint16_t* elements;
  int64_t dim, width;

  HalfRows(const Plane& plane, int64_t first)
      : elements(static_cast<const uint16_t*>(plane.elements) + first * plane.width),
        dim(plane.dim),
        width(plane.width) {}

  template <bool whole>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    const uint16_t* p = elements + row * width + i;
    return whole ? load_half(p) : load_half_partial(p, lanes_left(dim, i));
  }
};

struct BlockRows {
  const int8_t* codes;
  const uint16_t* scales;
  int64_t dim, width;

  BlockRows(const Plane& plane, int64_t first)
      : codes(static_cast<const int8_t*>(plane.elements) + first * plane.width),
        scales(plane.scales + first * (plane.width / kCacheBlock)),
        dim(plane.dim),
        width(plane.width) {}

  template <bool /*whole: blocks always are*/>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    const int64_t at = row * width + i;
    return mul(to_float(load_i8(codes + at)), splat_half(scales + at / kCacheBlock));
  }
};

}  // namespace paceline::PACELINE_VARIANT
