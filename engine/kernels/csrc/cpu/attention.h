// Causal attention of each row over its slot's pages.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/operation.h"
#include "cpu/page_attention.h"

namespace paceline {

/// Query heads share key heads in order. A few rows are spread over threads page by page, many by
/// their queries; each query's sums are the same either way.
class Attention : public Phase {
 public:
  /// What the scores go through; a window of 0 is none, a cap of 0 is none, sinks may be null.
  struct Scores {
    float scale;
    int64_t window;      // positions that a row sees at most, itself included
    float cap;           // what tanh keeps them within
    const float* sinks;  // [heads], a further score for each
  };

  Attention(Buffer& query, Buffer& out, int64_t head_dim, int64_t layer, const Scores& scores);
  void check(const Pass& pass) const override;
  void run(const Pass& pass) override;

  /// Floats of scratch that each worker needs.
  static int64_t scratch_floats(const KeyValues& cache);

 private:
  /// Queries first … last - 1 of those that a slot's rows ask of a key head, row by row.
  struct Share {
    const SlotRows* slot;
    int64_t key_head, first, last;
    int64_t first_page;  // that any of them sees
    int64_t first_part;  // where pages are spread: [pages, last - first] of parts_ begin here
  };
  struct PageOfShare {
    const Share* share;
    int64_t page;
  };

  void share_out(const Pass& pass);
  bool should_spread(const Pass& pass) const;
  int64_t row(const Pass& pass, const Share& share, int64_t query) const;
  int64_t first_position(const Share& share, int64_t query) const;
  int64_t first_page(const Share& share, int64_t query) const;
  int64_t end_page(const Share& share, int64_t query) const;
  void attend(const Pass& pass, const Share& share, int64_t page, float* parts, float* scratch);
  void finish(const Pass& pass, const Share& share, int64_t query, const float* seen) const;
  void run_spread(const Pass& pass);
  void run_whole(const Pass& pass, const Share& share, float* scratch);

  Buffer &query_, &out_;
  int64_t head_dim_, heads_, layer_;
  Scores scores_;

  // Of the pass under way.
  const KeyValues* cache_ = nullptr;
  int64_t sharing_ = 0;  // query heads of a key head
  int64_t part_ = 0;     // floats of a part
  std::vector<Share> shares_;
  std::vector<PageOfShare> spread_;
  float* parts_ = nullptr;
  int64_t part_floats_ = 0;
};

}  // namespace paceline
