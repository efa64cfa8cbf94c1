// Operations that look at one element at a time.
#include <cstdint>

#include "cpu/kernels.h"
#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

// Calls f with the function's implementation, so that loops are compiled for each.
template <class F>
PACELINE_INLINE void with_activation(Activation activation, F&& f) {
  switch (activation) {
    case Activation::silu: return f([](f32x16 x) { return silu(x); });
    case Activation::gelu: return f([](f32x16 x) { return gelu(x); });
    case Activation::relu_squared:
      return f([](f32x16 x) {
        const f32x16 positive = max(splat(0.0f), x);
        return mul(positive, positive);
      });
    case Activation::none: return f([](f32x16 x) { return x; });
  }
}

void glu(const float* gate, const float* up, float* out, int64_t width, Activation activation) {
  with_activation(activation, [&](auto function) {
    each_lanes(width, [&](int64_t i, int n) {
      store_lanes(out + i, mul(function(load_lanes(gate + i, n)), load_lanes(up + i, n)), n);
    });
  });
}

void activate(const float* source, float* out, int64_t width, Activation activation) {
  with_activation(activation, [&](auto function) {
    each_lanes(width, [&](int64_t i, int n) {
      store_lanes(out + i, function(load_lanes(source + i, n)), n);
    });
  });
}

void scale(const float* source, float* out, int64_t width, float number) {
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, mul(load_lanes(source + i, n), splat(number)), n);
  });
}

void add_scaled(const float* source, float* out, int64_t width, float number) {
  each_lanes(width, [&](int64_t i, int n) {
    const f32x16 part = mul(load_lanes(source + i, n), splat(number));
    store_lanes(out + i, add(load_lanes(out + i, n), part), n);
  });
}

void soft_cap(const float* source, float* out, int64_t width, float number) {
  each_lanes(width, [&](int64_t i, int n) {
    const f32x16 capped = tanh(div(load_lanes(source + i, n), splat(number)));
    store_lanes(out + i, mul(capped, splat(number)), n);
  });
}

void clamped_glu(const float* gate, const float* up, float* out, int64_t width, float limit,
                 float sharpness) {
  const f32x16 most = splat(limit), least = splat(-limit);
  each_lanes(width, [&](int64_t i, int n) {
    const f32x16 gates = min(most, load_lanes(gate + i, n));
    const f32x16 open = mul(gates, sigmoid(mul(gates, splat(sharpness))));
    const f32x16 ups = max(least, min(most, load_lanes(up + i, n)));
    store_lanes(out + i, mul(open, add(ups, splat(1.0f))), n);
  });
}

void sigmoid_gate(const float* source, const float* gate, float* out, int64_t width) {
  each_lanes(width, [&](int64_t i, int n) {
    store_lanes(out + i, mul(load_lanes(source + i, n), sigmoid(load_lanes(gate + i, n))), n);
  });
}

}  // namespace paceline::PACELINE_VARIANT
