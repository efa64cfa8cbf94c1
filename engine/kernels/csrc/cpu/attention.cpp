#include "cpu/attention.h"

#include <algorithm>

#include "cpu/checks.h"

namespace paceline {
namespace {

// Below so many shares for each thread, pages are spread too.
constexpr int64_t kSharesEach = 4;
// The most memory that the parts of spread pages may take, in floats.
constexpr int64_t kMostPartFloats = 8 << 20;

}  // namespace

Attention::Attention(Buffer& query, Buffer& out, int64_t head_dim, int64_t layer,
                     const Scores& scores)
    : query_(query),
      out_(out),
      head_dim_(head_dim),
      heads_(query.width / head_dim),
      layer_(layer),
      scores_(scores) {
  require(query.width % head_dim == 0, "Queries do not part into heads.");
  require(scores.window >= 0 && scores.cap >= 0, "A window or a cap cannot be below zero.");
}

int64_t Attention::scratch_floats(const KeyValues& cache) {
  return page_attention_floats(cache) +
         2 * kMostQueries * part_floats(cache.values.dim);
}

void Attention::check(const Pass& pass) const {
  const KeyValues& cache = layer_of(pass.state.attention, layer_);
  require(cache.keys.dim == head_dim_ && heads_ % cache.keys.heads == 0 &&
              cache.values.heads == cache.keys.heads && heads_ * cache.values.dim == out_.width,
          "The pages are of other sizes than the queries.");
  check_pages(pass.batch, pass.index, cache);
}

void Attention::run(const Pass& pass) {
  cache_ = &pass.state.attention[static_cast<size_t>(layer_)];
  sharing_ = heads_ / cache_->keys.heads;
  part_ = part_floats(cache_->values.dim);
  share_out(pass);
  if (should_spread(pass)) {
    run_spread(pass);
  } else {
    pass.pool.run(static_cast<int64_t>(shares_.size()), [&](int64_t share, int worker) {
      run_whole(pass, shares_[static_cast<size_t>(share)], pass.scratch.of(worker));
    });
  }
}

bool Attention::should_spread(const Pass& pass) const {
  const auto shares = static_cast<int64_t>(shares_.size());
  return pass.index.last_position() >= kPagePositions && part_floats_ <= kMostPartFloats &&
         shares < kSharesEach * pass.pool.threads();
}

void Attention::share_out(const Pass& pass) {
  shares_.clear();
  part_floats_ = 0;
  for (const SlotRows& slot : pass.index.slots()) {
    const int64_t queries = slot.count() * sharing_;
    for (int64_t head = 0; head < cache_->keys.heads; ++head) {
      for (int64_t first = 0; first < queries; first += kMostQueries) {
        const int64_t last = std::min(first + kMostQueries, queries);
        Share& share = shares_.emplace_back(Share{&slot, head, first, last, 0, part_floats_});
        share.first_page = first_page(share, first);
        part_floats_ += (end_page(share, last - 1) - share.first_page) * (last - first) * part_;
      }
    }
  }
}

int64_t Attention::row(const Pass& pass, const Share& share, int64_t query) const {
  return pass.index.rows()[static_cast<size_t>(share.slot->begin + query / sharing_)];
}

/// Where what a query sees begins.
int64_t Attention::first_position(const Share& share, int64_t query) const {
  const int64_t position = share.slot->first_position + query / sharing_;
  return scores_.window ? std::max<int64_t>(0, position - scores_.window + 1) : 0;
}

int64_t Attention::first_page(const Share& share, int64_t query) const {
  return first_position(share, query) / kPagePositions;
}

/// Behind the last page that a query sees.
int64_t Attention::end_page(const Share& share, int64_t query) const {
  return (share.slot->first_position + query / sharing_) / kPagePositions + 1;
}

/// Computes the parts of a page for those queries of a share that see it; they are neighbours.
void Attention::attend(const Pass& pass, const Share& share, int64_t page, float* parts,
                       float* scratch) {
  const float* query[kMostQueries];
  int32_t hidden[kMostQueries], visible[kMostQueries];
  int64_t count = 0;
  int64_t first = share.first;
  while (end_page(share, first) <= page) ++first;
  const int64_t page_start = page * kPagePositions;
  for (int64_t q = first; q < share.last && first_page(share, q) <= page; ++q, ++count) {
    const int64_t position = share.slot->first_position + q / sharing_;
    const int64_t head = share.key_head * sharing_ + q % sharing_;
    query[count] = query_.row(row(pass, share, q)) + head * head_dim_;
    hidden[count] =
        static_cast<int32_t>(std::max<int64_t>(0, first_position(share, q) - page_start));
    visible[count] = static_cast<int32_t>(std::min(kPagePositions, position + 1 - page_start));
  }
  pass.kernels.attend_page({cache_, pass.batch.page(share.slot->slot, page), share.key_head, count,
                            query, hidden, visible, scores_.scale, scores_.cap,
                            parts + (first - share.first) * part_, scratch});
}

void Attention::finish(const Pass& pass, const Share& share, int64_t query,
                       const float* seen) const {
  const int64_t dim = cache_->values.dim;
  const int64_t head = share.key_head * sharing_ + query % sharing_;
  const float* sink = scores_.sinks ? scores_.sinks + head : nullptr;
  pass.kernels.finish_part(seen, sink, out_.row(row(pass, share, query)) + head * dim, dim);
}

void Attention::run_spread(const Pass& pass) {
  parts_ = pass.scratch.shared(part_floats_);
  spread_.clear();
  for (int64_t page = 0; page * kPagePositions <= pass.index.last_position(); ++page) {
    for (const Share& share : shares_) {
      const bool sees = share.first_page <= page && page < end_page(share, share.last - 1);
      if (sees) spread_.push_back({&share, page});
    }
  }
  const auto parts_of = [&](const Share& share, int64_t page) {
    const int64_t before = page - share.first_page;
    return parts_ + share.first_part + before * (share.last - share.first) * part_;
  };
  pass.pool.run(static_cast<int64_t>(spread_.size()), [&](int64_t task, int worker) {
    const auto [share, page] = spread_[static_cast<size_t>(task)];
    attend(pass, *share, page, parts_of(*share, page), pass.scratch.of(worker));
  });
  pass.pool.run(static_cast<int64_t>(shares_.size()), [&](int64_t task, int) {
    const Share& share = shares_[static_cast<size_t>(task)];
    for (int64_t q = share.first; q < share.last; ++q) {
      const int64_t offset = (q - share.first) * part_;
      const int64_t first = first_page(share, q);
      float* seen = parts_of(share, first) + offset;
      for (int64_t page = first + 1; page < end_page(share, q); ++page) {
        pass.kernels.merge_part(seen, parts_of(share, page) + offset, cache_->values.dim);
      }
      finish(pass, share, q, seen);
    }
  });
}

void Attention::run_whole(const Pass& pass, const Share& share, float* scratch) {
  const int64_t queries = share.last - share.first;
  float* seen = scratch + page_attention_floats(*cache_);
  float* part = seen + kMostQueries * part_;
  attend(pass, share, share.first_page, seen, scratch);
  for (int64_t page = share.first_page + 1; page < end_page(share, share.last - 1); ++page) {
    attend(pass, share, page, part, scratch);
    for (int64_t q = 0; q < queries; ++q) {
      const int64_t first = first_page(share, share.first + q);
      if (page < first || page >= end_page(share, share.first + q)) continue;
      if (page == first) {
        std::copy_n(part + q * part_, part_, seen + q * part_);
      } else {
        pass.kernels.merge_part(seen + q * part_, part + q * part_, cache_->values.dim);
      }
    }
  }
  for (int64_t q = 0; q < queries; ++q) {
    finish(pass, share, share.first + q, seen + q * part_);
  }
}

}  // namespace paceline
