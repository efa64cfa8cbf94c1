#include "cpu/delta_rule.h"

#include <algorithm>

#include "cpu/checks.h"

namespace paceline {
namespace {

/// From the state of entry `read`, to that of entry `write` where it is not negative.
DeltaHead head_of(const DeltaWeights& weights, const RecurrentState& layer, int64_t read,
                  int64_t write) {
  const DeltaShape& shape = weights.shape;
  DeltaHead head{};
  head.shape = &shape;
  head.convolution = weights.convolution;
  head.epsilon = weights.epsilon;
  head.state = layer.state + read * shape.state_floats();
  head.window = layer.window + read * shape.window_floats();
  if (write >= 0) {
    head.next_state = layer.state + write * shape.state_floats();
    head.next_window = layer.window + write * shape.window_floats();
  }
  return head;
}

}  // namespace

DeltaGates::DeltaGates(Buffer& mixed, Buffer& decay, Buffer& beta, Buffer& gates,
                       const DeltaWeights& weights, int64_t layer)
    : mixed_(mixed), decay_(decay), beta_(beta), gates_(gates), weights_(weights), layer_(layer) {
  const int64_t heads = weights.shape.value_heads;
  require(mixed.width == weights.shape.channels() && decay.width == heads && beta.width == heads,
          "A recurrent layer's operands are of other sizes than its heads.");
}

void DeltaGates::check(const Pass& pass) const {
  const RecurrentState& layer = layer_of(pass.state.recurrent, layer_);
  for (const SlotRows& slot : pass.index.slots()) {
    const int32_t read = pass.batch.state_entry[slot.slot];
    const int32_t write = pass.batch.write_entry[slot.slot];
    const int32_t start = pass.batch.tape_start[slot.slot];
    require(read >= 0 && read < layer.entries && write < layer.entries,
            "A slot has no recurrent state.");
    require(start < 0 || (slot.slot < layer.slots && start + slot.count() <= layer.tape_rows),
            "A slot has more rows than its tape.");
  }
}

void DeltaGates::run(const Pass& pass, int64_t first, int64_t last) const {
  const DeltaShape& shape = weights_.shape;
  const RecurrentState& layer = pass.state.recurrent[static_cast<size_t>(layer_)];
  for (int64_t row = first; row < last; ++row) {
    pass.kernels.delta_gates(decay_.row(row), beta_.row(row), weights_.decay_bias,
                             weights_.decay_rate, gates_.row(row), shape.value_heads);
    const int64_t slot = pass.batch.slots[row];
    const int64_t start = pass.batch.tape_start[slot];
    if (start < 0) continue;
    const int64_t taped = slot * layer.tape_rows + start + pass.index.place(row);
    float* tape = layer.tape + taped * shape.tape_floats();
    std::copy_n(mixed_.row(row), shape.channels(), tape);
    std::copy_n(gates_.row(row), 2 * shape.value_heads, tape + shape.channels());
  }
}

DeltaRule::DeltaRule(Buffer& mixed, Buffer& gates, Buffer& out, const DeltaWeights& weights,
                     int64_t layer)
    : mixed_(mixed), gates_(gates), out_(out), weights_(weights), layer_(layer) {
  require(out.width == weights.shape.value_heads * weights.shape.value_dim,
          "A recurrent layer's output is of another size than its heads.");
}

void DeltaRule::run(const Pass& pass) {
  mixed_rows_.clear();
  gate_rows_.clear();
  out_rows_.clear();
  for (const int32_t row : pass.index.rows()) {
    mixed_rows_.push_back(mixed_.row(row));
    gate_rows_.push_back(gates_.row(row));
    out_rows_.push_back(out_.row(row));
  }
  const DeltaShape& shape = weights_.shape;
  const RecurrentState& layer = pass.state.recurrent[static_cast<size_t>(layer_)];
  const auto slots = pass.index.slots();
  const auto tasks = static_cast<int64_t>(slots.size()) * shape.key_heads;
  pass.pool.run(tasks, [&](int64_t task, int worker) {
    const SlotRows& slot = slots[static_cast<size_t>(task / shape.key_heads)];
    DeltaHead head = head_of(weights_, layer, pass.batch.state_entry[slot.slot],
                             pass.batch.write_entry[slot.slot]);
    head.key_head = task % shape.key_heads;
    head.rows = slot.count();
    head.mixed = mixed_rows_.data() + slot.begin;
    head.gates = gate_rows_.data() + slot.begin;
    head.out = out_rows_.data() + slot.begin;
    head.scratch = pass.scratch.of(worker);
    pass.kernels.advance_head(head);
  });
}

namespace {

/// The pointers of all tape rows that a fold reads, [layers, rows].
struct TapeRows {
  std::vector<const float*> mixed, gates;

  TapeRows(const std::vector<const DeltaRule*>& layers, const State& state, int64_t slot,
           int64_t rows) {
    for (const DeltaRule* layer : layers) {
      const DeltaShape& shape = layer->weights().shape;
      const RecurrentState& kept = state.recurrent[static_cast<size_t>(layer->layer())];
      for (int64_t row = 0; row < rows; ++row) {
        const float* tape = kept.tape + (slot * kept.tape_rows + row) * shape.tape_floats();
        mixed.push_back(tape);
        gates.push_back(tape + shape.channels());
      }
    }
  }
};

}  // namespace

void fold(const std::vector<const DeltaRule*>& layers, const State& state, int64_t entry,
          int64_t slot, int64_t rows, const Kernels& kernels, const Scratch& scratch, Pool& pool) {
  struct Task {
    const DeltaRule* layer;
    int64_t first_row, key_head;
  };
  std::vector<Task> tasks;
  int64_t first_row = 0;
  for (const DeltaRule* layer : layers) {
    const RecurrentState& kept = layer_of(state.recurrent, layer->layer());
    require(entry >= 0 && entry < kept.entries && slot >= 0 && slot < kept.slots && rows >= 0 &&
                rows <= kept.tape_rows,
            "There is no such tape to fold.");
    for (int64_t head = 0; head < layer->weights().shape.key_heads; ++head) {
      tasks.push_back({layer, first_row, head});
    }
    first_row += rows;
  }
  const TapeRows tape(layers, state, slot, rows);
  pool.run(rows ? static_cast<int64_t>(tasks.size()) : 0, [&](int64_t index, int worker) {
    const Task& task = tasks[static_cast<size_t>(index)];
    const auto layer = static_cast<size_t>(task.layer->layer());
    DeltaHead head = head_of(task.layer->weights(), state.recurrent[layer], entry, entry);
    head.key_head = task.key_head;
    head.rows = rows;
    head.mixed = tape.mixed.data() + task.first_row;
    head.gates = tape.gates.data() + task.first_row;
    head.scratch = scratch.of(worker);
    kernels.advance_head(head);
  });
}

}  // namespace paceline
