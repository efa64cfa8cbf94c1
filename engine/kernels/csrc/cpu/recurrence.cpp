#include "cpu/recurrence.h"

#include <algorithm>

#include "cpu/checks.h"

namespace paceline {
namespace {

const RecurrentState& state_of(const Recurrence& recurrence, const State& state) {
  return state.recurrent[static_cast<size_t>(recurrence.layer())];
}

void require_sizes(const Recurrence& recurrence, const RecurrentState& state) {
  require(state.kept_floats == recurrence.sizes().kept_floats() &&
              state.tape_floats == recurrence.sizes().tape_floats(),
          "The state is of other sizes than a recurrent layer.");
}

/// No rows yet, from the state of entry `read` to that of entry `write` where it is not negative.
RecurrentRows between(const RecurrentSizes& sizes, const RecurrentState& state, int64_t read,
                      int64_t write) {
  RecurrentRows rows{};
  rows.channels = sizes.channels;
  rows.taps = sizes.taps;
  rows.state = state.kept(read);
  rows.window = rows.state + sizes.window_start();
  if (write >= 0) rows.next_state = state.kept(write);
  return rows;
}

/// Moves the window on by all rows; the last ones remain.
void move_window(const RecurrentSizes& sizes, const RecurrentRows& rows) {
  if (!rows.next_state) return;
  float* to = rows.next_state + sizes.window_start();
  for (int64_t row = rows.rows - rows.taps + 1; row < rows.rows; ++row, to += rows.channels) {
    std::copy_n(rows.input(row), rows.channels, to);
  }
}

}  // namespace

TakeDown::TakeDown(Buffer& mixed, Buffer* gates, const Recurrence& recurrence)
    : mixed_(mixed), gates_(gates), recurrence_(recurrence) {
  require(mixed.width == recurrence.sizes().channels &&
              (gates ? gates->width : 0) == recurrence.sizes().gates,
          "A recurrent layer's operands are of other sizes than its state.");
}

void TakeDown::check(const Pass& pass) const {
  const RecurrentState& state = layer_of(pass.state.recurrent, recurrence_.layer());
  require_sizes(recurrence_, state);
  for (const SlotRows& slot : pass.index.slots()) {
    const int32_t read = pass.batch.state_entry[slot.slot];
    const int32_t write = pass.batch.write_entry[slot.slot];
    const int32_t start = pass.batch.tape_start[slot.slot];
    require(read >= 0 && read < state.entries && write < state.entries,
            "A slot has no recurrent state.");
    require(start < 0 || (slot.slot < state.slots && start + slot.count() <= state.tape_rows),
            "A slot has more rows than its tape.");
  }
}

void TakeDown::run(const Pass& pass, int64_t first, int64_t last) const {
  const RecurrentState& state = state_of(recurrence_, pass.state);
  for (int64_t row = first; row < last; ++row) {
    const int64_t slot = pass.batch.slots[row];
    const int64_t start = pass.batch.tape_start[slot];
    if (start < 0) continue;
    float* tape = state.tape_row(slot, start + pass.index.place(row));
    std::copy_n(mixed_.row(row), mixed_.width, tape);
    if (gates_) std::copy_n(gates_->row(row), gates_->width, tape + mixed_.width);
  }
}

RecurrentPhase::RecurrentPhase(Buffer& mixed, Buffer* gates, Buffer& out,
                               const Recurrence& recurrence)
    : mixed_(mixed), gates_(gates), out_(out), recurrence_(recurrence) {
  require(out.width == recurrence.out_width(),
          "A recurrent layer's output is of another size than its heads.");
}

void RecurrentPhase::run(const Pass& pass) {
  mixed_rows_.clear();
  gate_rows_.clear();
  out_rows_.clear();
  for (const int32_t row : pass.index.rows()) {
    mixed_rows_.push_back(mixed_.row(row));
    gate_rows_.push_back(gates_ ? gates_->row(row) : nullptr);
    out_rows_.push_back(out_.row(row));
  }
  const auto slots = pass.index.slots();
  const int64_t parts = recurrence_.parts();
  pass.pool.run(static_cast<int64_t>(slots.size()) * parts, [&](int64_t task, int worker) {
    RecurrentRows rows = rows_of(pass, slots[static_cast<size_t>(task / parts)]);
    rows.part = task % parts;
    rows.scratch = pass.scratch.of(worker);
    recurrence_.advance(pass.kernels, rows);
  });
  for (const SlotRows& slot : slots) move_window(recurrence_.sizes(), rows_of(pass, slot));
}

RecurrentRows RecurrentPhase::rows_of(const Pass& pass, const SlotRows& slot) const {
  RecurrentRows rows =
      between(recurrence_.sizes(), state_of(recurrence_, pass.state),
              pass.batch.state_entry[slot.slot], pass.batch.write_entry[slot.slot]);
  rows.rows = slot.count();
  rows.mixed = mixed_rows_.data() + slot.begin;
  rows.gates = gate_rows_.data() + slot.begin;
  rows.out = out_rows_.data() + slot.begin;
  return rows;
}

namespace {

/// What the folds of all layers read, [layers, rows].
class Tapes {
 public:
  Tapes(const std::vector<std::unique_ptr<Recurrence>>& layers, const State& state, int64_t slot,
        int64_t rows)
      : state_(state), rows_(rows) {
    for (const auto& layer : layers) {
      for (int64_t row = 0; row < rows; ++row) {
        const float* tape = state_of(*layer, state).tape_row(slot, row);
        mixed_.push_back(tape);
        gates_.push_back(tape + layer->sizes().channels);
      }
    }
  }

  /// The rows of the layer that comes at `index`, to go to an entry and stay there.
  RecurrentRows rows_of(const Recurrence& layer, size_t index, int64_t entry) const {
    RecurrentRows rows = between(layer.sizes(), state_of(layer, state_), entry, entry);
    rows.rows = rows_;
    rows.mixed = mixed_.data() + static_cast<int64_t>(index) * rows_;
    rows.gates = gates_.data() + static_cast<int64_t>(index) * rows_;
    return rows;
  }

 private:
  const State& state_;
  int64_t rows_;
  std::vector<const float*> mixed_, gates_;
};

}  // namespace

void fold(const std::vector<std::unique_ptr<Recurrence>>& layers, const State& state,
          int64_t entry, int64_t slot, int64_t rows, const Kernels& kernels,
          const Scratch& scratch, Pool& pool) {
  struct Task {
    size_t layer;
    int64_t part;
  };
  std::vector<Task> tasks;
  for (size_t index = 0; index < layers.size(); ++index) {
    const RecurrentState& kept = layer_of(state.recurrent, layers[index]->layer());
    require_sizes(*layers[index], kept);
    require(entry >= 0 && entry < kept.entries && slot >= 0 && slot < kept.slots && rows >= 0 &&
                rows <= kept.tape_rows,
            "There is no such tape to fold.");
    const int64_t parts = layers[index]->sizes().state ? layers[index]->parts() : 0;
    for (int64_t part = 0; part < parts; ++part) tasks.push_back({index, part});
  }
  if (rows == 0) return;
  const Tapes tapes(layers, state, slot, rows);
  pool.run(static_cast<int64_t>(tasks.size()), [&](int64_t number, int worker) {
    const auto [index, part] = tasks[static_cast<size_t>(number)];
    RecurrentRows task = tapes.rows_of(*layers[index], index, entry);
    task.part = part;
    task.scratch = scratch.of(worker);
    layers[index]->advance(kernels, task);
  });
  pool.run(static_cast<int64_t>(layers.size()), [&](int64_t number, int) {
    const auto index = static_cast<size_t>(number);
    move_window(layers[index]->sizes(), tapes.rows_of(*layers[index], index, entry));
  });
}

}  // namespace paceline
