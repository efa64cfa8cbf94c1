// Products in which each row meets the matrices of the experts that it chose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/operation.h"
#include "cpu/row_operations.h"

namespace paceline {

/// The visits of rows to experts, sorted by expert: whoever comes to the same one comes together,
/// and what an expert's weights cost to read is paid once.
class Visits {
 public:
  /// One visit of a row: to the expert that is `rank`-th in its choice.
  struct Visit {
    int32_t row, rank;
  };

  /// Throws std::invalid_argument where a row chose what is no expert.
  void sort(const Buffer& chosen, int64_t rows, int64_t experts);

  /// Experts that anybody comes to, in order.
  std::span<const int32_t> experts() const { return experts_; }
  /// Visits to experts()[i] are those from ends()[i] to ends()[i + 1].
  std::span<const int64_t> ends() const { return ends_; }
  std::span<const Visit> all() const { return visits_; }

 private:
  std::vector<int32_t> experts_;
  std::vector<int64_t> ends_, next_;
  std::vector<Visit> visits_;
};

/// Products with the experts' matrices that read the same rows, as one phase.
class ExpertPhase : public Phase {
 public:
  ExpertPhase(Buffer& source, Buffer& chosen) : source_(source), chosen_(chosen) {}

  /// Whether a product can join: it reads the same rows for the same experts, and nothing that the
  /// others write.
  bool accepts(const Buffer& source, const Buffer& chosen, const Buffer& out) const;
  /// `bias` is [experts, rows of the weight], or has no data where there is none.
  void add(const Matrix& weight, Vector bias, Buffer& out);
  void run(const Pass& pass) override;

 private:
  struct Member {
    const Matrix* weight;
    const float* bias;
    Buffer* out;
    std::vector<int64_t> places;  // of each visit's result, in a pass
  };

  void find_places();
  void gather_codes(const Pass& pass);
  void multiply(const Pass& pass, const Member& member, int64_t expert, int64_t first_tile,
                int64_t last_tile) const;

  Buffer &source_, &chosen_;
  std::vector<Member> members_;
  // Of the pass under way.
  Visits visits_;
  std::vector<int64_t> places_;  // of each visit's source
};

}  // namespace paceline
