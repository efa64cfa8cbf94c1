// The likeliest tokens, so that sampling need not sort a vocabulary.
#pragma once

#include <cstdint>

namespace paceline {

// Write the indices of the k ≤ n largest values, largest first; of equal ones the lower index comes
// first. NaNs count as the smallest.
void top_k(const float* values, int64_t n, int64_t k, int32_t* indices);

}  // namespace paceline
