// Rotary position embedding, in place.
#include <cstdint>

#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

// Pairs of neighbours: (2 i, 2 i + 1).
PACELINE_INLINE void rotate_neighbours(float* head, const float* cos, const float* sin,
                                       int64_t pairs) {
  for (int64_t i = 0; i < pairs; ++i) {
    const float first = head[2 * i], second = head[2 * i + 1];
    head[2 * i] = first * cos[i] - second * sin[i];
    head[2 * i + 1] = first * sin[i] + second * cos[i];
  }
}

// Pairs (i, i + pairs).
PACELINE_INLINE void rotate_halves(float* head, const float* cos, const float* sin,
                                   int64_t pairs) {
  each_lanes(pairs, [&](int64_t i, int n) {
    const f32x16 c = load_lanes(cos + i, n), s = load_lanes(sin + i, n);
    const f32x16 first = load_lanes(head + i, n), second = load_lanes(head + pairs + i, n);
    store_lanes(head + i, sub(mul(first, c), mul(second, s)), n);
    store_lanes(head + pairs + i, add(mul(first, s), mul(second, c)), n);
  });
}

void rotate(float* row, int64_t heads, int64_t head_dim, const float* cos, const float* sin,
            int64_t pairs, bool interleaved) {
  for (int64_t head = 0; head < heads; ++head, row += head_dim) {
    if (interleaved) {
      rotate_neighbours(row, cos, sin, pairs);
    } else {
      rotate_halves(row, cos, sin, pairs);
    }
  }
}

}  // namespace paceline::PACELINE_VARIANT
