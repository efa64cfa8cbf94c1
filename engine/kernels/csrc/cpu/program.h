// A model's program: built once, operation by operation, then run a pass at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "cpu/operation.h"
#include "cpu/recurrence.h"
#include "cpu/section.h"

namespace paceline {

/// Buffers, phases and working memory. Weights belong to whoever builds the program.
class Program {
 public:
  Program(const Kernels& kernels, Pool& pool) : kernels_(kernels), pool_(pool) {}

  /// A buffer's identifier.
  int64_t new_buffer(int64_t width);
  Buffer& buffer(int64_t id);
  Section& section(bool head) { return head ? head_ : body_; }
  /// Append a recurrent layer; `gates` is null where it has none.
  void add_recurrence(std::unique_ptr<Recurrence> recurrence, Buffer& mixed, Buffer* gates,
                      Buffer& out);
  /// Say which buffer is the result, when all operations are added: one that the head alone
  /// touches, or any where there is no head.
  void set_logits(Buffer& logits);

  State& state() { return state_; }

  /// Run a pass: `logits` gets the wanted rows of the result, [wanted, width].
  ///
  /// Throws std::invalid_argument, with nothing written, where the batch or the state do not fit.
  void run(const Batch& batch, float* logits);
  /// Apply the first rows of a slot's tape to an entry of every recurrent layer.
  void fold(int64_t entry, int64_t slot, int64_t rows);
  /// Fill all intermediates and working memory with NaN, so that a test shows who reads it.
  void poison();

 private:
  void reserve(int64_t rows);
  void reserve_scratch();
  void gather(Buffer& buffer) const;
  void copy_wanted(float* logits) const;

  const Kernels& kernels_;
  Pool& pool_;
  std::deque<Buffer> buffers_;
  std::vector<std::unique_ptr<Recurrence>> recurrences_;
  Section body_, head_;
  Buffer* logits_ = nullptr;
  State state_;
  Scratch scratch_;
  BatchIndex index_;
  int64_t capacity_ = 0;  // rows of each buffer
};

}  // namespace paceline
