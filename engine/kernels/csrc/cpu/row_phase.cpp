#include "cpu/row_phase.h"

#include <algorithm>
#include <utility>

namespace paceline {
namespace {

// So many floats are done by one thread before others have woken up: about 5 µs.
constexpr int64_t kFloatsAlone = 1 << 14;

// Parts that a thread gets on average, so that a slow one can be helped.
constexpr int64_t kPartsEach = 4;

}  // namespace

void Quantise::begin(const Pass& pass) {
  source_.activations.describe(source_.data, source_.stride, pass.rows, source_.width,
                               pass.kernels.panel_rows);
}

void Quantise::run(const Pass& pass, int64_t first, int64_t last) const {
  if (needs_codes_) pass.kernels.quantise(source_.activations.view(), first, last);
}

void RowPhase::add(std::unique_ptr<RowOperation> operation) {
  floats_ += operation->floats();
  operations_.push_back(std::move(operation));
}

void RowPhase::check(const Pass& pass) const {
  for (const auto& operation : operations_) operation->check(pass);
}

void RowPhase::run(const Pass& pass) {
  for (const auto& operation : operations_) operation->begin(pass);
  const auto run_rows = [&](int64_t first, int64_t last) {
    for (const auto& operation : operations_) operation->run(pass, first, last);
  };
  if (pass.rows * floats_ <= kFloatsAlone) {
    run_rows(0, pass.rows);
    return;
  }
  const int64_t parts = std::min(pass.rows, kPartsEach * pass.pool.threads());
  pass.pool.run(parts, [&](int64_t part, int) {
    run_rows(part * pass.rows / parts, (part + 1) * pass.rows / parts);
  });
}

}  // namespace paceline
