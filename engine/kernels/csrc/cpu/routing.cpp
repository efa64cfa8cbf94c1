#include "cpu/routing.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "cpu/checks.h"
#include "cpu/top_k.h"

namespace paceline {
namespace {

// What weights are divided by at least, so that those of a row without any stay finite.
constexpr float kLeastSum = 6.103515625e-5f;

/// The sum of the two best scores of a group of experts.
float group_score(const float* scores, int64_t size) {
  float best = -std::numeric_limits<float>::infinity(), second = best;
  for (int64_t i = 0; i < size; ++i) {
    if (scores[i] > best) {
      second = best;
      best = scores[i];
    } else if (scores[i] > second) {
      second = scores[i];
    }
  }
  return size > 1 ? best + second : best;
}

}  // namespace

Route::Route(Buffer& logits, Vector bias, Buffer& chosen, Buffer& weights, Routing routing)
    : logits_(logits), bias_(bias), chosen_(chosen), weights_(weights), routing_(routing) {
  const int64_t experts = logits.width, groups = routing.groups;
  require(routing.gating >= Gating::softmax && routing.gating <= Gating::softmax_of_chosen,
          "There is no such gating.");
  require(!bias.data || bias.count == experts, "A router's bias is of another size.");
  require(chosen.width == weights.width, "Experts and their weights differ in number.");
  require(groups >= 1 && experts % groups == 0 && routing.groups_used >= 1 &&
              routing.groups_used <= groups &&
              chosen.width <= experts / groups * routing.groups_used,
          "A router cannot choose so many experts.");
}

void Route::run(const Pass& pass, int64_t first, int64_t last) const {
  const auto experts = static_cast<size_t>(logits_.width);
  std::vector<float> gates(experts), scores(experts);
  std::vector<int32_t> best(static_cast<size_t>(chosen_.width));
  for (int64_t row = first; row < last; ++row) {
    gate(pass, logits_.row(row), gates.data());
    score(gates.data(), scores.data());
    top_k(scores.data(), logits_.width, chosen_.width, best.data());
    std::copy(best.begin(), best.end(), chosen_.row(row));
    weigh(pass, gates.data(), chosen_.row(row), weights_.row(row));
  }
}

void Route::gate(const Pass& pass, const float* logits, float* gates) const {
  switch (routing_.gating) {
    case Gating::softmax: return pass.kernels.softmax(logits, gates, logits_.width);
    case Gating::sigmoid: return pass.kernels.sigmoid(logits, gates, logits_.width);
    case Gating::softmax_of_chosen: std::copy_n(logits, logits_.width, gates);
  }
}

void Route::score(const float* gates, float* scores) const {
  for (int64_t i = 0; i < logits_.width; ++i) {
    scores[i] = bias_.data ? gates[i] + bias_.data[i] : gates[i];
  }
  if (routing_.groups > 1) drop_groups(scores);
}

/// Leaves experts only the groups whose best two are best.
void Route::drop_groups(float* scores) const {
  const int64_t groups = routing_.groups, size = logits_.width / groups;
  std::vector<float> by_group;
  for (int64_t group = 0; group < groups; ++group) {
    by_group.push_back(group_score(scores + group * size, size));
  }
  std::vector<int32_t> order(static_cast<size_t>(groups));
  top_k(by_group.data(), groups, groups, order.data());
  for (size_t i = static_cast<size_t>(routing_.groups_used); i < order.size(); ++i) {
    std::fill_n(scores + order[i] * size, size, -std::numeric_limits<float>::infinity());
  }
}

void Route::weigh(const Pass& pass, const float* gates, const float* chosen,
                  float* weights) const {
  const int64_t used = chosen_.width;
  for (int64_t i = 0; i < used; ++i) weights[i] = gates[static_cast<int64_t>(chosen[i])];
  if (routing_.gating == Gating::softmax_of_chosen) pass.kernels.softmax(weights, weights, used);
  if (routing_.normalised) {
    float sum = 0;
    for (int64_t i = 0; i < used; ++i) sum += weights[i];
    for (int64_t i = 0; i < used; ++i) weights[i] /= std::max(sum, kLeastSum);
  }
  for (int64_t i = 0; i < used; ++i) weights[i] *= routing_.scale;
}

WeightedSum::WeightedSum(Buffer& source, Buffer& weights, Buffer& out, bool accumulate)
    : source_(source), weights_(weights), out_(out), accumulate_(accumulate) {
  require(source.width == weights.width * out.width, "Parts and their weights differ in number.");
}

void WeightedSum::run(const Pass& pass, int64_t first, int64_t last) const {
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.weighted_sum(source_.row(row), weights_.row(row), weights_.width, out_.row(row),
                              out_.width, accumulate_);
  }
}

}  // namespace paceline
