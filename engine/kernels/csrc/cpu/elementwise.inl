// Operations that look at one element at a time.
#include <cstdint>

#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

void swiglu(const float* gate, const float* up, float* out, int64_t width) {
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, mul(silu(load_lanes(gate + i, n)), load_lanes(up + i, n)), n);
  });
}

void sigmoid_gate(const float* source, const float* gate, float* out, int64_t width) {
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, mul(load_lanes(source + i, n), sigmoid(load_lanes(gate + i, n))), n);
  });
}

}  // namespace paceline::PACELINE_VARIANT
