// Mamba-2's state space behind its convolution (operations/sequences.py), for forward passes and folds.
#include <cstdint>

#include "cpu/convolution.inl"
#include "cpu/recurrent_layers.h"
#include "cpu/state_columns.inl"

namespace paceline::PACELINE_VARIANT {

void steps(const float* step, const float* bias, float* out, int64_t heads) {
  each_lanes(heads, [&](int64_t h, int n) {
    store_lanes(out + h, softplus(add(load_lanes(step + h, n), load_lanes(bias + h, n))), n);
  });
}

struct StateSpace {
  const StateSpaceLayer& layer;
  const RecurrentRows& task;
  Convolved convolved;
  int64_t group, first_head, heads;  // of this part
  int64_t columns, stride;           // floats of a head's row, and of what is written or read by
  float *state, *writes, *reads, *inputs;

  StateSpace(const StateSpaceLayer& layer, const RecurrentRows& task)
      : layer(layer),
        task(task),
        convolved{task, layer.convolution},
        group(task.part / layer.parts_each()),
        first_head(group * layer.heads_each() + task.part % layer.parts_each() * kHeadsTogether),
        heads(least(kHeadsTogether, (group + 1) * layer.heads_each() - first_head)),
        columns(whole_columns(layer.head_dim)),
        stride(layer.state_dim + 16),
        state(task.scratch),
        writes(state + heads * columns * layer.state_dim),
        reads(writes + kConvolvedRows * stride),
        inputs(reads + kConvolvedRows * stride) {}

  int64_t write_channel() const { return layer.inner() + group * layer.state_dim; }
  int64_t read_channel() const { return write_channel() + layer.groups * layer.state_dim; }
  int64_t head_channel(int64_t i) const { return (first_head + i) * layer.head_dim; }
  HeadColumns place(int64_t head, int64_t column) const {
    return {task,
            (first_head + head) * layer.state_dim * layer.head_dim + column,
            layer.state_dim,
            layer.head_dim,
            state + (head * columns + column) * layer.state_dim,
            lanes_left(layer.head_dim, column),
            lanes_left(layer.head_dim, column + 16)};
  }

  void prepare(int64_t row, int64_t slot) const {
    const int64_t width = (layer.state_dim + 15) / 16 * 16;
    convolved.activate(row, write_channel(), layer.state_dim, width, writes + slot * stride);
    if (task.out) {
      convolved.activate(row, read_channel(), layer.state_dim, width, reads + slot * stride);
    }
    for (int64_t head = 0; head < heads; ++head) {
      convolved.activate(row, head_channel(head), layer.head_dim, columns,
                         inputs + (head * kConvolvedRows + slot) * columns);
    }
  }

  // Takes columns through rows first … first + count - 1, which are prepared.
  void advance(int64_t head, int64_t column, int64_t first, int64_t count) const {
    const HeadColumns at = place(head, column);
    const int64_t number = first_head + head;
    const f32x16 rate = splat(layer.decay_rate[number]), skip = splat(layer.skip[number]);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t row = first + r;
      const f32x16 time = splat(task.gates[row][number]);
      const Columns x = load_columns(inputs + (head * kConvolvedRows + r) * columns + column);
      const Step step{exp(mul(rate, time)),
                      writes + r * stride,
                      task.out ? reads + r * stride : nullptr,
                      nullptr,
                      {mul(time, x.low), mul(time, x.high)}};
      Columns unused;
      const Columns read =
          sweep(at.source(row), at.target(row), at.ahead(row), step, layer.state_dim, unused);
      if (task.out) {
        float* out = task.out[row] + number * layer.head_dim + column;
        store_lanes(out, fma(skip, x.low, read.low), at.low);
        store_lanes(out + 16, fma(skip, x.high, read.high), at.high);
      }
    }
  }

  void run() const {
    for (int64_t first = 0; first < task.rows; first += kConvolvedRows) {
      const int64_t count = least(kConvolvedRows, task.rows - first);
      for (int64_t r = 0; r < count; ++r) prepare(first + r, r);
      for (int64_t head = 0; head < heads; ++head) {
        for (int64_t column = 0; column < columns; column += kStateColumns) {
          advance(head, column, first, count);
        }
      }
    }
  }
};

void advance_state_space(const StateSpaceLayer& layer, const RecurrentRows& task) {
  StateSpace(layer, task).run();
}

}  // namespace paceline::PACELINE_VARIANT
