// Attention over one page, as the kernels and the operation that calls them see it.
#pragma once

#include <cstdint>

#include "cpu/state.h"

namespace paceline {

/// Queries that share the reading of a page.
constexpr int64_t kMostQueries = 32;

/// A dimension rounded up to whole vectors.
PACELINE_INLINE constexpr int64_t padded(int64_t dim) { return (dim + 15) / 16 * 16; }

/// Floats of a part, which is what one query has seen so far: padded(value_dim) values summed by
/// their weights, then the greatest score and the sum of the weights relative to it.
PACELINE_INLINE constexpr int64_t part_floats(int64_t value_dim) { return padded(value_dim) + 16; }

/// Queries of one slot that share a key head, against one page.
struct PageAttention {
  const KeyValues* cache;
  int64_t page;
  int64_t head;
  int64_t queries;            // 1 … kMostQueries
  const float* const* query;  // [queries], each [key_dim]
  const int32_t* hidden;      // [queries], the first position of the page that each sees, …
  const int32_t* visible;     // [queries], … and where that ends: 1 … 256; neither ever decreases
  float scale;
  float cap;                  // what tanh keeps the scores within; 0 for none
  float* parts;    // [queries, part_floats]
  float* scratch;  // page_attention_floats
};

/// Floats of scratch that `PageAttention` needs.
PACELINE_INLINE constexpr int64_t page_attention_floats(const KeyValues& cache) {
  const int64_t width = cache.keys.width < cache.values.width ? cache.values.width : cache.keys.width;
  const int64_t read = 16 * (padded(width) + width / kCacheBlock);  // of 16 positions
  return kMostQueries * (kPagePositions + padded(cache.keys.dim)) + read;
}

}  // namespace paceline
