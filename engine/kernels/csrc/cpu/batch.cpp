#include "cpu/batch.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace paceline {

void BatchIndex::sort(const Batch& batch) {
  count_rows(batch);
  int64_t begin = 0;
  for (SlotRows& slot : slots_) {
    const int64_t count = slot.count();
    slot.begin = slot.end = begin;
    begin += count;
  }
  rows_.resize(static_cast<size_t>(batch.rows));
  place_.resize(static_cast<size_t>(batch.rows));
  wanted_.clear();
  for (int32_t row = 0; row < batch.rows; ++row) {
    SlotRows& slot = slots_[static_cast<size_t>(slot_of_[static_cast<size_t>(batch.slots[row])])];
    const int64_t place = slot.count();
    if (batch.positions[row] != slot.first_position + place) {
      throw std::invalid_argument("Rows of slot " + std::to_string(slot.slot) +
                                  " do not follow each other.");
    }
    place_[static_cast<size_t>(row)] = static_cast<int32_t>(place);
    rows_[static_cast<size_t>(slot.end++)] = row;
    if (batch.wants_logits[row]) wanted_.push_back(row);
  }
}

void BatchIndex::count_rows(const Batch& batch) {
  slots_.clear();
  slot_of_.assign(static_cast<size_t>(batch.num_slots), -1);
  last_position_ = 0;
  for (int64_t row = 0; row < batch.rows; ++row) {
    const int32_t slot = batch.slots[row], position = batch.positions[row];
    if (slot < 0 || slot >= batch.num_slots || position < 0) {
      throw std::invalid_argument("Row " + std::to_string(row) + " is at position " +
                                  std::to_string(position) + " of slot " + std::to_string(slot) +
                                  ", which is not there.");
    }
    int32_t& index = slot_of_[static_cast<size_t>(slot)];
    if (index < 0) {
      index = static_cast<int32_t>(slots_.size());
      slots_.push_back({slot, 0, 0, position});
    }
    ++slots_[static_cast<size_t>(index)].end;
    last_position_ = std::max(last_position_, position);
  }
}

}  // namespace paceline
