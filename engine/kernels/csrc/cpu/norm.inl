// Root-mean-square norms over groups (rows, or the heads of a row), and layer norms.
#include <cstdint>

#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

PACELINE_INLINE float sum_of_squares(const float* x, int64_t width) {
  f32x16 total = splat(0.0f);
  each_lanes(width, [&](int64_t i, int n) {
    const f32x16 lanes = load_lanes(x + i, n);
    total = fma(lanes, lanes, total);
  });
  return sum(total);
}

PACELINE_INLINE f32x16 scale_for_norm(const float* x, int64_t width, float epsilon) {
  const float mean = sum_of_squares(x, width) / static_cast<float>(width);
  return splat(1.0f / sqrtf(mean + epsilon));
}

void rms_norm(const float* source, const float* weight, int64_t weight_step, float* out,
              int64_t groups, int64_t width, float epsilon) {
  for (int64_t group = 0; group < groups; ++group, source += width, out += width) {
    const f32x16 scale = scale_for_norm(source, width, epsilon);
    each_lanes(width, [&](int64_t i, int n) {
      const f32x16 normed = mul(load_lanes(source + i, n), scale);
      store_lanes(out + i, weight ? mul(normed, load_lanes(weight + i, n)) : normed, n);
    });
    if (weight) weight += weight_step;
  }
}

void layer_norm(const float* source, const float* weight, const float* bias, float* out,
                int64_t width, float epsilon) {
  f32x16 total = splat(0.0f);
  each_lanes(width, [&](int64_t i, int n) { total = add(total, load_lanes(source + i, n)); });
  const f32x16 mean = splat(sum(total) / static_cast<float>(width));
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, sub(load_lanes(source + i, n), mean), n);
  });
  const f32x16 scale = scale_for_norm(out, width, epsilon);
  each_lanes(width, [&](int64_t i, int n) {
    const f32x16 normed = mul(mul(load_lanes(out + i, n), scale), load_lanes(weight + i, n));
    store_lanes(out + i, bias ? add(normed, load_lanes(bias + i, n)) : normed, n);
  });
}

void gated_norm(const float* source, const float* gate, const float* weight, float* out,
                int64_t groups, int64_t width, float epsilon) {
  for (int64_t group = 0; group < groups; ++group) {
    const f32x16 scale = scale_for_norm(source, width, epsilon);
    each_lanes(width, [&](int64_t i, int n) {
      const f32x16 normed = mul(mul(load_lanes(source + i, n), scale), load_lanes(weight + i, n));
      store_lanes(out + i, mul(normed, silu(load_lanes(gate + i, n))), n);
    });
    source += width;
    gate += width;
    out += width;
  }
}

}  // namespace paceline::PACELINE_VARIANT
