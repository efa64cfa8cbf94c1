// The operations that need nothing but their rows.
#include <memory>
#include <utility>

#include "cpu/model.h"
#include "cpu/routing.h"

namespace paceline {
namespace {

std::vector<Buffer*> all_buffers(Model* model, const int64_t* ids, int64_t count) {
  std::vector<Buffer*> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(&buffer(model, ids[i]));
  return all;
}

Activation activation_of(int32_t value) {
  require(value >= 0 && value < kActivations, "There is no such activation.");
  return static_cast<Activation>(value);
}

}  // namespace
}  // namespace paceline

using namespace paceline;

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
