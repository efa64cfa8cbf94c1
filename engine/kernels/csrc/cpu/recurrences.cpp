#include "cpu/recurrences.h"

#include "cpu/checks.h"

namespace paceline {
namespace {

RecurrentSizes sizes_of(const DeltaLayer& weights, int64_t taps) {
  require(weights.key_heads > 0 && weights.value_heads % weights.key_heads == 0 && taps > 1,
          "The heads of a recurrent layer do not fit each other.");
  const int64_t values = weights.value_heads * weights.value_dim;
  return {.state = values * weights.key_dim,
          .channels = 2 * weights.keys_width() + values,
          .taps = taps,
          .gates = 2 * weights.value_heads};
}

RecurrentSizes sizes_of(const StateSpaceLayer& weights, int64_t taps) {
  require(weights.groups > 0 && weights.heads % weights.groups == 0 && taps > 1,
          "The heads of a recurrent layer do not fit each other.");
  return {.state = weights.inner() * weights.state_dim,
          .channels = weights.inner() + 2 * weights.groups * weights.state_dim,
          .taps = taps,
          .gates = weights.heads};
}

}  // namespace

DeltaRule::DeltaRule(const DeltaLayer& weights, int64_t taps, int64_t layer)
    : Recurrence(sizes_of(weights, taps), layer), weights_(weights) {}

void DeltaRule::advance(const Kernels& kernels, const RecurrentRows& rows) const {
  kernels.advance_delta(weights_, rows);
}

DeltaGates::DeltaGates(Buffer& decay, Buffer& beta, Buffer& gates, const DeltaLayer& weights)
    : decay_(decay), beta_(beta), gates_(gates), weights_(weights) {
  const int64_t heads = weights.value_heads;
  require(decay.width == heads && beta.width == heads && gates.width == 2 * heads,
          "A recurrent layer has another number of gates than of heads.");
}

void DeltaGates::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.delta_gates(decay_.row(row), beta_.row(row), weights_.decay_bias,
                             weights_.decay_rate, gates_.row(row), weights_.value_heads);
  }
}

StateSpace::StateSpace(const StateSpaceLayer& weights, int64_t taps, int64_t layer)
    : Recurrence(sizes_of(weights, taps), layer), weights_(weights) {}

void StateSpace::advance(const Kernels& kernels, const RecurrentRows& rows) const {
  kernels.advance_state_space(weights_, rows);
}

Steps::Steps(Buffer& step, Buffer& gates, const StateSpaceLayer& weights)
    : step_(step), gates_(gates), weights_(weights) {
  require(step.width == weights.heads && gates.width == weights.heads,
          "A recurrent layer has another number of gates than of heads.");
}

void Steps::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.steps(step_.row(row), weights_.step_bias, gates_.row(row), weights_.heads);
  }
}

ShortConvolution::ShortConvolution(const Convolution& weights, int64_t width, int64_t taps,
                                   int64_t layer)
    : Recurrence({.state = 0, .channels = width, .taps = taps, .gates = 0}, layer),
      weights_(weights) {
  require(taps > 1, "A convolution over single rows needs no state.");
}

void ShortConvolution::advance(const Kernels& kernels, const RecurrentRows& rows) const {
  kernels.convolve(weights_, rows);
}

}  // namespace paceline
