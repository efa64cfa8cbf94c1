// Operations of single rows, fused: a few rows go through all of them before the next rows do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/operation.h"

namespace paceline {

/// Call work(first, last) for parts of so many rows, shared among threads where that pays; `floats`
/// is about how many are touched in a row.
template <class Work>
void share_rows(Pool& pool, int64_t rows, int64_t floats, Work&& work) {
  // So many floats are done by one thread before others have woken up: about 5 µs.
  constexpr int64_t floats_alone = 1 << 14;
  // Parts that a thread gets on average, so that a slow one can be helped.
  constexpr int64_t parts_each = 4;
  if (rows * floats <= floats_alone) {
    work(0, rows);
    return;
  }
  const int64_t parts = std::min(rows, parts_each * pool.threads());
  pool.run(parts, [&](int64_t part, int) {
    work(part * rows / parts, (part + 1) * rows / parts);
  });
}

/// Brings a buffer's rows into the form that products read.
class Quantise : public RowOperation {
 public:
  explicit Quantise(Buffer& source) : source_(source) {}
  void begin(const Pass& pass) override;
  void run(const Pass& pass, int64_t first, int64_t last) const override;
  int64_t floats() const override { return source_.width; }

  /// Say that a product needs the int8 form; plain floats are multiplied as they are.
  void need_codes() { needs_codes_ = true; }

 private:
  Buffer& source_;
  bool needs_codes_ = false;
};

class RowPhase : public Phase {
 public:
  void add(std::unique_ptr<RowOperation> operation);
  void check(const Pass& pass) const override;
  void run(const Pass& pass) override;

 private:
  std::vector<std::unique_ptr<RowOperation>> operations_;
  int64_t floats_ = 0;  // of all operations, in a row
};

}  // namespace paceline
