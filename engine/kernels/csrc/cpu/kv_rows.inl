// Rows of keys and values, rounded into pages and read back: the bits of kv_pages.py.
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu/math.inl"
#include "cpu/page_attention.h"
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

// How far ahead rows are fetched. Left to the hardware, a core that also multiplies reads 10 to 15 GB/s
// from memory, and with this 19 to 26 (Zen 4); 16 KiB is worse.
constexpr int64_t kRowsAheadBytes = 8 << 10;

// Fetches `bytes` so far behind p.
template <int64_t bytes>
PACELINE_INLINE void fetch_ahead(const void* p) {
  const char* ahead = static_cast<const char*>(p) + kRowsAheadBytes;
  PACELINE_UNROLL
  for (int64_t at = 0; at < bytes; at += 64) prefetch_second(ahead + at);
}

// The rows of one head in a page.
//
// Opening comes first: of 16 rows at a time, from a multiple of 16 on. They are read 16 elements at a
// time; where the row ends within them, `whole` is false and zeros follow. `fetch` has what lies ahead
// of `count` elements come nearer, of which `place` lie before in the page.
struct FloatRows {
  const float* elements;
  int64_t dim, width;

  FloatRows(const Plane& plane, int64_t first, float* /*scratch*/)
      : elements(static_cast<const float*>(plane.elements) + first * plane.width),
        dim(plane.dim),
        width(plane.width) {}

  PACELINE_INLINE void open(int64_t) {}

  template <int count>
  PACELINE_INLINE void fetch(int64_t place) const {
    fetch_ahead<count * sizeof *elements>(elements + place);
  }

  template <bool whole>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    const float* p = elements + row * width + i;
    return whole ? load(p) : load_partial(p, lanes_left(dim, i));
  }
};

struct HalfRows {
  const uint16_t* elements;
  int64_t dim, width;

  HalfRows(const Plane& plane, int64_t first, float* /*scratch*/)
      : elements(static_cast<const uint16_t*>(plane.elements) + first * plane.width),
        dim(plane.dim),
        width(plane.width) {}

  PACELINE_INLINE void open(int64_t) {}

  template <int count>
  PACELINE_INLINE void fetch(int64_t place) const {
    fetch_ahead<count * sizeof *elements>(elements + place);
  }

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
  float* opened_scales;  // [16, width / kCacheBlock]: widened once for all who read
  int64_t opened = 0;

  BlockRows(const Plane& plane, int64_t first, float* opened_scales)
      : codes(static_cast<const int8_t*>(plane.elements) + first * plane.width),
        scales(plane.scales + first * (plane.width / kCacheBlock)),
        dim(plane.dim),
        width(plane.width),
        opened_scales(opened_scales) {}

  PACELINE_INLINE void open(int64_t first) {
    opened = first;
    const int64_t count = 16 * (width / kCacheBlock);
    const uint16_t* halves = scales + first * (width / kCacheBlock);
    for (int64_t i = 0; i < count; i += 16) store(opened_scales + i, load_half(halves + i));
  }

  template <int count>
  PACELINE_INLINE void fetch(int64_t place) const {
    fetch_ahead<count * sizeof *codes>(codes + place);
  }

  template <bool /*whole: blocks always are*/>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    const float* scale = opened_scales + ((row - opened) * width + i) / kCacheBlock;
    return mul(to_float(load_i8(codes + row * width + i)), splat(*scale));
  }
};

// Rows that are turned into floats when they are opened.
template <class Rows>
struct WidenedRows {
  Rows rows;
  int64_t dim, width;
  float* floats;  // [16, dim]
  int64_t opened = 0;

  WidenedRows(const Plane& plane, int64_t first, float* scratch)
      : rows(plane, first, scratch + 16 * padded(plane.dim)),
        dim(padded(plane.dim)),
        width(plane.width),
        floats(scratch) {}

  void open(int64_t first) {
    rows.open(first);
    opened = first;
    for (int64_t row = 0; row < 16; ++row) {
      float* to = floats + row * dim;
      each_lanes(rows.dim, [&](int64_t i, int n) {
        const bool whole = n == 16;
        store(to + i, whole ? rows.template read<true>(first + row, i)
                            : rows.template read<false>(first + row, i));
      });
    }
  }

  template <int>
  PACELINE_INLINE void fetch(int64_t) const {}

  template <bool>
  PACELINE_INLINE f32x16 read(int64_t row, int64_t i) const {
    return load(floats + (row - opened) * dim + i);
  }
};

}  // namespace paceline::PACELINE_VARIANT
