// The kinds of recurrent layers, and what makes their gates.
#pragma once

#include <cstdint>

#include "cpu/operation.h"
#include "cpu/recurrence.h"
#include "cpu/recurrent_layers.h"

namespace paceline {

class DeltaRule : public Recurrence {
 public:
  DeltaRule(const DeltaLayer& weights, int64_t taps, int64_t layer);
  const DeltaLayer& weights() const { return weights_; }
  int64_t out_width() const override { return weights_.value_heads * weights_.value_dim; }
  int64_t parts() const override { return weights_.key_heads; }
  int64_t scratch_floats() const override { return paceline::scratch_floats(weights_); }
  void advance(const Kernels& kernels, const RecurrentRows& rows) const override;

 private:
  DeltaLayer weights_;
};

/// `gates` gets the logarithm of each head's decay, then its beta.
class DeltaGates : public RowOperation {
 public:
  DeltaGates(Buffer& decay, Buffer& beta, Buffer& gates, const DeltaLayer& weights);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return gates_.width; }

 private:
  Buffer &decay_, &beta_, &gates_;
  const DeltaLayer& weights_;
};

class StateSpace : public Recurrence {
 public:
  StateSpace(const StateSpaceLayer& weights, int64_t taps, int64_t layer);
  const StateSpaceLayer& weights() const { return weights_; }
  int64_t out_width() const override { return weights_.inner(); }
  int64_t parts() const override { return weights_.groups * weights_.parts_each(); }
  int64_t scratch_floats() const override { return paceline::scratch_floats(weights_); }
  void advance(const Kernels& kernels, const RecurrentRows& rows) const override;

 private:
  StateSpaceLayer weights_;
};

/// `gates` gets each head's step in time.
class Steps : public RowOperation {
 public:
  Steps(Buffer& step, Buffer& gates, const StateSpaceLayer& weights);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return gates_.width; }

 private:
  Buffer &step_, &gates_;
  const StateSpaceLayer& weights_;
};

class ShortConvolution : public Recurrence {
 public:
  ShortConvolution(const Convolution& weights, int64_t width, int64_t taps, int64_t layer);
  int64_t out_width() const override { return sizes().channels; }
  int64_t parts() const override {
    return (sizes().channels + kChannelsTogether - 1) / kChannelsTogether;
  }
  int64_t scratch_floats() const override { return 0; }
  void advance(const Kernels& kernels, const RecurrentRows& rows) const override;

 private:
  Convolution weights_;
};

}  // namespace paceline
