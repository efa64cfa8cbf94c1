// Attention over pages (DESIGN.md §2): each page gives a part that depends on nothing but the query
// and the page, and parts are merged in the order of the pages.
#include <cstdint>

#include "cpu/kv_rows.inl"
#include "cpu/math.inl"
#include "cpu/page_attention.h"

namespace paceline::PACELINE_VARIANT {

// Positions that are brought to float at a time, so that they stay in the first cache.
constexpr int64_t kDecoded = 16;

// What stays in registers: scores of a query; queries that share the reading of values, by vectors.
constexpr int kScores = kLanes == 16 ? 16 : 4;
constexpr int kQueries = kLanes == 16 ? 4 : 2;
constexpr int kValues = kLanes == 16 ? 4 : 2;

// The scores of a query over decoded keys.
PACELINE_INLINE f32x16 score(const float* query, const float* keys, int64_t dim, float scale) {
  f32x16 dots[kDecoded];
  PACELINE_UNROLL
  for (int j = 0; j < kDecoded; j += kScores) {
    PACELINE_UNROLL
    for (int i = 0; i < kScores; ++i) dots[j + i] = splat(0.0f);
    for (int64_t d = 0; d < dim; d += 16) {
      const f32x16 x = load(query + d);
      PACELINE_UNROLL
      for (int i = 0; i < kScores; ++i) {
        dots[j + i] = fma(x, load(keys + (j + i) * dim + d), dots[j + i]);
      }
    }
  }
  return mul(sums(dots), splat(scale));
}

// Adds the first `seen` of the decoded values, by their weights, to the sums of `count` queries.
template <int count, int vectors>
PACELINE_INLINE void add_values(const float* weights, const float* values, int64_t dim,
                                int64_t seen, float* sums, int64_t part) {
  f32x16 total[count][vectors];
  PACELINE_UNROLL
  for (int q = 0; q < count; ++q) {
    PACELINE_UNROLL
    for (int v = 0; v < vectors; ++v) total[q][v] = load(sums + q * part + 16 * v);
  }
  for (int64_t j = 0; j < seen; ++j, values += dim) {
    PACELINE_UNROLL
    for (int q = 0; q < count; ++q) {
      const f32x16 weight = splat(weights[q * kPagePositions + j]);
      PACELINE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        total[q][v] = fma(weight, load(values + 16 * v), total[q][v]);
      }
    }
  }
  PACELINE_UNROLL
  for (int q = 0; q < count; ++q) {
    PACELINE_UNROLL
    for (int v = 0; v < vectors; ++v) store(sums + q * part + 16 * v, total[q][v]);
  }
}

template <int count>
PACELINE_INLINE void add_rows(const float* weights, const float* values, int64_t dim, int64_t seen,
                              float* sums, int64_t part) {
  int64_t d = 0;
  for (; d + 16 * kValues <= dim; d += 16 * kValues) {
    add_values<count, kValues>(weights, values + d, dim, seen, sums + d, part);
  }
  for (; d < dim; d += 16) add_values<count, 1>(weights, values + d, dim, seen, sums + d, part);
}

// Turns the first `seen` scores into weights relative to the greatest, with zeros up to whole
// vectors; leaves peak and total behind the sums of the part.
PACELINE_INLINE void softmax(float* scores, int64_t seen, float* peak_and_total) {
  const int64_t end = padded(seen);
  for (int64_t j = seen; j < end; ++j) scores[j] = -INFINITY;
  f32x16 greatest = load(scores);
  for (int64_t j = 16; j < end; j += 16) greatest = max(greatest, load(scores + j));
  const float peak = max_lane(greatest);
  f32x16 total = splat(0.0f);
  for (int64_t j = 0; j < end; j += 16) {
    const f32x16 weight = exp(sub(load(scores + j), splat(peak)));
    store(scores + j, weight);
    total = add(total, weight);
  }
  peak_and_total[0] = peak;
  peak_and_total[1] = sum(total);
}

struct Attending {
  const PageAttention& task;
  int64_t dim, value_dim, part, positions;
  float *scores, *keys, *values, *queries;
  const float* query[kMostQueries];

  // Positions that at least one query sees.
  static int64_t most_visible(const PageAttention& task) {
    int64_t most = 0;
    for (int64_t q = 0; q < task.queries; ++q) {
      if (task.visible[q] > most) most = task.visible[q];
    }
    return most;
  }

  explicit Attending(const PageAttention& task)
      : task(task),
        dim(padded(task.cache->keys.dim)),
        value_dim(padded(task.cache->values.dim)),
        part(part_floats(task.cache->values.dim)),
        positions(most_visible(task)),
        scores(task.scratch),
        keys(scores + kMostQueries * kPagePositions),
        values(keys + kDecoded * dim),
        queries(values + kDecoded * value_dim) {
    for (int64_t q = 0; q < task.queries; ++q) query[q] = whole_vectors(q);
  }

  // A query as it is, or a copy with zeros up to whole vectors.
  const float* whole_vectors(int64_t q) {
    if (dim == task.cache->keys.dim) return task.query[q];
    float* copy = queries + q * dim;
    each_lanes(task.cache->keys.dim, [&](int64_t i, int n) {
      store(copy + i, load_lanes(task.query[q] + i, n));
    });
    return copy;
  }

  void score_keys(int64_t first) {
    const int64_t count = least(kDecoded, positions - first);
    read_rows(task.cache->keys, task.page, task.head, first, count, keys, dim);
    for (int64_t q = 0; q < task.queries; ++q) {
      store(scores + q * kPagePositions + first, score(query[q], keys, dim, task.scale));
    }
  }

  void sum_values(int64_t first) {
    const int64_t count = least(kDecoded, positions - first);
    read_rows(task.cache->values, task.page, task.head, first, count, values, value_dim);
    const auto seen = [&](int64_t q) { return lanes_left(task.visible[q], first); };
    for (int64_t q = 0; q < task.queries;) {
      const float* weights = scores + q * kPagePositions + first;
      float* sums = task.parts + q * part;
      // Queries see ever more, so those between see as much as both ends.
      const auto see_alike = [&](int64_t count) {
        return q + count <= task.queries && seen(q) == seen(q + count - 1);
      };
      if (see_alike(kQueries)) {
        add_rows<kQueries>(weights, values, value_dim, seen(q), sums, part);
        q += kQueries;
      } else if (see_alike(2)) {
        add_rows<2>(weights, values, value_dim, seen(q), sums, part);
        q += 2;
      } else {
        add_rows<1>(weights, values, value_dim, seen(q), sums, part);
        q += 1;
      }
    }
  }

  void run() {
    for (int64_t first = 0; first < positions; first += kDecoded) score_keys(first);
    for (int64_t q = 0; q < task.queries; ++q) {
      float* sums = task.parts + q * part;
      for (int64_t d = 0; d < value_dim; ++d) sums[d] = 0.0f;
      softmax(scores + q * kPagePositions, task.visible[q], sums + value_dim);
    }
    for (int64_t first = 0; first < positions; first += kDecoded) sum_values(first);
  }
};

void attend_page(const PageAttention& task) { Attending(task).run(); }

// Adds the part of the next page to what a query has seen so far (Milakov and Gimelshein, 2018).
void merge_part(float* seen, const float* part, int64_t value_dim) {
  const int64_t dim = padded(value_dim);
  const float peak = seen[dim] < part[dim] ? part[dim] : seen[dim];
  const f32x16 fade = exp(splat(seen[dim] - peak)), weight = exp(splat(part[dim] - peak));
  for (int64_t d = 0; d < dim; d += 16) {
    store(seen + d, fma(load(part + d), weight, mul(load(seen + d), fade)));
  }
  const f32x16 total = fma(splat(part[dim + 1]), weight, mul(splat(seen[dim + 1]), fade));
  seen[dim] = peak;
  store_partial(seen + dim + 1, total, 1);
}

void finish_part(const float* seen, float* out, int64_t value_dim) {
  const f32x16 total = splat(seen[padded(value_dim) + 1]);
  each_lanes(value_dim, [&](int64_t d, int n) {
    store_lanes(out + d, div(load(seen + d), total), n);
  });
}

}  // namespace paceline::PACELINE_VARIANT
