#include "cpu/checks.h"

#include <string>

namespace paceline {

void check_pages(const Batch& batch, const BatchIndex& index, const KeyValues& cache) {
  for (const SlotRows& slot : index.slots()) {
    const int64_t last = (slot.first_position + slot.count() - 1) / kPagePositions;
    require(last < batch.pages_per_slot, "A slot has more positions than its table has pages.");
    for (int64_t i = 0; i <= last; ++i) {
      const int32_t page = batch.page(slot.slot, i);
      if (page < 0 || page >= cache.keys.pages) {
        throw std::invalid_argument("Slot " + std::to_string(slot.slot) + " refers to page " +
                                    std::to_string(page) + " of " +
                                    std::to_string(cache.keys.pages) + ".");
      }
    }
  }
}

}  // namespace paceline
