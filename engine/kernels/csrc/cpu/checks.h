// What is checked before a program is built or a pass begins; each failure says what does not fit.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cpu/batch.h"
#include "cpu/state.h"

namespace paceline {

inline void require(bool fits, const char* sentence) {
  if (!fits) throw std::invalid_argument(sentence);
}

/// The state of a layer, which must be there.
template <class Layer>
const Layer& layer_of(const std::vector<Layer>& layers, int64_t layer) {
  require(layer >= 0 && layer < static_cast<int64_t>(layers.size()),
          "A layer has no state to work on.");
  return layers[static_cast<size_t>(layer)];
}

/// Whether every position that the rows see has a page.
void check_pages(const Batch& batch, const BatchIndex& index, const KeyValues& cache);

}  // namespace paceline
