// What a program is made of: phases, which all threads run one after the other, and the operations
// of single rows that make up most of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/activations.h"
#include "cpu/batch.h"
#include "cpu/kernels.h"
#include "cpu/memory.h"
#include "cpu/pool.h"
#include "cpu/state.h"

namespace paceline {

/// An intermediate, float32 [rows, width].
///
/// Rows begin at multiples of 64 bytes where the program owns them. Nothing is written behind the
/// width, and nothing read there means anything.
struct Buffer {
  int64_t width = 0;
  int64_t stride = 0;
  float* data = nullptr;
  Memory memory;
  ActivationStore activations;  // its rows as products read them
  ActivationStore by_expert;    // and as those with experts do

  float* row(int64_t index) const { return data + index * stride; }
};

/// The state that a program works on, layer by layer; each kind counts its own.
struct State {
  std::vector<KeyValues> attention;
  std::vector<RecurrentState> recurrent;
};

/// Working memory, which operations use one after the other.
class Scratch {
 public:
  /// See that each worker has as much as the most demanding operation asks for.
  void reserve(int64_t floats, int workers);
  float* of(int worker) const { return data_ + worker * floats_; }
  /// Memory that workers share during one phase.
  float* shared(int64_t floats);
  void poison();

 private:
  int64_t floats_ = 0;
  int workers_ = 0;
  Memory memory_;
  float* data_ = nullptr;
  std::vector<float> shared_;
};

/// What operations see of a pass.
struct Pass {
  const Batch& batch;
  const BatchIndex& index;
  int64_t rows;  // of the batch; in the head, those whose logits are wanted
  const State& state;
  Scratch& scratch;
  const Kernels& kernels;
  Pool& pool;
};

/// A step of a program that ends when all rows have taken it.
class Phase {
 public:
  virtual ~Phase() = default;
  /// Throws std::invalid_argument where the batch or the state does not fit; nothing has run yet.
  virtual void check(const Pass&) const {}
  virtual void run(const Pass& pass) = 0;
};

/// An operation that computes each row from that row alone.
class RowOperation {
 public:
  virtual ~RowOperation() = default;
  /// As Phase::check.
  virtual void check(const Pass&) const {}
  /// Called once, before the rows of a pass.
  virtual void begin(const Pass&) {}
  /// Runs over rows first … last - 1.
  virtual void run(const Pass& pass, int64_t first, int64_t last) const = 0;
  /// About how many floats it touches in a row.
  virtual int64_t floats() const = 0;
};

}  // namespace paceline
