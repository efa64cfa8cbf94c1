#include "cpu/api.h"

#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/attention.h"
#include "cpu/checks.h"
#include "cpu/dispatch.h"
#include "cpu/export.h"
#include "cpu/grids.h"
#include "cpu/memory.h"
#include "cpu/program.h"
#include "cpu/recurrences.h"
#include "cpu/routing.h"
#include "cpu/row_operations.h"
#include "cpu/table.h"
#include "cpu/top_k.h"

namespace paceline {

/// What the handle of the interface stands for; identifiers are indices here.
struct Model {
  Model(int threads, const char* isa)
      : kernels(choose_kernels(isa)), pool(threads), program(kernels, pool) {}

  const Kernels& kernels;
  Pool pool;
  Arena weights;
  std::deque<Matrix> matrices;
  std::deque<Table> tables;
  std::deque<std::vector<float>> vectors;
  Program program;
};

namespace {

int64_t fail(paceline_failure kind, const char* sentence) noexcept {
  remember_error(sentence);
  return kind;
}

/// The result of `call`, or zero where it has none; where it throws, what kind of failure it is.
template <class Call>
int64_t coded(Call&& call) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return 0;
    } else {
      return call();
    }
  } catch (const std::invalid_argument& error) {
    return fail(paceline_invalid, error.what());
  } catch (const std::bad_alloc&) {
    return fail(paceline_no_memory, "There is not enough memory.");
  } catch (const std::exception& error) {
    return fail(paceline_failed, error.what());
  }
}

template <class T>
int64_t append(std::deque<T>& all, T&& one) {
  all.push_back(std::move(one));
  return static_cast<int64_t>(all.size()) - 1;
}

template <class T>
T& at(std::deque<T>& all, int64_t id) {
  require(id >= 0 && id < static_cast<int64_t>(all.size()), "There is no such weight.");
  return all[static_cast<size_t>(id)];
}

Vector vector_at(Model* model, int64_t id) {
  if (id < 0) return {0, nullptr};
  const std::vector<float>& values = at(model->vectors, id);
  return {static_cast<int64_t>(values.size()), values.data()};
}

const float* vector_of(Model* model, int64_t id, int64_t count) {
  const Vector vector = vector_at(model, id);
  require(vector.count == count, "A small weight is of another size than its operation.");
  return vector.data;
}

Convolution convolution_of(Model* model, int64_t weight, int64_t bias, int64_t taps,
                           int64_t channels) {
  return {vector_of(model, weight, taps * channels),
          bias < 0 ? nullptr : vector_of(model, bias, channels)};
}

Buffer& buffer(Model* model, int64_t id) { return model->program.buffer(id); }

Buffer& new_buffer(Model* model, int64_t width) {
  return buffer(model, model->program.new_buffer(width));
}

std::vector<Buffer*> all_buffers(Model* model, const int64_t* ids, int64_t count) {
  std::vector<Buffer*> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(&buffer(model, ids[i]));
  return all;
}

Activation activation_of(int32_t value) {
  require(value >= 0 && value < kActivations, "There is no such activation.");
  return static_cast<Activation>(value);
}

template <class Layer>
Layer& slot_for(std::vector<Layer>& layers, int64_t layer) {
  require(layer >= 0 && layer < (1 << 16), "There is no such layer.");
  if (layer >= static_cast<int64_t>(layers.size())) layers.resize(static_cast<size_t>(layer) + 1);
  return layers[static_cast<size_t>(layer)];
}

/// A pass reads all that a slot holds; from small pages that takes half as long again.
void lay_in_huge_pages(const Plane& plane) {
  const size_t bytes = plane.type == CacheType::f32 ? 4 : plane.type == CacheType::f16 ? 2 : 1;
  const auto elements = static_cast<size_t>(plane.row(plane.pages, 0, 0) * plane.width);
  advise_huge_pages(plane.elements, elements * bytes);
}

}  // namespace
}  // namespace paceline

using namespace paceline;

int64_t paceline_set_grid(int32_t ggml_type, const int8_t* values, int64_t count,
                          const uint8_t* points) {
  return coded([&] { set_grid(ggml_type, values, count, points); });
}

paceline_model* paceline_model_new(int32_t threads, const char* isa) {
  return guarded<Model*>(nullptr, [&] {
    require(threads >= 1, "A model needs a thread.");
    return new Model(threads, isa);
  });
}

void paceline_model_free(paceline_model* model) { delete model; }

const char* paceline_isa(const paceline_model* model) { return model->kernels.name; }

int64_t paceline_add_matrix(paceline_model* model, int32_t ggml_type, int64_t experts,
                            int64_t rows, int64_t columns, const void* data) {
  return coded([&] {
    return append(model->matrices, make_matrix(ggml_type, experts, rows, columns, data,
                                               model->kernels, model->pool, model->weights));
  });
}

int64_t paceline_set_scales(paceline_model* model, int64_t matrix, int64_t count,
                            const float* scales) {
  return coded([&] {
    Matrix& scaled = at(model->matrices, matrix);
    require(count == scaled.experts, "A matrix has another number of experts than of scales.");
    const size_t bytes = static_cast<size_t>(count) * sizeof *scales;
    auto* copy = reinterpret_cast<float*>(model->weights.allocate(bytes));
    std::memcpy(copy, scales, bytes);
    scaled.scales = copy;
  });
}

int64_t paceline_add_table(paceline_model* model, int32_t ggml_type, int64_t rows, int64_t columns,
                           const void* data) {
  return coded(
      [&] { return append(model->tables, make_table(ggml_type, rows, columns, data)); });
}

int64_t paceline_add_vector(paceline_model* model, int64_t count, const float* data) {
  return coded([&] { return append(model->vectors, std::vector<float>(data, data + count)); });
}

int64_t paceline_add_buffer(paceline_model* model, int64_t width) {
  return coded([&] { return model->program.new_buffer(width); });
}

int64_t paceline_add_embed(paceline_model* model, int64_t table, int64_t out) {
  return coded([&] {
    Buffer& to = buffer(model, out);
    model->program.section(false).add(std::make_unique<Embed>(at(model->tables, table), to), {},
                                      {&to});
  });
}

int64_t paceline_add_rms_norm(paceline_model* model, int32_t head, int64_t source, int64_t weight,
                              int64_t out, float epsilon, int64_t width) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    auto norm =
        std::make_unique<Norm>(from, nullptr, vector_at(model, weight), to, epsilon, width);
    model->program.section(head).add(std::move(norm), {&from}, {&to});
  });
}

int64_t paceline_add_layer_norm(paceline_model* model, int32_t head, int64_t source,
                                int64_t weight, int64_t bias, int64_t out, float epsilon) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    const float* moved = bias < 0 ? nullptr : vector_of(model, bias, from.width);
    model->program.section(head).add(
        std::make_unique<LayerNorm>(from, vector_of(model, weight, from.width), moved, to, epsilon),
        {&from}, {&to});
  });
}

int64_t paceline_add_gated_norm(paceline_model* model, int32_t head, int64_t source, int64_t gate,
                                int64_t weight, int64_t out, float epsilon) {
  return coded([&] {
    Buffer &from = buffer(model, source), &by = buffer(model, gate), &to = buffer(model, out);
    const Vector gains = vector_at(model, weight);
    auto norm = std::make_unique<Norm>(from, &by, gains, to, epsilon, gains.count);
    model->program.section(head).add(std::move(norm), {&from, &by}, {&to});
  });
}

int64_t paceline_add_linear(paceline_model* model, int32_t head, int64_t source, int64_t weight,
                            int64_t bias, int64_t out, int32_t accumulate) {
  return coded([&] {
    model->program.section(head).add_product(buffer(model, source), at(model->matrices, weight),
                                             vector_at(model, bias), buffer(model, out),
                                             accumulate != 0);
  });
}

int64_t paceline_add_glu(paceline_model* model, int32_t head, int64_t gate, int64_t up,
                         int64_t out, int32_t activation) {
  return coded([&] {
    Buffer &by = buffer(model, gate), &from = buffer(model, up), &to = buffer(model, out);
    model->program.section(head).add(
        std::make_unique<Glu>(by, from, to, activation_of(activation)), {&by, &from}, {&to});
  });
}

int64_t paceline_add_activate(paceline_model* model, int32_t head, int64_t source, int64_t out,
                              int32_t activation) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    model->program.section(head).add(
        std::make_unique<Activate>(from, to, activation_of(activation)), {&from}, {&to});
  });
}

int64_t paceline_add_scale(paceline_model* model, int32_t head, int64_t source, int64_t out,
                           float factor) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    model->program.section(head).add(
        std::make_unique<WithNumber>(from, to, factor, model->kernels.scale), {&from}, {&to});
  });
}

int64_t paceline_add_add(paceline_model* model, int32_t head, int64_t source, int64_t out,
                         float factor) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    model->program.section(head).add(
        std::make_unique<WithNumber>(from, to, factor, model->kernels.add), {&from, &to}, {&to});
  });
}

int64_t paceline_add_soft_cap(paceline_model* model, int32_t head, int64_t source, int64_t out,
                              float cap) {
  return coded([&] {
    Buffer &from = buffer(model, source), &to = buffer(model, out);
    require(cap > 0, "A cap must be above zero.");
    model->program.section(head).add(
        std::make_unique<WithNumber>(from, to, cap, model->kernels.soft_cap), {&from}, {&to});
  });
}

int64_t paceline_add_sigmoid_gate(paceline_model* model, int32_t head, int64_t source,
                                  int64_t gate, int64_t out) {
  return coded([&] {
    Buffer &from = buffer(model, source), &by = buffer(model, gate), &to = buffer(model, out);
    model->program.section(head).add(std::make_unique<SigmoidGate>(from, by, to), {&from, &by},
                                     {&to});
  });
}

int64_t paceline_add_split(paceline_model* model, int32_t head, int64_t source,
                           const int64_t* parts, int64_t num_parts, int64_t groups) {
  return coded([&] {
    Buffer& from = buffer(model, source);
    std::vector<Buffer*> to = all_buffers(model, parts, num_parts);
    const Buffers written(to.begin(), to.end());
    model->program.section(head).add(std::make_unique<Split>(from, std::move(to), groups), {&from},
                                     written);
  });
}

int64_t paceline_add_clamped_glu(paceline_model* model, int32_t head, int64_t gate, int64_t up,
                                 int64_t out, float limit, float sharpness) {
  return coded([&] {
    Buffer &by = buffer(model, gate), &from = buffer(model, up), &to = buffer(model, out);
    auto operation = std::make_unique<ClampedGlu>(by, from, to, limit, sharpness);
    model->program.section(head).add(std::move(operation), {&by, &from}, {&to});
  });
}

int64_t paceline_add_join(paceline_model* model, int32_t head, const int64_t* parts,
                          int64_t num_parts, int64_t out, int64_t groups) {
  return coded([&] {
    Buffer& to = buffer(model, out);
    std::vector<Buffer*> from = all_buffers(model, parts, num_parts);
    const Buffers read(from.begin(), from.end());
    model->program.section(head).add(std::make_unique<Join>(std::move(from), to, groups), read,
                                     {&to});
  });
}

int64_t paceline_add_count(paceline_model* model, int32_t head, int64_t out) {
  return coded([&] {
    Buffer& to = buffer(model, out);
    model->program.section(head).add(std::make_unique<Count>(to), {}, {&to});
  });
}

int64_t paceline_add_route(paceline_model* model, int32_t head, int64_t logits, int64_t bias,
                           int64_t chosen, int64_t weights, int32_t gating, int64_t groups,
                           int64_t groups_used, int32_t normalised, float scale) {
  return coded([&] {
    Buffer &from = buffer(model, logits), &to = buffer(model, chosen);
    Buffer& by = buffer(model, weights);
    const Routing routing{static_cast<Gating>(gating), groups, groups_used, normalised != 0,
                          scale};
    auto operation = std::make_unique<Route>(from, vector_at(model, bias), to, by, routing);
    model->program.section(head).add(std::move(operation), {&from}, {&to, &by});
  });
}

int64_t paceline_add_expert_linear(paceline_model* model, int32_t head, int64_t source,
                                   int64_t chosen, int64_t weight, int64_t bias, int64_t out) {
  return coded([&] {
    model->program.section(head).add_expert_product(
        buffer(model, source), buffer(model, chosen), at(model->matrices, weight),
        vector_at(model, bias), buffer(model, out));
  });
}

int64_t paceline_add_weighted_sum(paceline_model* model, int32_t head, int64_t source,
                                  int64_t weights, int64_t out, int32_t accumulate) {
  return coded([&] {
    Buffer &from = buffer(model, source), &by = buffer(model, weights), &to = buffer(model, out);
    auto operation = std::make_unique<WeightedSum>(from, by, to, accumulate != 0);
    Section& section = model->program.section(head);
    if (accumulate) {
      section.add(std::move(operation), {&from, &by, &to}, {&to});
    } else {
      section.add(std::move(operation), {&from, &by}, {&to});
    }
  });
}

int64_t paceline_add_rotate(paceline_model* model, int64_t rows, int64_t cos, int64_t sin,
                            int64_t pairs, int32_t interleaved, int64_t head_dim) {
  return coded([&] {
    Buffer& turned = buffer(model, rows);
    const Vector all = vector_at(model, cos);
    require(pairs > 0, "A rotary embedding needs pairs.");
    const Angles angles{all.data, vector_of(model, sin, all.count), all.count / pairs, pairs,
                        interleaved != 0};
    model->program.section(false).add(std::make_unique<Rotate>(turned, angles, head_dim),
                                      {&turned}, {&turned});
  });
}

int64_t paceline_add_store(paceline_model* model, int64_t key, int64_t value, int64_t layer) {
  return coded([&] {
    Buffer& k = buffer(model, key);
    Buffer* v = value < 0 ? nullptr : &buffer(model, value);
    Buffers read{&k};
    if (v) read.push_back(v);
    model->program.section(false).add(std::make_unique<Store>(k, v, layer), read, {});
  });
}

int64_t paceline_add_attention(paceline_model* model, int64_t query, int64_t out, int64_t head_dim,
                               int64_t layer, float scale, int64_t window, float cap,
                               int64_t sinks) {
  return coded([&] {
    Buffer &q = buffer(model, query), &to = buffer(model, out);
    require(head_dim > 0, "A head needs dimensions.");
    const float* extra = sinks < 0 ? nullptr : vector_of(model, sinks, q.width / head_dim);
    const Attention::Scores scores{scale, window, cap, extra};
    auto phase = std::make_unique<Attention>(q, to, head_dim, layer, scores);
    model->program.section(false).add(std::move(phase), {&q}, {&to});
  });
}

int64_t paceline_add_delta_rule(paceline_model* model, int64_t mixed, int64_t decay, int64_t beta,
                                int64_t out, int64_t convolution, int64_t decay_bias,
                                int64_t decay_rate, float epsilon, int64_t key_heads,
                                int64_t value_heads, int64_t key_dim, int64_t value_dim,
                                int64_t taps, int32_t adjacent, int64_t layer) {
  return coded([&] {
    Buffer &from = buffer(model, mixed), &fade = buffer(model, decay), &rate = buffer(model, beta);
    const Convolution weights = convolution_of(model, convolution, -1, taps, from.width);
    auto rule = std::make_unique<DeltaRule>(
        DeltaLayer{key_heads, value_heads, key_dim, value_dim, adjacent != 0, weights,
                   vector_of(model, decay_bias, value_heads),
                   vector_of(model, decay_rate, value_heads), epsilon},
        taps, layer);
    Buffer& gates = new_buffer(model, rule->sizes().gates);
    model->program.section(false).add(
        std::make_unique<DeltaGates>(fade, rate, gates, rule->weights()), {&fade, &rate}, {&gates});
    model->program.add_recurrence(std::move(rule), from, &gates, buffer(model, out));
  });
}

int64_t paceline_add_state_space(paceline_model* model, int64_t mixed, int64_t step, int64_t out,
                                 int64_t convolution, int64_t convolution_bias, int64_t step_bias,
                                 int64_t decay_rate, int64_t skip, int64_t groups, int64_t heads,
                                 int64_t head_dim, int64_t state_dim, int64_t taps,
                                 int64_t layer) {
  return coded([&] {
    Buffer &from = buffer(model, mixed), &time = buffer(model, step);
    auto space = std::make_unique<StateSpace>(
        StateSpaceLayer{groups, heads, head_dim, state_dim,
                        convolution_of(model, convolution, convolution_bias, taps, from.width),
                        vector_of(model, step_bias, heads), vector_of(model, decay_rate, heads),
                        vector_of(model, skip, heads)},
        taps, layer);
    Buffer& gates = new_buffer(model, space->sizes().gates);
    model->program.section(false).add(std::make_unique<Steps>(time, gates, space->weights()),
                                      {&time}, {&gates});
    model->program.add_recurrence(std::move(space), from, &gates, buffer(model, out));
  });
}

int64_t paceline_add_short_convolution(paceline_model* model, int64_t source, int64_t out,
                                       int64_t convolution, int64_t taps, int64_t layer) {
  return coded([&] {
    Buffer& from = buffer(model, source);
    const Convolution weights = convolution_of(model, convolution, -1, taps, from.width);
    model->program.add_recurrence(
        std::make_unique<ShortConvolution>(weights, from.width, taps, layer), from, nullptr,
        buffer(model, out));
  });
}

int64_t paceline_set_logits(paceline_model* model, int64_t id) {
  return coded([&] { model->program.set_logits(buffer(model, id)); });
}

int64_t paceline_bind_key_values(paceline_model* model, int64_t layer, int32_t type, int64_t pages,
                                 int64_t heads, int64_t key_dim, int64_t value_dim, void* keys,
                                 uint16_t* key_scales, void* values, uint16_t* value_scales) {
  return coded([&] {
    const auto kind = static_cast<CacheType>(type);
    const int64_t value_width = values == keys ? key_dim : value_dim;
    KeyValues& cache = slot_for(model->program.state().attention, layer);
    cache = {{kind, pages, heads, key_dim, key_dim, keys, key_scales},
             {kind, pages, heads, value_dim, value_width, values, value_scales}};
    lay_in_huge_pages(cache.keys);
    lay_in_huge_pages(cache.values);
  });
}

int64_t paceline_bind_recurrent(paceline_model* model, int64_t layer, float* state, float* tape,
                                int64_t entries, int64_t kept_floats, int64_t slots,
                                int64_t tape_rows, int64_t tape_floats) {
  return coded([&] {
    slot_for(model->program.state().recurrent, layer) = {state, tape,      entries,    kept_floats,
                                                         slots, tape_rows, tape_floats};
  });
}

int64_t paceline_run(paceline_model* model, const Batch* batch, float* logits) {
  return coded([&] { model->program.run(*batch, logits); });
}

int64_t paceline_fold(paceline_model* model, int64_t entry, int64_t slot, int64_t rows) {
  return coded([&] { model->program.fold(entry, slot, rows); });
}

int64_t paceline_top_k(const float* values, int64_t n, int64_t k, int32_t* indices) {
  return coded([&] {
    require(k >= 0 && k <= n, "There are not that many values.");
    top_k(values, n, k, indices);
  });
}

void paceline_poison(paceline_model* model) { model->program.poison(); }
