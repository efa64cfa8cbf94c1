// Products with matrices that read the same rows, as one phase.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/operation.h"
#include "cpu/row_operations.h"

namespace paceline {

class ProductPhase : public Phase {
 public:
  explicit ProductPhase(Buffer& source) : source_(source) {}

  /// Whether a product can join: it reads the same rows, and nothing that the others write.
  bool accepts(const Buffer& source, const Buffer& out) const;
  /// `bias` has no data where there is none.
  void add(const Matrix& weight, Vector bias, Buffer& out, bool accumulate);
  void run(const Pass& pass) override;

 private:
  struct Member {
    const Matrix* weight;
    const float* bias;
    Buffer* out;
    bool accumulate;
  };
  /// Tiles of one product that a thread takes at a time.
  struct Tiles {
    size_t member;
    int64_t first, last;
  };

  void share_out(int threads);

  Buffer& source_;
  std::vector<Member> members_;
  std::vector<Tiles> tasks_;  // known from the first pass on
  std::vector<Product> products_;  // of the pass under way
};

}  // namespace paceline
