// The weights of each kind of recurrent layer; operations/sequences.py defines what they compute.
#pragma once

#include <cstdint>

#include "cpu/recurrent_rows.h"

namespace paceline {

/// A gated delta net. Its parts are the key heads, each with the value heads that use it.
struct DeltaLayer {
  int64_t key_heads, value_heads, key_dim, value_dim;
  bool adjacent;  // value heads of a key head lie side by side, else key_heads apart
  Convolution convolution;
  const float* decay_bias;  // [value_heads]
  const float* decay_rate;  // [value_heads]
  float epsilon;

  PACELINE_INLINE int64_t keys_width() const { return key_heads * key_dim; }
  PACELINE_INLINE int64_t heads_each() const { return value_heads / key_heads; }
};

/// Floats of scratch that a part of it needs.
inline int64_t scratch_floats(const DeltaLayer& layer) {
  const int64_t columns = layer.heads_each() * whole_columns(layer.value_dim);
  return columns * (layer.key_dim + kConvolvedRows + 1) +
         2 * kConvolvedRows * (layer.key_dim + 16);
}

/// Heads of a group of Mamba-2's that go through a state together: enough to make little of the
/// convolution that they share, few enough that threads find some to do.
constexpr int64_t kHeadsTogether = 4;

/// A Mamba-2 layer. Its parts are `kHeadsTogether` heads of a group, or what is left of one.
struct StateSpaceLayer {
  int64_t groups, heads, head_dim, state_dim;
  Convolution convolution;
  const float* step_bias;   // [heads]
  const float* decay_rate;  // [heads]
  const float* skip;        // [heads]

  PACELINE_INLINE int64_t inner() const { return heads * head_dim; }
  PACELINE_INLINE int64_t heads_each() const { return heads / groups; }
  PACELINE_INLINE int64_t parts_each() const {
    return (heads_each() + kHeadsTogether - 1) / kHeadsTogether;
  }
};

inline int64_t scratch_floats(const StateSpaceLayer& layer) {
  const int64_t columns = kHeadsTogether * whole_columns(layer.head_dim);
  return columns * (layer.state_dim + kConvolvedRows) +
         2 * kConvolvedRows * (layer.state_dim + 16);
}

/// A short convolution by itself. Its parts are so many channels each.
constexpr int64_t kChannelsTogether = 512;

}  // namespace paceline
