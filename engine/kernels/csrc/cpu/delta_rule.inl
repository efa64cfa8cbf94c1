// The gated delta rule behind its convolution (program.py defines it), for forward passes and folds.
//
// Columns of a state never meet, so a few of them go through all rows while they lie in the first
// cache. One sweep over them updates the state by a row, reads that row's output, and sums what the
// next row's key finds in it.
#include <cstdint>
#include <cstring>

#include "cpu/delta_head.h"
#include "cpu/math.inl"

namespace paceline::PACELINE_VARIANT {

void delta_gates(const float* decay, const float* beta, const float* bias, const float* rate,
                 float* gates, int64_t heads) {
  each_lanes(heads, [&](int64_t h, int n) {
    const f32x16 rise = softplus(add(load_lanes(decay + h, n), load_lanes(bias + h, n)));
    store_lanes(gates + h, mul(load_lanes(rate + h, n), rise), n);
    store_lanes(gates + heads + h, sigmoid(load_lanes(beta + h, n)), n);
  });
}

struct Columns {
  f32x16 low, high;
};

PACELINE_INLINE Columns load_columns(const float* p) { return {load(p), load(p + 16)}; }

// Where kDeltaColumns columns of a state lie: rows `stride` floats apart, so many lanes of each.
template <class Float>
struct Place {
  Float* rows;
  int64_t stride;
  int low, high;

  PACELINE_INLINE bool is_whole() const { return low == 16 && high == 16; }
};

template <bool whole>
PACELINE_INLINE Columns read_columns(const Place<const float>& place, int64_t i) {
  const float* row = place.rows + i * place.stride;
  if constexpr (whole) return load_columns(row);
  return {load_partial(row, place.low), load_partial(row + 16, place.high)};
}

template <bool whole>
PACELINE_INLINE void write_columns(const Place<float>& place, int64_t i, Columns columns) {
  float* row = place.rows + i * place.stride;
  if constexpr (whole) {
    store(row, columns.low);
    store(row + 16, columns.high);
  } else {
    store_partial(row, columns.low, place.low);
    store_partial(row + 16, columns.high, place.high);
  }
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

// What a row does to a state. The query is null where nobody reads the row's output; the next key is
// that of the row behind it, or null.
struct Step {
  f32x16 decay;
  const float *key, *query, *next_key;  // [key_dim]
  Columns change;
};

// Takes columns from one place to another, updated by a row, and reads them by its query. Leaves in
// `found` what the next key finds, with the operations of `find`.
template <bool has_query, bool has_next, bool whole>
Columns sweep(Place<const float> from, Place<float> to, const Step& step, int64_t key_dim,
              Columns& found) {
  Columns read{splat(0.0f), splat(0.0f)}, next{splat(0.0f), splat(0.0f)};
  for (int64_t i = 0; i < key_dim; ++i) {
    const f32x16 key = splat(step.key[i]);
    Columns columns = read_columns<whole>(from, i);
    columns.low = fma(key, step.change.low, mul(step.decay, columns.low));
    columns.high = fma(key, step.change.high, mul(step.decay, columns.high));
    write_columns<whole>(to, i, columns);
    if constexpr (has_query) {
      const f32x16 query = splat(step.query[i]);
      read.low = fma(query, columns.low, read.low);
      read.high = fma(query, columns.high, read.high);
    }
    if constexpr (has_next) {
      const f32x16 next_key = splat(step.next_key[i]);
      next.low = fma(next_key, columns.low, next.low);
      next.high = fma(next_key, columns.high, next.high);
    }
  }
  found = next;
  return read;
}

template <bool has_query, bool has_next>
PACELINE_INLINE Columns sweep(Place<const float> from, Place<float> to, const Step& step,
                              int64_t key_dim, Columns& found) {
  return from.is_whole() && to.is_whole()
             ? sweep<has_query, has_next, true>(from, to, step, key_dim, found)
             : sweep<has_query, has_next, false>(from, to, step, key_dim, found);
}

PACELINE_INLINE Columns sweep(Place<const float> from, Place<float> to, const Step& step,
                              int64_t key_dim, Columns& found) {
  if (step.query) {
    return step.next_key ? sweep<true, true>(from, to, step, key_dim, found)
                         : sweep<true, false>(from, to, step, key_dim, found);
  }
  return step.next_key ? sweep<false, true>(from, to, step, key_dim, found)
                       : sweep<false, false>(from, to, step, key_dim, found);
}

// Vectors of a state's row that `find` sums at a time: the state is first read as it lies in memory.
constexpr int kFound = kLanes == 16 ? 8 : 4;

struct Delta {
  const DeltaHead& task;
  const DeltaShape& shape;
  int64_t heads, columns, key_stride;  // value heads of this key head; floats of their rows
  float *state, *queries, *keys, *values, *found;

  explicit Delta(const DeltaHead& task)
      : task(task),
        shape(*task.shape),
        heads(shape.value_heads / shape.key_heads),
        columns(delta_columns(shape.value_dim)),
        key_stride(shape.key_dim + 16),
        state(task.scratch),
        queries(state + heads * columns * shape.key_dim),
        keys(queries + kDeltaRows * key_stride),
        values(keys + kDeltaRows * key_stride),
        found(values + kDeltaRows * heads * columns) {}

  int64_t value_head(int64_t i) const { return task.key_head + i * shape.key_heads; }
  int64_t value_channel(int64_t i) const {
    return 2 * shape.keys_width() + value_head(i) * shape.value_dim;
  }
  // Where columns of a head lie: in the state of the task, or in the scratch between its rows.
  int64_t offset(int64_t head, int64_t column) const {
    return value_head(head) * shape.key_dim * shape.value_dim + column;
  }
  float* inside(int64_t head, int64_t column) const {
    return state + (head * columns + column) * shape.key_dim;
  }
  Place<const float> source(int64_t head, int64_t column, int64_t row) const {
    if (row > 0) return {inside(head, column), kDeltaColumns, 16, 16};
    return {task.state + offset(head, column), shape.value_dim,
            lanes_left(shape.value_dim, column), lanes_left(shape.value_dim, column + 16)};
  }
  Place<float> target(int64_t head, int64_t column, int64_t row) const {
    if (row + 1 < task.rows || !task.next_state) {
      return {inside(head, column), kDeltaColumns, 16, 16};
    }
    return {task.next_state + offset(head, column), shape.value_dim,
            lanes_left(shape.value_dim, column), lanes_left(shape.value_dim, column + 16)};
  }

  // The row before the convolution that lies `row` rows behind the first; negative ones are in the
  // window.
  const float* before_convolution(int64_t row) const {
    return row < 0 ? task.window + (shape.taps - 1 + row) * shape.channels() : task.mixed[row];
  }

  // `width` floats from `channel` on, convolved and activated, then zeros up to `padded_width`.
  void convolve(int64_t row, int64_t channel, int64_t width, int64_t padded_width,
                float* out) const {
    for (int64_t i = 0; i < padded_width; i += 16) {
      const int n = lanes_left(width, i);
      const float* taps = task.convolution + channel + i;
      f32x16 total = splat(0.0f);
      for (int64_t t = 0; t < shape.taps; ++t, taps += shape.channels()) {
        const float* x = before_convolution(row - shape.taps + 1 + t) + channel + i;
        total = fma(load_lanes(taps, n), load_lanes(x, n), total);
      }
      store(out + i, silu(total));
    }
  }

  // Divides by the Euclidean length, which epsilon keeps from zero, and by `extra`.
  void to_unit_length(float* x, float extra) const {
    f32x16 square = splat(0.0f);
    each_lanes(shape.key_dim, [&](int64_t i, int n) {
      const f32x16 lanes = load_lanes(x + i, n);
      square = fma(lanes, lanes, square);
    });
    const float length = sqrtf(sum(square));
    const float divisor = length < task.epsilon ? task.epsilon : length;
    const f32x16 scale = splat(1.0f / (divisor * extra));
    each_lanes(shape.key_dim,
               [&](int64_t i, int n) { store_lanes(x + i, mul(load_lanes(x + i, n), scale), n); });
  }

  void prepare(int64_t row, int64_t slot) const {
    const int64_t channel = task.key_head * shape.key_dim;
    const int64_t width = (shape.key_dim + 15) / 16 * 16;
    float *query = queries + slot * key_stride, *key = keys + slot * key_stride;
    if (task.out) {
      convolve(row, channel, shape.key_dim, width, query);
      to_unit_length(query, sqrtf(static_cast<float>(shape.key_dim)));
    }
    convolve(row, shape.keys_width() + channel, shape.key_dim, width, key);
    to_unit_length(key, 1.0f);
    for (int64_t head = 0; head < heads; ++head) {
      convolve(row, value_channel(head), shape.value_dim, columns,
               values + (head * kDeltaRows + slot) * columns);
    }
  }

  // What the key of the first prepared row finds in all columns of a head.
  void find_first(int64_t head, int64_t row) const {
    if (row > 0) {
      for (int64_t c = 0; c < columns; c += kDeltaColumns) {
        find<2>(inside(head, c), kDeltaColumns, 16, keys, shape.key_dim, found + c);
      }
      return;
    }
    const float* rows = task.state + offset(head, 0);
    int64_t c = 0;
    for (; c + 16 * kFound <= shape.value_dim; c += 16 * kFound) {
      find<kFound>(rows + c, shape.value_dim, 16, keys, shape.key_dim, found + c);
    }
    for (; c < columns; c += 16) {
      find<1>(rows + c, shape.value_dim, lanes_left(shape.value_dim, c), keys, shape.key_dim,
              found + c);
    }
  }

  // Takes columns through rows first … first + count - 1, which are prepared.
  void advance(int64_t head, int64_t column, int64_t first, int64_t count) const {
    Columns seen = load_columns(found + column);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t row = first + r;
      const float* gates = task.gates[row] + value_head(head);
      const f32x16 decay = exp(splat(gates[0])), rate = splat(gates[shape.value_heads]);
      const Columns value = load_columns(values + (head * kDeltaRows + r) * columns + column);
      const float* key = keys + r * key_stride;
      const Step step{decay,
                      key,
                      task.out ? queries + r * key_stride : nullptr,
                      r + 1 < count ? key + key_stride : nullptr,
                      {mul(sub(value.low, mul(decay, seen.low)), rate),
                       mul(sub(value.high, mul(decay, seen.high)), rate)}};
      const Columns read =
          sweep(source(head, column, row), target(head, column, row), step, shape.key_dim, seen);
      if (task.out) write(task.out[row] + value_head(head) * shape.value_dim, column, read);
    }
  }

  void write(float* out, int64_t column, Columns read) const {
    store_lanes(out + column, read.low, lanes_left(shape.value_dim, column));
    store_lanes(out + column + 16, read.high, lanes_left(shape.value_dim, column + 16));
  }

  // Moves the task's channels of the window on by all rows.
  void move_window() const {
    const auto move = [&](int64_t channel, int64_t width) {
      for (int64_t t = 0; t < shape.taps - 1; ++t) {
        const float* from = before_convolution(task.rows - shape.taps + 1 + t) + channel;
        float* to = task.next_window + t * shape.channels() + channel;
        std::memcpy(to, from, static_cast<size_t>(width) * sizeof *to);
      }
    };
    move(task.key_head * shape.key_dim, shape.key_dim);
    move(shape.keys_width() + task.key_head * shape.key_dim, shape.key_dim);
    for (int64_t head = 0; head < heads; ++head) move(value_channel(head), shape.value_dim);
  }

  void run() const {
    for (int64_t first = 0; first < task.rows; first += kDeltaRows) {
      const int64_t count = least(kDeltaRows, task.rows - first);
      for (int64_t r = 0; r < count; ++r) prepare(first + r, r);
      for (int64_t head = 0; head < heads; ++head) {
        find_first(head, first);
        for (int64_t column = 0; column < columns; column += kDeltaColumns) {
          advance(head, column, first, count);
        }
      }
    }
    if (task.next_window) move_window();
  }
};

void advance_head(const DeltaHead& task) { Delta(task).run(); }

}  // namespace paceline::PACELINE_VARIANT
