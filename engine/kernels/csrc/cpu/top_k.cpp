#include "cpu/top_k.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace paceline {
namespace {

struct Candidate {
  float value;
  int32_t index;
};

bool before(const Candidate& a, const Candidate& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

Candidate candidate(const float* values, int64_t i) {
  const float value = values[i];
  return {value == value ? value : -std::numeric_limits<float>::infinity(),
          static_cast<int32_t>(i)};
}

}  // namespace

// A heap with the worst of the best on top. Later indices lose ties, so only a larger value enters,
// which is rare after the first few thousand.
void top_k(const float* values, int64_t n, int64_t k, int32_t* indices) {
  if (k <= 0) return;
  std::vector<Candidate> heap;
  heap.reserve(static_cast<size_t>(k));
  for (int64_t i = 0; i < k; ++i) heap.push_back(candidate(values, i));
  std::make_heap(heap.begin(), heap.end(), before);
  for (int64_t i = k; i < n; ++i) {
    if (!(values[i] > heap.front().value)) continue;
    std::pop_heap(heap.begin(), heap.end(), before);
    heap.back() = candidate(values, i);
    std::push_heap(heap.begin(), heap.end(), before);
  }
  std::sort_heap(heap.begin(), heap.end(), before);
  std::transform(heap.begin(), heap.end(), indices, [](const Candidate& c) { return c.index; });
}

}  // namespace paceline
