#include "cpu/activations.h"

namespace paceline {

const Activations& ActivationStore::describe(const float* values, Places places, int64_t rows,
                                             int64_t columns, int panel_rows) {
  const int64_t offsets[] = {0, rows};
  return describe_grouped(values, places, columns, offsets, panel_rows);
}

const Activations& ActivationStore::describe_grouped(const float* values, Places places,
                                                     int64_t columns,
                                                     std::span<const int64_t> offsets,
                                                     int panel_rows) {
  panels_.clear();
  first_panel_.assign(1, 0);
  for (size_t e = 0; e + 1 < offsets.size(); ++e) {
    const int64_t first = offsets[e], rows = offsets[e + 1] - first;
    const int64_t count = (rows + panel_rows - 1) / panel_rows;
    for (int64_t p = 0; p < count; ++p) {
      const int64_t begin = rows * p / count, end = rows * (p + 1) / count;
      panels_.push_back({first + begin, static_cast<int32_t>(end - begin)});
    }
    first_panel_.push_back(static_cast<int64_t>(panels_.size()));
  }
  const int64_t rows = offsets.back(), blocks = rows * (columns / kBlockColumns);
  if (blocks > capacity_) {
    memory_ = allocate(static_cast<size_t>(blocks) * (sizeof(BlockTerms) + kBlockColumns));
    capacity_ = blocks;
  }
  auto* terms = reinterpret_cast<BlockTerms*>(memory_.get());
  view_ = {values,         places,
           rows,           columns,
           panels_.data(), static_cast<int64_t>(panels_.size()),
           reinterpret_cast<int8_t*>(terms + blocks), terms};
  return view_;
}

}  // namespace paceline
