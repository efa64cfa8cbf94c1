// The rows of a pass: the C form of engine/kernels/batch.py, checked and sorted by slot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paceline {

/// Part of the ABI; the fields are those of the Python class.
struct Batch {
  int64_t rows;
  int64_t num_slots;  // that the tables have entries for
  int64_t pages_per_slot;
  const int32_t* tokens;        // [rows]
  const int32_t* slots;         // [rows]
  const int32_t* positions;     // [rows]
  const int32_t* wants_logits;  // [rows]
  const int32_t* page_table;    // [num_slots, pages_per_slot]
  const int32_t* state_entry;   // [num_slots], the recurrent state that a slot's rows go on from
  const int32_t* write_entry;   // [num_slots], which takes the state behind them; -1 for none
  const int32_t* tape_start;    // [num_slots], first row of the tape they go to; -1 for no tape

  /// The page that holds a position of a slot, by the number of the page within the slot.
  int32_t page(int64_t slot, int64_t index) const {
    return page_table[slot * pages_per_slot + index];
  }
};

/// The rows of one slot in the order of the pass; their positions follow each other.
struct SlotRows {
  int32_t slot;
  int64_t begin, end;  // in BatchIndex::rows
  int32_t first_position;

  int64_t count() const { return end - begin; }
};

/// Which rows belong together, found once for a pass.
class BatchIndex {
 public:
  /// Throws std::invalid_argument where the rows do not make sense.
  void sort(const Batch& batch);

  std::span<const SlotRows> slots() const { return slots_; }
  /// Rows, slot by slot.
  std::span<const int32_t> rows() const { return rows_; }
  /// How many rows of its slot come before a row.
  int64_t place(int64_t row) const { return place_[static_cast<size_t>(row)]; }
  /// Rows whose logits are wanted, in order.
  std::span<const int32_t> wanted() const { return wanted_; }
  int32_t last_position() const { return last_position_; }

 private:
  void count_rows(const Batch& batch);

  std::vector<SlotRows> slots_;
  std::vector<int32_t> rows_, place_, wanted_;
  std::vector<int32_t> slot_of_;  // [num_slots], index into slots_, or -1
  int32_t last_position_ = 0;
};

}  // namespace paceline
