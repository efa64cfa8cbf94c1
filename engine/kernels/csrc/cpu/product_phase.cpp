#include "cpu/product_phase.h"

#include <algorithm>

#include "cpu/checks.h"

namespace paceline {
bool ProductPhase::accepts(const Buffer& source, const Buffer& out) const {
  return &source == &source_ && std::none_of(members_.begin(), members_.end(),
                                             [&](const Member& m) { return m.out == &out; });
}

void ProductPhase::add(const Matrix& weight, Vector bias, Buffer& out, bool accumulate) {
  require(weight.columns == source_.width && weight.rows == out.width && &out != &source_,
          "A matrix is of another size than its operands.");
  require(!bias.data || bias.count == out.width, "A bias is of another size than its product.");
  members_.push_back({&weight, bias.data, &out, accumulate});
}

void ProductPhase::share_out(int threads) {
  for (size_t member = 0; member < members_.size(); ++member) {
    const Matrix& weight = *members_[member].weight;
    const int64_t step = tiles_per_task(weight, threads);
    for (int64_t first = 0; first < weight.tiles; first += step) {
      tasks_.push_back({member, first, std::min(first + step, weight.tiles)});
    }
  }
}

void ProductPhase::run(const Pass& pass) {
  if (tasks_.empty()) share_out(pass.pool.threads());
  const Activations& rows = source_.activations.view();
  products_.clear();
  for (const Member& member : members_) {
    products_.push_back({member.weight, &rows, member.out->data, {member.out->stride}, member.bias,
                         member.accumulate, 0, 0, rows.panel_count});
  }
  pass.pool.run(static_cast<int64_t>(tasks_.size()), [&](int64_t task, int) {
    const Tiles& tiles = tasks_[static_cast<size_t>(task)];
    pass.kernels.multiply(products_[tiles.member], tiles.first, tiles.last);
  });
}

}  // namespace paceline
