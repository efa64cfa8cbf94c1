// What a row asks of its experts, and the sum of what they answer.
#include <cstdint>

#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

void sigmoid(const float* source, float* out, int64_t width) {
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, sigmoid(load_lanes(source + i, n)), n);
  });
}

// In place too.
void softmax(const float* source, float* out, int64_t width) {
  float peak = source[0];
  for (int64_t i = 1; i < width; ++i) peak = source[i] > peak ? source[i] : peak;
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, exp(sub(load_lanes(source + i, n), splat(peak))), n);
  });
  float total = 0;
  for (int64_t i = 0; i < width; ++i) total += out[i];
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, div(load_lanes(out + i, n), splat(total)), n);
  });
}

void weighted_sum(const float* source, const float* weights, int64_t count, float* out,
                  int64_t width, bool accumulate) {
  each_lanes(width, [&](int64_t i, int n) {
    f32x16 sum = splat(0.0f);
    for (int64_t part = 0; part < count; ++part) {
      sum = fma(splat(weights[part]), load_lanes(source + part * width + i, n), sum);
    }
    store_lanes(out + i, accumulate ? add(load_lanes(out + i, n), sum) : sum, n);
  });
}

}  // namespace paceline::PACELINE_VARIANT
