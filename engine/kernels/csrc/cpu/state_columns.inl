// A few columns of a recurrent state, [rows, columns], on their way through the rows of a slot.
//
// Columns never meet, so a few of them go through all rows while they lie in the first cache. A row
// fades them, adds an outer product, and reads them.
#pragma once

#include <cstdint>

#include "cpu/math.inl"
#include "cpu/recurrent_rows.h"

namespace paceline::PACELINE_VARIANT {

struct Columns {
  f32x16 low, high;
};

PACELINE_INLINE Columns load_columns(const float* p) { return {load(p), load(p + 16)}; }

// Columns that memory is asked for while others are computed with. The sweeps that share in it are a
// power of two, so that a fold asks for the next state all the while instead of waiting for it.
struct Ahead {
  const float* rows = nullptr;  // null for none
  int64_t stride = 0;
  int64_t first = 0;  // steps of the sweeps before this one
  int shift = 0;      // by which steps become rows

  PACELINE_INLINE void ask(int64_t i) const {
    const float* row = rows + ((first + i) >> shift) * stride;
    prefetch_second(row);
    prefetch_second(row + 16);
  }
};

// Where kStateColumns columns of a state lie: rows `stride` floats apart, so many lanes of each.
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
Columns sweep(Place<const float> from, Place<float> to, const Ahead& ahead, const Step& step,
              int64_t key_dim, Columns& found) {
  Columns read{splat(0.0f), splat(0.0f)}, next{splat(0.0f), splat(0.0f)};
  for (int64_t i = 0; i < key_dim; ++i) {
    const f32x16 key = splat(step.key[i]);
    Columns columns = read_columns<whole>(from, i);
    if (ahead.rows) ahead.ask(i);
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
PACELINE_INLINE Columns sweep(Place<const float> from, Place<float> to, const Ahead& ahead,
                              const Step& step, int64_t key_dim, Columns& found) {
  return from.is_whole() && to.is_whole()
             ? sweep<has_query, has_next, true>(from, to, ahead, step, key_dim, found)
             : sweep<has_query, has_next, false>(from, to, ahead, step, key_dim, found);
}

PACELINE_INLINE Columns sweep(Place<const float> from, Place<float> to, const Ahead& ahead,
                              const Step& step, int64_t key_dim, Columns& found) {
  if (step.query) {
    return step.next_key ? sweep<true, true>(from, to, ahead, step, key_dim, found)
                         : sweep<true, false>(from, to, ahead, step, key_dim, found);
  }
  return step.next_key ? sweep<false, true>(from, to, ahead, step, key_dim, found)
                       : sweep<false, false>(from, to, ahead, step, key_dim, found);
}

// Where columns of one head's state lie: in the task's own place before the first row and behind the
// last, in the scratch between rows. While rows go through a head, the next one comes from memory.
struct HeadColumns {
  const RecurrentRows& task;
  int64_t offset;  // of the column within the task's state
  int64_t depth, stride;  // the state's rows
  float* inside;
  int low, high;  // lanes that are there

  Place<const float> source(int64_t row) const {
    if (row > 0) return {inside, kStateColumns, 16, 16};
    return {task.state + offset, stride, low, high};
  }
  Place<float> target(int64_t row) const {
    if (row + 1 < task.rows || !task.next_state) return {inside, kStateColumns, 16, 16};
    return {task.next_state + offset, stride, low, high};
  }
  Ahead ahead(int64_t row) const {
    const int shift = task.rows < 2 ? 0 : task.rows < 4 ? 1 : 2;
    if (row >> shift) return {};
    return {task.state + offset + depth * stride, stride, row * depth, shift};
  }
};

}  // namespace paceline::PACELINE_VARIANT
