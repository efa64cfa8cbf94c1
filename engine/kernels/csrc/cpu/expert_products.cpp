#include "cpu/expert_products.h"

#include <algorithm>
#include <cstring>

#include "cpu/checks.h"
#include "cpu/row_phase.h"

namespace paceline {
namespace {

/// As the function of that name, where so many experts are multiplied in one go.
int64_t tiles_per_task(const Matrix& matrix, int threads, int64_t experts) {
  Matrix together = matrix;
  together.tiles *= experts;
  return std::min(paceline::tiles_per_task(together, threads), matrix.tiles);
}

const Panel& panel_of(const Activations& rows, int64_t row) {
  const auto starts_behind = [](int64_t at, const Panel& panel) { return at < panel.first; };
  return *(std::upper_bound(rows.panels, rows.panels + rows.panel_count, row, starts_behind) - 1);
}

/// Copies the int8 form of a row, from the block `first_block` of `source` on, as far as `out` goes.
void copy_codes(const Activations& source, int64_t source_row, int64_t first_block,
                const Activations& out, int64_t out_row) {
  const Panel &from = panel_of(source, source_row), &to = panel_of(out, out_row);
  const int64_t read =
      from.first * source.blocks() + first_block * from.rows + source_row - from.first;
  const int64_t written = to.first * out.blocks() + out_row - to.first;
  for (int64_t b = 0; b < out.blocks(); ++b) {
    const int64_t at = read + b * from.rows, place = written + b * to.rows;
    std::memcpy(out.codes + place * kBlockColumns, source.codes + at * kBlockColumns,
                kBlockColumns);
    out.terms[place] = source.terms[at];
  }
}

}  // namespace

// Counts, then puts each visit where its expert's next one goes: rows keep their order.
void Visits::sort(const Buffer& chosen, int64_t rows, int64_t experts) {
  next_.assign(static_cast<size_t>(experts), 0);
  const auto count_of = [&](int64_t row, int64_t rank) -> int64_t& {
    const float expert = chosen.row(row)[rank];
    require(expert >= 0 && expert < static_cast<float>(experts), "A row chose no expert.");
    return next_[static_cast<size_t>(expert)];
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t rank = 0; rank < chosen.width; ++rank) ++count_of(row, rank);
  }
  experts_.clear();
  ends_.assign(1, 0);
  for (int64_t expert = 0; expert < experts; ++expert) {
    int64_t& next = next_[static_cast<size_t>(expert)];
    const int64_t begin = ends_.back(), count = next;
    next = begin;
    if (count == 0) continue;
    experts_.push_back(static_cast<int32_t>(expert));
    ends_.push_back(begin + count);
  }
  visits_.resize(static_cast<size_t>(rows * chosen.width));
  for (int32_t row = 0; row < rows; ++row) {
    for (int32_t rank = 0; rank < chosen.width; ++rank) {
      visits_[static_cast<size_t>(count_of(row, rank)++)] = {row, rank};
    }
  }
}

bool ExpertPhase::accepts(const Buffer& source, const Buffer& chosen, const Buffer& out) const {
  return &source == &source_ && &chosen == &chosen_ &&
         std::none_of(members_.begin(), members_.end(),
                      [&](const Member& m) { return m.out == &out; });
}

void ExpertPhase::add(const Matrix& weight, Vector bias, Buffer& out) {
  const int64_t used = chosen_.width;
  require((source_.width == weight.columns || source_.width == used * weight.columns) &&
              out.width == used * weight.rows && &out != &source_ && &out != &chosen_,
          "The experts' matrices are of another size than their operands.");
  require(members_.empty() || (members_[0].weight->experts == weight.experts &&
                               members_[0].weight->columns == weight.columns),
          "Products with experts that differ in number cannot be one.");
  require(!bias.data || bias.count == weight.experts * weight.rows,
          "A bias is of another size than its product.");
  members_.push_back({&weight, bias.data, &out, {}});
}

void ExpertPhase::run(const Pass& pass) {
  const Matrix& any = *members_[0].weight;
  visits_.sort(chosen_, pass.rows, any.experts);
  find_places();
  source_.by_expert.describe_grouped(source_.data, {0, places_.data()}, any.columns,
                                     visits_.ends(), pass.kernels.panel_rows);
  gather_codes(pass);
  const auto experts = static_cast<int64_t>(visits_.experts().size());
  const auto steps = [&](const Member& member) {
    const int64_t step = tiles_per_task(*member.weight, pass.pool.threads(), experts);
    return (member.weight->tiles + step - 1) / step;
  };
  int64_t tasks = 0;
  for (const Member& member : members_) tasks += experts * steps(member);
  pass.pool.run(tasks, [&](int64_t task, int) {
    const Member* member = members_.data();
    while (task >= experts * steps(*member)) task -= experts * steps(*member++);
    const int64_t tiles = member->weight->tiles, parts = steps(*member), part = task % parts;
    multiply(pass, *member, task / parts, part * tiles / parts, (part + 1) * tiles / parts);
  });
}

void ExpertPhase::find_places() {
  const int64_t columns = members_[0].weight->columns;
  const int64_t apart = source_.width == columns ? 0 : columns;
  places_.clear();
  for (const auto& [row, rank] : visits_.all()) {
    places_.push_back(row * source_.stride + rank * apart);
  }
  for (Member& member : members_) {
    member.places.clear();
    for (const auto& [row, rank] : visits_.all()) {
      member.places.push_back(row * member.out->stride + rank * member.weight->rows);
    }
  }
}

/// Brings the rows' int8 form to each expert that they visit: a row is quantised only once.
void ExpertPhase::gather_codes(const Pass& pass) {
  if (std::all_of(members_.begin(), members_.end(),
                  [](const Member& m) { return is_plain(m.weight->layout); })) {
    return;
  }
  const Activations &rows = source_.activations.view(), &sorted = source_.by_expert.view();
  const int64_t apart = source_.width == sorted.columns ? 0 : sorted.blocks();
  const auto visits = visits_.all();
  const auto floats = sorted.columns / static_cast<int64_t>(sizeof(float));  // as a code is a byte
  share_rows(pass.pool, sorted.rows, floats, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const auto [row, rank] = visits[static_cast<size_t>(i)];
      copy_codes(rows, row, rank * apart, sorted, i);
    }
  });
}

/// Tiles of the product with the expert that is `index`-th of those that are visited.
void ExpertPhase::multiply(const Pass& pass, const Member& member, int64_t index,
                           int64_t first_tile, int64_t last_tile) const {
  const auto at = static_cast<size_t>(index);
  const int64_t expert = visits_.experts()[at];
  const float* bias = member.bias ? member.bias + expert * member.weight->rows : nullptr;
  const auto panels = source_.by_expert.first_panel();
  pass.kernels.multiply({member.weight, &source_.by_expert.view(), member.out->data,
                         {0, member.places.data()}, bias, false, expert, panels[at],
                         panels[at + 1]},
                        first_tile, last_tile);
}

}  // namespace paceline
