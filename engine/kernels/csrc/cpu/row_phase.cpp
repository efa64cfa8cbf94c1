#include "cpu/row_phase.h"

#include <utility>

namespace paceline {

void Quantise::begin(const Pass& pass) {
  source_.activations.describe(source_.data, {source_.stride}, pass.rows, source_.width,
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
  share_rows(pass.pool, pass.rows, floats_, [&](int64_t first, int64_t last) {
    for (const auto& operation : operations_) operation->run(pass, first, last);
  });
}

}  // namespace paceline
