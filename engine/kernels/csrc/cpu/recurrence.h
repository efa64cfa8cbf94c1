// Recurrent layers of every kind: how their rows go down on tapes and through the state, in a pass
// and once more in a fold.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/operation.h"
#include "cpu/recurrent_rows.h"

namespace paceline {

/// A layer with its weights.
class Recurrence {
 public:
  /// `layer` is its number among the recurrent ones.
  Recurrence(const RecurrentSizes& sizes, int64_t layer) : sizes_(sizes), layer_(layer) {}
  virtual ~Recurrence() = default;

  const RecurrentSizes& sizes() const { return sizes_; }
  int64_t layer() const { return layer_; }

  virtual int64_t out_width() const = 0;
  /// In how many parts rows go through it, each by itself.
  virtual int64_t parts() const = 0;
  /// What a part needs.
  virtual int64_t scratch_floats() const = 0;
  /// Take rows through a part.
  virtual void advance(const Kernels& kernels, const RecurrentRows& rows) const = 0;

 private:
  RecurrentSizes sizes_;
  int64_t layer_;
};

/// Takes what a layer consumes of each row down on the tape of its slot.
class TakeDown : public RowOperation {
 public:
  /// `gates` is null for a layer that has none.
  TakeDown(Buffer& mixed, Buffer* gates, const Recurrence& recurrence);
  void check(const Pass& pass) const override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return recurrence_.sizes().tape_floats(); }

 private:
  Buffer& mixed_;
  Buffer* gates_;
  const Recurrence& recurrence_;
};

/// Takes the rows of each slot through the state in order; parts are spread over threads.
class RecurrentPhase : public Phase {
 public:
  RecurrentPhase(Buffer& mixed, Buffer* gates, Buffer& out, const Recurrence& recurrence);
  void run(const Pass& pass) override;

 private:
  RecurrentRows rows_of(const Pass& pass, const SlotRows& slot) const;

  Buffer& mixed_;
  Buffer* gates_;
  Buffer& out_;
  const Recurrence& recurrence_;
  // Of the pass under way, slot by slot.
  std::vector<const float*> mixed_rows_, gate_rows_;
  std::vector<float*> out_rows_;
};

/// Applies the first rows of a slot's tape to an entry of every layer.
///
/// Throws std::invalid_argument where there is no such slot, entry or row.
void fold(const std::vector<std::unique_ptr<Recurrence>>& layers, const State& state,
          int64_t entry, int64_t slot, int64_t rows, const Kernels& kernels,
          const Scratch& scratch, Pool& pool);

}  // namespace paceline
