// Which experts a row goes to, and the sum of what they answer.
#pragma once

#include <cstdint>

#include "cpu/operation.h"
#include "cpu/row_operations.h"

namespace paceline {

/// How the weights of experts come from a router's logits; the numbers are part of the ABI.
enum class Gating : int32_t { softmax = 0, sigmoid = 1, softmax_of_chosen = 2 };

/// The settings of `Routing` in engine/kernels/operations/experts.py.
struct Routing {
  Gating gating;
  int64_t groups, groups_used;
  bool normalised;
  float scale;
};

/// Writes the numbers of the experts with the best scores, as floats, and their weights.
class Route : public RowOperation {
 public:
  /// `bias` has no data where there is none.
  Route(Buffer& logits, Vector bias, Buffer& chosen, Buffer& weights, Routing routing);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return 4 * logits_.width; }

 private:
  void gate(const Pass& pass, const float* logits, float* gates) const;
  void score(const float* gates, float* scores) const;
  void drop_groups(float* scores) const;
  void weigh(const Pass& pass, const float* gates, const float* chosen, float* weights) const;

  Buffer& logits_;
  Vector bias_;
  Buffer &chosen_, &weights_;
  Routing routing_;
};

/// The weighted sum of parts that lie side by side in a row.
class WeightedSum : public RowOperation {
 public:
  WeightedSum(Buffer& source, Buffer& weights, Buffer& out, bool accumulate);
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return source_.width; }

 private:
  Buffer &source_, &weights_, &out_;
  bool accumulate_;
};

}  // namespace paceline
