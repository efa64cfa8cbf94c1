// A model's life: its weights, its state, its passes. Operations are added in {row,sequence}_api.cpp.
#include "cpu/api.h"

#include <cstring>
#include <utility>

#include "cpu/export.h"
#include "cpu/grids.h"
#include "cpu/model.h"
#include "cpu/top_k.h"

namespace paceline {
namespace {

template <class T>
int64_t append(std::deque<T>& all, T&& one) {
  all.push_back(std::move(one));
  return static_cast<int64_t>(all.size()) - 1;
}

template <class Layer>
Layer& slot_for(std::vector<Layer>& layers, int64_t layer) {
  require(layer >= 0 && layer < (1 << 16), "There is no such layer.");
  if (layer >= static_cast<int64_t>(layers.size())) layers.resize(static_cast<size_t>(layer) + 1);
  return layers[static_cast<size_t>(layer)];
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
  });
}

int64_t paceline_bind_recurrent(paceline_model* model, int64_t layer, float* state, float* tape,
                                int64_t entries, int64_t kept_floats, int64_t entry_floats,
                                int64_t slots, int64_t tape_rows, int64_t tape_floats) {
  return coded([&] {
    slot_for(model->program.state().recurrent, layer) = {
        state, tape, entries, kept_floats, entry_floats, slots, tape_rows, tape_floats};
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
