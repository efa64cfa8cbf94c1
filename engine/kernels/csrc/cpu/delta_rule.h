// The gated delta rule over the rows of all slots, and the fold of a slot's tape.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/delta_head.h"
#include "cpu/operation.h"
#include "cpu/row_operations.h"

namespace paceline {

/// The weights of a layer.
struct DeltaWeights {
  DeltaShape shape;
  const float* convolution;  // [taps, channels]
  const float* decay_bias;   // [value_heads]
  const float* decay_rate;   // [value_heads]
  float epsilon;
};

/// Computes the gates of each row, and takes rows down on the tape of their slot.
class DeltaGates : public RowOperation {
 public:
  /// `gates` is [2 value_heads] wide: the logarithm of each head's decay, then its beta.
  DeltaGates(Buffer& mixed, Buffer& decay, Buffer& beta, Buffer& gates,
             const DeltaWeights& weights, int64_t layer);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return mixed_.width; }

 private:
  Buffer &mixed_, &decay_, &beta_, &gates_;
  const DeltaWeights& weights_;
  int64_t layer_;
};

/// Takes the rows of each slot through the state in order; key heads are spread over threads.
class DeltaRule : public Phase {
 public:
  DeltaRule(Buffer& mixed, Buffer& gates, Buffer& out, const DeltaWeights& weights, int64_t layer);
  void run(const Pass& pass) override;

  int64_t layer() const { return layer_; }
  const DeltaWeights& weights() const { return weights_; }

 private:
  Buffer &mixed_, &gates_, &out_;
  const DeltaWeights& weights_;
  int64_t layer_;
  // Of the pass under way, slot by slot.
  std::vector<const float*> mixed_rows_, gate_rows_;
  std::vector<float*> out_rows_;
};

/// Applies the first rows of a slot's tape to an entry of every layer.
///
/// Throws std::invalid_argument where there is no such slot, entry or row.
void fold(const std::vector<const DeltaRule*>& layers, const State& state, int64_t entry,
          int64_t slot, int64_t rows, const Kernels& kernels, const Scratch& scratch, Pool& pool);

}  // namespace paceline
