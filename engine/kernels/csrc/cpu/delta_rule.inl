// The gated delta rule behind its convolution (operations/sequences.py), for forward passes and folds.
//
// One sweep over a few columns updates the state by a row, reads that row's output, and sums what
// the next row's key finds in it.
#include <cstdint>

#include "cpu/convolution.inl"
#include "cpu/recurrent_layers.h"
#include "cpu/state_columns.inl"

namespace paceline::PACELINE_VARIANT {

void delta_gates(const float* decay, const float* beta, const float* bias, const float* rate,
                 float* gates, int64_t heads) {
  each_lanes(heads, [&](int64_t h, int n) {
    const f32x16 rise = softplus(add(load_lanes(decay + h, n), load_lanes(bias + h, n)));
    store_lanes(gates + h, mul(load_lanes(rate + h, n), rise), n);
    store_lanes(gates + heads + h, sigmoid(load_lanes(beta + h, n)), n);
  });
}

// What a key finds in `count` vectors of columns, key' S; rows lie `stride` floats apart.
template <int count>
PACELINE_INLINE void find(const float* state, int64_t stride, int lanes, const float* key,
                          int64_t key_dim, float* found) {
  f32x16 total[count];
  PACELINE_UNROLL
  for (int v = 0; v < count; ++v) total[v] = splat(0.0f);
  for (int64_t i = 0; i < key_dim; ++i, state += stride) {
    const f32x16 k = splat(key[i]);
    PACELINE_UNROLL
    for (int v = 0; v < count; ++v) {
      total[v] = fma(k, load_lanes(state + 16 * v, lanes), total[v]);
    }
  }
  PACELINE_UNROLL
  for (int v = 0; v < count; ++v) store(found + 16 * v, total[v]);
}

// Vectors of a state's row that `find` sums at a time: the state is first read as it lies in memory.
constexpr int kFound = kLanes == 16 ? 8 : 4;

struct Delta {
  const DeltaLayer& layer;
  const RecurrentRows& task;
  Convolved convolved;
  int64_t heads, columns, key_stride;  // value heads of this key head; floats of their rows
  float *state, *queries, *keys, *values, *found;

  Delta(const DeltaLayer& layer, const RecurrentRows& task)
      : layer(layer),
        task(task),
        convolved{task, layer.convolution},
        heads(layer.heads_each()),
        columns(whole_columns(layer.value_dim)),
        key_stride(layer.key_dim + 16),
        state(task.scratch),
        queries(state + heads * columns * layer.key_dim),
        keys(queries + kConvolvedRows * key_stride),
        values(keys + kConvolvedRows * key_stride),
        found(values + kConvolvedRows * heads * columns) {}

  int64_t value_head(int64_t i) const {
    return layer.adjacent ? task.part * heads + i : task.part + i * layer.key_heads;
  }
  int64_t query_channel() const { return task.part * layer.key_dim; }
  int64_t key_channel() const { return layer.keys_width() + query_channel(); }
  int64_t value_channel(int64_t i) const {
    return 2 * layer.keys_width() + value_head(i) * layer.value_dim;
  }
  HeadColumns place(int64_t head, int64_t column) const {
    return {task,
            value_head(head) * layer.key_dim * layer.value_dim + column,
            layer.key_dim,
            layer.value_dim,
            inside(head, column),
            lanes_left(layer.value_dim, column),
            lanes_left(layer.value_dim, column + 16)};
  }
  float* inside(int64_t head, int64_t column) const {
    return state + (head * columns + column) * layer.key_dim;
  }

  // Divides by the Euclidean length, which epsilon keeps from zero, and by `extra`.
  void to_unit_length(float* x, float extra) const {
    f32x16 square = splat(0.0f);
    each_lanes(layer.key_dim, [&](int64_t i, int n) {
      const f32x16 lanes = load_lanes(x + i, n);
      square = fma(lanes, lanes, square);
    });
    const float length = sqrtf(sum(square));
    const float divisor = length < layer.epsilon ? layer.epsilon : length;
    const f32x16 scale = splat(1.0f / (divisor * extra));
    each_lanes(layer.key_dim,
               [&](int64_t i, int n) { store_lanes(x + i, mul(load_lanes(x + i, n), scale), n); });
  }

  void prepare(int64_t row, int64_t slot) const {
    const int64_t width = (layer.key_dim + 15) / 16 * 16;
    float *query = queries + slot * key_stride, *key = keys + slot * key_stride;
    if (task.out) {
      convolved.activate(row, query_channel(), layer.key_dim, width, query);
      to_unit_length(query, sqrtf(static_cast<float>(layer.key_dim)));
    }
    convolved.activate(row, key_channel(), layer.key_dim, width, key);
    to_unit_length(key, 1.0f);
    for (int64_t head = 0; head < heads; ++head) {
      convolved.activate(row, value_channel(head), layer.value_dim, columns,
                         values + (head * kConvolvedRows + slot) * columns);
    }
  }

  // What the key of the first prepared row finds in all columns of a head.
  void find_first(int64_t head, int64_t row) const {
    if (row > 0) {
      for (int64_t c = 0; c < columns; c += kStateColumns) {
        find<2>(inside(head, c), kStateColumns, 16, keys, layer.key_dim, found + c);
      }
      return;
    }
    const float* rows = task.state + place(head, 0).offset;
    int64_t c = 0;
    for (; c + 16 * kFound <= layer.value_dim; c += 16 * kFound) {
      find<kFound>(rows + c, layer.value_dim, 16, keys, layer.key_dim, found + c);
    }
    for (; c < columns; c += 16) {
      find<1>(rows + c, layer.value_dim, lanes_left(layer.value_dim, c), keys, layer.key_dim,
              found + c);
    }
  }

  // Takes columns through rows first … first + count - 1, which are prepared.
  void advance(int64_t head, int64_t column, int64_t first, int64_t count) const {
    const HeadColumns at = place(head, column);
    Columns seen = load_columns(found + column);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t row = first + r;
      const float* gates = task.gates[row] + value_head(head);
      const f32x16 decay = exp(splat(gates[0])), rate = splat(gates[layer.value_heads]);
      const Columns value = load_columns(values + (head * kConvolvedRows + r) * columns + column);
      const float* key = keys + r * key_stride;
      const Step step{decay,
                      key,
                      task.out ? queries + r * key_stride : nullptr,
                      r + 1 < count ? key + key_stride : nullptr,
                      {mul(sub(value.low, mul(decay, seen.low)), rate),
                       mul(sub(value.high, mul(decay, seen.high)), rate)}};
      const Columns read =
          sweep(at.source(row), at.target(row), at.ahead(row), step, layer.key_dim, seen);
      if (task.out) {
        float* out = task.out[row] + value_head(head) * layer.value_dim + column;
        store_lanes(out, read.low, at.low);
        store_lanes(out + 16, read.high, at.high);
      }
    }
  }

  void run() const {
    for (int64_t first = 0; first < task.rows; first += kConvolvedRows) {
      const int64_t count = least(kConvolvedRows, task.rows - first);
      for (int64_t r = 0; r < count; ++r) prepare(first + r, r);
      for (int64_t head = 0; head < heads; ++head) {
        find_first(head, first);
        for (int64_t column = 0; column < columns; column += kStateColumns) {
          advance(head, column, first, count);
        }
      }
    }
  }
};

void advance_delta(const DeltaLayer& layer, const RecurrentRows& task) {
  Delta(layer, task).run();
}

}  // namespace paceline::PACELINE_VARIANT
