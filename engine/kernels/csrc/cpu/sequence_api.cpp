// The operations that look at other rows of a sequence.
#include <memory>
#include <utility>

#include "cpu/attention.h"
#include "cpu/model.h"
#include "cpu/recurrences.h"

namespace paceline {
namespace {

Convolution convolution_of(Model* model, int64_t weight, int64_t bias, int64_t taps,
                           int64_t channels) {
  return {vector_of(model, weight, taps * channels),
          bias < 0 ? nullptr : vector_of(model, bias, channels)};
}

Buffer& new_buffer(Model* model, int64_t width) {
  return buffer(model, model->program.new_buffer(width));
}

}  // namespace
}  // namespace paceline

using namespace paceline;

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
