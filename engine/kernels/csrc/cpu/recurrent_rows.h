// Rows on their way through a recurrent layer, as its kernel and the phase that calls it see them.
#pragma once

#include <cstdint>

#include "cpu/arch/inline.h"

namespace paceline {

/// What a layer keeps for a sequence and consumes of a row, in floats; recurrent_shapes.py says how
/// it lies.
struct RecurrentSizes {
  int64_t state;  // 0 where there is nothing behind the convolution
  int64_t channels, taps;
  int64_t gates;

  int64_t window_start() const { return whole_lines(state); }
  int64_t kept_floats() const { return window_start() + whole_lines((taps - 1) * channels); }
  int64_t tape_floats() const { return channels + gates; }

 private:
  static int64_t whole_lines(int64_t floats) { return (floats + 15) / 16 * 16; }
};

/// A convolution over a row and those before it, each channel by itself.
struct Convolution {
  const float* weight;  // [taps, channels]
  const float* bias;    // [channels] or null
};

/// Rows of one slot, in order, through one part of a layer. Parts share nothing that they write; the
/// window, which several may read, is moved on behind all of them.
struct RecurrentRows {
  int64_t part;

  const float* state;   // what the first row meets
  const float* window;  // [taps - 1, channels]
  float* next_state;    // what the rows leave behind: perhaps in the same place, null for nowhere

  int64_t rows, channels, taps;
  const float* const* mixed;  // [rows], each [channels]: what the convolution runs over
  const float* const* gates;  // [rows], what else a row consists of
  float* const* out;          // [rows]; null to leave them out
  float* scratch;

  /// What the convolution runs over `row` rows behind the first; negative ones are in the window.
  PACELINE_INLINE const float* input(int64_t row) const {
    return row < 0 ? window + (taps - 1 + row) * channels : mixed[row];
  }
};

/// Rows whose convolution is kept at a time.
constexpr int64_t kConvolvedRows = 32;

/// Columns of a state that are taken through all rows while they lie in the first cache.
constexpr int64_t kStateColumns = 32;

PACELINE_INLINE constexpr int64_t whole_columns(int64_t width) {
  return (width + kStateColumns - 1) / kStateColumns * kStateColumns;
}

}  // namespace paceline
