// Attention over pages (DESIGN.md §2): each page gives a part that depends on nothing but the query
// and the page, and parts are merged in the order of the pages.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/kv_rows.inl"
#include "cpu/math.inl"
#include "cpu/page_attention.h"

namespace paceline::PACELINE_VARIANT {

// Queries that share the reading of keys, and of values.
constexpr int kScoredQueries = kSums == 16 ? 4 : kSums == 4 ? 2 : 1;
constexpr int kSummedQueries = kSums == 16 ? 6 : kSums == 4 ? 4 : 1;

// Keys whose products with so many queries are summed at a time: few rows, so that memory is read
// nearly in order.
constexpr int scored_keys(int queries) { return kSums / queries > 4 ? 4 : kSums / queries; }

// Vectors of a value that so many queries sum at a time.
constexpr int value_vectors(int queries) { return queries > 4 ? 4 : kSums / queries; }

// Calls f<n>(first) for groups of n = count, then fewer, until `end`.
template <int count, class F>
PACELINE_INLINE void each_group(int64_t first, int64_t end, F&& f) {
  for (; first + count <= end; first += count) f.template operator()<count>(first);
  if constexpr (count > 1) each_group<(count > 4 ? 4 : count / 2)>(first, end, f);
}

// Adds the products of `queries` queries and `keys` keys, 16 elements from `d` on.
template <bool whole, int queries, int keys, class Rows>
PACELINE_INLINE void add_products(const Rows& rows, int64_t first, const float* const* query,
                                  int64_t d, f32x16 (&sums)[queries][keys]) {
  f32x16 key[keys];
  PACELINE_UNROLL
  for (int k = 0; k < keys; ++k) key[k] = rows.template read<whole>(first + k, d);
  PACELINE_UNROLL
  for (int q = 0; q < queries; ++q) {
    const f32x16 x = load(query[q] + d);
    PACELINE_UNROLL
    for (int k = 0; k < keys; ++k) sums[q][k] = fma(x, key[k], sums[q][k]);
  }
}

// The scores of some queries over 16 / queries keys from `first` on. Query q's go to
// scores[q * kPagePositions].
template <int queries, class Rows>
void score(const Rows& rows, int64_t first, const float* const* query, float scale, float cap,
           float* scores) {
  constexpr int all_keys = 16 / queries, keys = scored_keys(queries);
  f32x16 dots[16];
  PACELINE_UNROLL
  for (int k = 0; k < all_keys; k += keys) {
    f32x16 sums[queries][keys];
    PACELINE_UNROLL
    for (int q = 0; q < queries; ++q) {
      PACELINE_UNROLL
      for (int i = 0; i < keys; ++i) sums[q][i] = splat(0.0f);
    }
    int64_t d = 0;
    for (; d + 16 <= rows.dim; d += 16) {
      rows.template fetch<16 * keys>((first + k) * rows.width + d * keys);
      add_products<true>(rows, first + k, query, d, sums);
    }
    if (d < rows.dim) add_products<false>(rows, first + k, query, d, sums);
    PACELINE_UNROLL
    for (int q = 0; q < queries; ++q) {
      PACELINE_UNROLL
      for (int i = 0; i < keys; ++i) dots[q * all_keys + k + i] = sums[q][i];
    }
  }
  float scored[16];
  f32x16 all = mul(sums(dots), splat(scale));
  if (cap > 0) all = mul(tanh(div(all, splat(cap))), splat(cap));
  store(scored, all);
  for (int q = 0; q < queries; ++q) {
    std::memcpy(scores + q * kPagePositions, scored + q * all_keys, all_keys * sizeof *scored);
  }
}

// Adds the values first … end - 1, 16 * vectors elements from `d` on, by their weights to the sums
// of some queries.
template <bool whole, int queries, int vectors, class Rows>
void add_values(const Rows& rows, int64_t first, int64_t end, int64_t d, const float* weights,
                float* sums, int64_t part) {
  f32x16 total[queries][vectors];
  PACELINE_UNROLL
  for (int q = 0; q < queries; ++q) {
    PACELINE_UNROLL
    for (int v = 0; v < vectors; ++v) total[q][v] = load(sums + q * part + d + 16 * v);
  }
  const int64_t block = first / 16 * 16;
  for (int64_t j = first; j < end; ++j) {
    rows.template fetch<16 * vectors>(block * rows.width + 16 * (d + (j - block) * vectors));
    f32x16 value[vectors];
    PACELINE_UNROLL
    for (int v = 0; v < vectors; ++v) value[v] = rows.template read<whole>(j, d + 16 * v);
    PACELINE_UNROLL
    for (int q = 0; q < queries; ++q) {
      const f32x16 weight = splat(weights[q * kPagePositions + j]);
      PACELINE_UNROLL
      for (int v = 0; v < vectors; ++v) total[q][v] = fma(weight, value[v], total[q][v]);
    }
  }
  PACELINE_UNROLL
  for (int q = 0; q < queries; ++q) {
    PACELINE_UNROLL
    for (int v = 0; v < vectors; ++v) store(sums + q * part + d + 16 * v, total[q][v]);
  }
}

template <int queries, class Rows>
PACELINE_INLINE void add_rows(const Rows& rows, int64_t first, int64_t end, const float* weights,
                              float* sums, int64_t part) {
  constexpr int vectors = value_vectors(queries);
  int64_t d = 0;
  for (; d + 16 * vectors <= rows.dim; d += 16 * vectors) {
    add_values<true, queries, vectors>(rows, first, end, d, weights, sums, part);
  }
  for (; d + 16 <= rows.dim; d += 16) {
    add_values<true, queries, 1>(rows, first, end, d, weights, sums, part);
  }
  if (d < rows.dim) add_values<false, queries, 1>(rows, first, end, d, weights, sums, part);
}

// Turns the scores from `hidden` to `seen` into weights relative to the greatest, with zeros up to
// whole vectors; leaves peak and total behind the sums of the part.
PACELINE_INLINE void softmax(float* scores, int64_t hidden, int64_t seen, float* peak_and_total) {
  const int64_t begin = hidden / 16 * 16, end = padded(seen);
  for (int64_t j = begin; j < hidden; ++j) scores[j] = -INFINITY;
  for (int64_t j = seen; j < end; ++j) scores[j] = -INFINITY;
  f32x16 greatest = load(scores + begin);
  for (int64_t j = begin + 16; j < end; j += 16) greatest = max(greatest, load(scores + j));
  const float peak = max_lane(greatest);
  f32x16 total = splat(0.0f);
  for (int64_t j = begin; j < end; j += 16) {
    const f32x16 weight = exp(sub(load(scores + j), splat(peak)));
    store(scores + j, weight);
    total = add(total, weight);
  }
  peak_and_total[0] = peak;
  peak_and_total[1] = sum(total);
}

template <class Rows>
struct Attending {
  const PageAttention& task;
  int64_t dim, value_dim, part;
  float *scores, *queries;
  Rows keys, values;
  const float* query[kMostQueries];

  explicit Attending(const PageAttention& task)
      : task(task),
        dim(padded(task.cache->keys.dim)),
        value_dim(padded(task.cache->values.dim)),
        part(part_floats(task.cache->values.dim)),
        scores(task.scratch),
        queries(scores + kMostQueries * kPagePositions),
        keys(rows_of(task.cache->keys)),
        values(rows_of(task.cache->values)) {
    for (int64_t q = 0; q < task.queries; ++q) query[q] = whole_vectors(q);
  }

  // Keys and values use the same scratch, one after the other.
  Rows rows_of(const Plane& plane) const {
    return {plane, plane.row(task.page, task.head, 0), queries + kMostQueries * dim};
  }

  // A query as it is, or a copy with zeros up to whole vectors.
  const float* whole_vectors(int64_t q) const {
    const int64_t given = task.cache->keys.dim;
    if (dim == given) return task.query[q];
    float* copy = queries + q * dim;
    each_lanes(given, [&](int64_t i, int n) {
      store(copy + i, load_lanes(task.query[q] + i, n));
    });
    return copy;
  }

  // Calls f(first) for every 16 positions of which any query sees one.
  template <class F>
  PACELINE_INLINE void each_block(F&& f) const {
    const int64_t end = task.visible[task.queries - 1];
    for (int64_t first = task.hidden[0] / 16 * 16; first < end; first += 16) f(first);
  }

  // Scores of positions that nobody sees may come out too.
  void score_keys() {
    each_block([&](int64_t first) {
      keys.open(first);
      each_group<kScoredQueries>(0, task.queries, [&]<int count>(int64_t q) {
        for (int64_t k = first; k < first + 16; k += 16 / count) {
          score<count>(keys, k, query + q, task.scale, task.cap, scores + q * kPagePositions + k);
        }
      });
    });
  }

  // All queries read 16 positions before any reads the next. Each adds its values in order.
  void sum_values() {
    each_block([&](int64_t first) {
      values.open(first);
      each_group<kSummedQueries>(0, task.queries,
                                 [&]<int count>(int64_t q) { add_block<count>(q, first); });
    });
  }

  // What queries see never moves back, so between where the last of them begins and the first ends
  // all of them see everything.
  template <int count>
  PACELINE_INLINE void add_block(int64_t q, int64_t first) const {
    const auto begin = [&](int64_t of) { return greatest(task.hidden[of], first); };
    const auto end = [&](int64_t of) { return least(task.visible[of], first + 16); };
    const int64_t all_end = end(q);
    const int64_t all_begin = least(begin(q + count - 1), all_end);
    const int64_t last = q + count;
    if constexpr (count > 1) {
      for (int64_t of = q; of < last; ++of) add<1>(of, begin(of), all_begin);
    }
    add<count>(q, all_begin, all_end);
    if constexpr (count > 1) {
      for (int64_t of = q; of < last; ++of) add<1>(of, greatest(begin(of), all_end), end(of));
    }
  }

  // Adds the values from `first` to `end` to the sums of some queries.
  template <int count>
  PACELINE_INLINE void add(int64_t q, int64_t first, int64_t end) const {
    if (first >= end) return;
    add_rows<count>(values, first, end, scores + q * kPagePositions, task.parts + q * part, part);
  }

  void run() {
    score_keys();
    for (int64_t q = 0; q < task.queries; ++q) {
      float* sums = task.parts + q * part;
      for (int64_t d = 0; d < value_dim; ++d) sums[d] = 0.0f;
      softmax(scores + q * kPagePositions, task.hidden[q], task.visible[q], sums + value_dim);
    }
    sum_values();
  }
};

// Where each query reads for itself, rows are turned into floats once before.
template <class Rows>
using Read = std::conditional_t<kSummedQueries == 1, WidenedRows<Rows>, Rows>;

void attend_page(const PageAttention& task) {
  switch (task.cache->keys.type) {
    case CacheType::f32: return Attending<FloatRows>(task).run();
    case CacheType::f16: return Attending<Read<HalfRows>>(task).run();
    case CacheType::q8_0: return Attending<Read<BlockRows>>(task).run();
  }
}

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

// A sink is one more score, of a value that is zero (Xiao et al., 2023).
void finish_part(const float* seen, const float* sink, float* out, int64_t value_dim) {
  const float peak = seen[padded(value_dim)];
  f32x16 total = splat(seen[padded(value_dim) + 1]), fade = splat(1.0f);
  if (sink) {
    const float greatest = peak < *sink ? *sink : peak;
    fade = exp(splat(peak - greatest));
    total = fma(total, fade, exp(splat(*sink - greatest)));
  }
  each_lanes(value_dim, [&](int64_t d, int n) {
    const f32x16 sum = sink ? mul(load(seen + d), fade) : load(seen + d);
    store_lanes(out + d, div(sum, total), n);
  });
}

}  // namespace paceline::PACELINE_VARIANT
