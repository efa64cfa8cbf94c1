// Operations of single rows, fused: a few rows go through all of them before the next rows do.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/operation.h"

namespace paceline {

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
