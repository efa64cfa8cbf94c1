// The gated delta rule for one key head, as the kernel and the operation that calls it see it.
#pragma once

#include <cstdint>

#include "cpu/arch/inline.h"

namespace paceline {

/// The sizes of a gated delta net layer, as DeltaShape in state_types.py.
struct DeltaShape {
  int64_t key_heads, value_heads, key_dim, value_dim, taps;

  PACELINE_INLINE int64_t keys_width() const { return key_heads * key_dim; }
  PACELINE_INLINE int64_t channels() const { return 2 * keys_width() + value_heads * value_dim; }
  PACELINE_INLINE int64_t state_floats() const { return value_heads * key_dim * value_dim; }
  PACELINE_INLINE int64_t window_floats() const { return (taps - 1) * channels(); }
  PACELINE_INLINE int64_t tape_floats() const { return channels() + 2 * value_heads; }
};

/// Rows of one slot, in order, through the convolution and the value heads of one key head: head h
/// belongs to key head h % key_heads.
struct DeltaHead {
  const DeltaShape* shape;
  const float* convolution;  // [taps, channels]
  float epsilon;
  int64_t key_head;

  const float* state;   // [value_heads, key_dim, value_dim], what the first row meets
  const float* window;  // [taps - 1, channels]
  float* next_state;    // what the rows leave behind: perhaps in the same place, null for nowhere
  float* next_window;

  int64_t rows;
  const float* const* mixed;  // [rows], each [channels]
  const float* const* gates;  // [rows], each: logarithm of the decay, then beta, [value_heads]
  float* const* out;          // [rows], each [value_heads, value_dim]; null to leave them out
  float* scratch;             // delta_head_floats
};

/// Columns of a state that are taken through all rows while they lie in the first cache.
constexpr int64_t kDeltaColumns = 32;
/// Rows whose convolution is kept at a time.
constexpr int64_t kDeltaRows = 32;

PACELINE_INLINE constexpr int64_t delta_columns(int64_t value_dim) {
  return (value_dim + kDeltaColumns - 1) / kDeltaColumns * kDeltaColumns;
}

/// Floats of scratch that `DeltaHead` needs.
PACELINE_INLINE int64_t delta_head_floats(const DeltaShape& shape) {
  const int64_t heads = shape.value_heads / shape.key_heads;
  const int64_t columns = heads * delta_columns(shape.value_dim);
  return columns * (shape.key_dim + kDeltaRows + 1) + 2 * kDeltaRows * (shape.key_dim + 16);
}

}  // namespace paceline
