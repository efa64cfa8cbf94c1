// Functions of 16 lanes at a time: every lane gets the same operations wherever it lies.
//
// Relative errors stay below 1e-6. NaN goes through.
#pragma once

#include <math.h>

#include <cstdint>

namespace paceline::PACELINE_VARIANT {

PACELINE_INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
PACELINE_INLINE int64_t greatest(int64_t a, int64_t b) { return a < b ? b : a; }

// How many of 16 lanes from `start` on lie within a width.
PACELINE_INLINE int lanes_left(int64_t width, int64_t start) {
  const int64_t left = width - start;
  return left < 0 ? 0 : static_cast<int>(least(left, 16));
}

// Calls f(start, lanes) for each 16 lanes of a width; the last call may have fewer.
template <class F>
PACELINE_INLINE void each_lanes(int64_t width, F&& f) {
  int64_t start = 0;
  for (; start + 16 <= width; start += 16) f(start, 16);
  if (start < width) f(start, lanes_left(width, start));
}

PACELINE_INLINE f32x16 load_lanes(const float* p, int n) {
  return n == 16 ? load(p) : load_partial(p, n);
}

PACELINE_INLINE void store_lanes(float* p, f32x16 x, int n) {
  if (n == 16) {
    store(p, x);
  } else {
    store_partial(p, x, n);
  }
}

// e^x = 2^n e^r with |r| ≤ ln(2)/2, where the Taylor polynomial of degree 6 is 1.2e-7 off. Zero
// where the result would be subnormal, infinity from 2^127.5 on.
PACELINE_INLINE f32x16 exp(f32x16 x) {
  const f32x16 n = round(mul(x, splat(1.44269504f)));
  // ln(2) in two parts; the first has few bits, so that its product with n is exact.
  f32x16 r = fma(n, splat(-0.693359375f), x);
  r = fma(n, splat(2.12194440e-4f), r);
  f32x16 power = splat(1.0f / 720);
  for (const float factorial : {1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2, 1.0f, 1.0f}) {
    power = fma(power, r, splat(factorial));
  }
  const f32x16 scale = as_float(shift_left<23>(add(round_to_int(n), splat_int(127))));
  const f32x16 result = mul(power, scale);
  const f32x16 capped = select_less(splat(88.37626f), x, splat(INFINITY), result);
  return select_less(x, splat(-87.33654f), splat(0.0f), capped);
}

PACELINE_INLINE f32x16 sigmoid(f32x16 x) {
  const f32x16 one = splat(1.0f);
  return div(one, add(one, exp(sub(splat(0.0f), x))));
}

PACELINE_INLINE f32x16 silu(f32x16 x) { return mul(x, sigmoid(x)); }

// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x³), and (1 + tanh(u)) / 2 = sigmoid(2 u).
PACELINE_INLINE f32x16 gelu(f32x16 x) {
  const f32x16 inner = fma(mul(mul(x, x), x), splat(0.044715f), x);
  return mul(x, sigmoid(mul(inner, splat(1.5957691216057308f))));
}

// 1 - 2 / (e^2x + 1); near zero, where digits would cancel, the series up to the 7th power.
PACELINE_INLINE f32x16 tanh(f32x16 x) {
  const f32x16 size = abs(x), one = splat(1.0f), square = mul(x, x);
  const f32x16 power = exp(add(size, size));
  const f32x16 far = sub(one, div(splat(2.0f), add(power, one)));
  f32x16 series = splat(-17.0f / 315);
  for (const float term : {2.0f / 15, -1.0f / 3, 1.0f}) series = fma(series, square, splat(term));
  const f32x16 result = select_less(size, splat(0.15f), mul(series, size), far);
  return select_less(x, splat(0.0f), sub(splat(0.0f), result), result);
}

// log(1 + y) = 2 artanh(y / (2 + y)) for 0 ≤ y ≤ 1, by the series up to the 15th power.
PACELINE_INLINE f32x16 log_1_plus(f32x16 y) {
  const f32x16 z = div(y, add(splat(2.0f), y));
  const f32x16 square = mul(z, z);
  f32x16 series = splat(1.0f / 15);
  for (const float term : {1.0f / 13, 1.0f / 11, 1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3, 1.0f}) {
    series = fma(series, square, splat(term));
  }
  return mul(add(z, z), series);
}

// log(1 + e^x), without overflow.
PACELINE_INLINE f32x16 softplus(f32x16 x) {
  return add(max(splat(0.0f), x), log_1_plus(exp(sub(splat(0.0f), abs(x)))));
}

}  // namespace paceline::PACELINE_VARIANT
