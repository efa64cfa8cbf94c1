// The convolution that recurrent layers begin with, over the rows of a slot and the window before
// them.
#pragma once

#include <cstdint>

#include "cpu/math.inl"
#include "cpu/recurrent_rows.h"

namespace paceline::PACELINE_VARIANT {

struct Convolved {
  const RecurrentRows& task;
  const Convolution& convolution;

  // What 16 lanes from `channel` on give, of which n are there.
  PACELINE_INLINE f32x16 lanes(int64_t row, int64_t channel, int n) const {
    const float* weight = convolution.weight + channel;
    f32x16 total = splat(0.0f);
    for (int64_t t = 0; t < task.taps; ++t, weight += task.channels) {
      const float* x = task.input(row - task.taps + 1 + t) + channel;
      total = fma(load_lanes(weight, n), load_lanes(x, n), total);
    }
    return convolution.bias ? add(total, load_lanes(convolution.bias + channel, n)) : total;
  }

  // `width` floats from `channel` on, convolved and activated, then zeros up to `padded_width`.
  void activate(int64_t row, int64_t channel, int64_t width, int64_t padded_width,
                float* out) const {
    for (int64_t i = 0; i < padded_width; i += 16) {
      store(out + i, silu(lanes(row, channel + i, lanes_left(width, i))));
    }
  }
};

// A convolution that is a layer by itself.
void convolve(const Convolution& convolution, const RecurrentRows& task) {
  const Convolved convolved{task, convolution};
  const int64_t channel = task.part * kChannelsTogether;
  const int64_t width = least(kChannelsTogether, task.channels - channel);
  for (int64_t row = 0; row < task.rows; ++row) {
    each_lanes(width, [&](int64_t i, int n) {
      store_lanes(task.out[row] + channel + i, convolved.lanes(row, channel + i, n), n);
    });
  }
}

}  // namespace paceline::PACELINE_VARIANT
