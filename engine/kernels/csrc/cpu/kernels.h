// The kernels that a variant (a build for one instruction set) offers.
#pragma once

#include <cstdint>

#include "cpu/activations.h"
#include "cpu/matrix.h"
#include "cpu/page_attention.h"
#include "cpu/recurrent_layers.h"
#include "cpu/state.h"

namespace paceline {

// out[r, o] = Σ weight[o, k] source[r, k] + bias[o], added to what `out` holds where `accumulate`.
struct Product {
  const Matrix* weight;
  const Activations* source;
  float* out;
  Places places;      // of the rows in `out`, each of `weight.rows`
  const float* bias;  // [weight.rows] or null
  bool accumulate;
  // Which part: an expert of the weight, for the panels first_panel … last_panel - 1.
  int64_t expert, first_panel, last_panel;
};

/// A function of single numbers; the values are those of operations/rows.py.
enum class Activation : int32_t { silu = 0, gelu = 1, relu_squared = 2, none = 3 };
constexpr int32_t kActivations = 4;

struct Kernels {
  const char* name;
  // Most rows of a panel: as many as registers hold sums for.
  int panel_rows;

  // Bytes of a repacked tile.
  int64_t (*tile_bytes)(Layout, int64_t columns);
  // Repack 16 rows of a matrix, short ones filled with zeros: tile `tile` of expert `expert`.
  void (*repack)(const Matrix&, const void* blocks, int64_t expert, int64_t tile);
  // Write the int8 form (codes and terms) of rows first … last - 1.
  void (*quantise)(const Activations&, int64_t first_row, int64_t last_row);
  // The outputs of tiles first … last - 1 of a product. Quantised weights read the int8 form.
  void (*multiply)(const Product&, int64_t first_tile, int64_t last_tile);

  // One row, of `groups` groups of `width`; the weight may be null.
  void (*rms_norm)(const float* source, const float* weight, int64_t weight_step, float* out,
                   int64_t groups, int64_t width, float epsilon);
  // One row; the bias may be null.
  void (*layer_norm)(const float* source, const float* weight, const float* bias, float* out,
                     int64_t width, float epsilon);
  // As rms_norm, times silu(gate).
  void (*gated_norm)(const float* source, const float* gate, const float* weight, float* out,
                     int64_t groups, int64_t width, float epsilon);
  // out = activation(gate) * up
  void (*glu)(const float* gate, const float* up, float* out, int64_t width, Activation);
  void (*activate)(const float* source, float* out, int64_t width, Activation);
  // out = number * source, out += number * source, out = number * tanh(source / number)
  void (*scale)(const float* source, float* out, int64_t width, float number);
  void (*add)(const float* source, float* out, int64_t width, float number);
  void (*soft_cap)(const float* source, float* out, int64_t width, float number);
  void (*sigmoid_gate)(const float* source, const float* gate, float* out, int64_t width);
  // g sigmoid(sharpness g) (u + 1), where g is the gate up to `limit` and u is `up` within it.
  void (*clamped_glu)(const float* gate, const float* up, float* out, int64_t width, float limit,
                      float sharpness);
  void (*sigmoid)(const float* source, float* out, int64_t width);
  void (*softmax)(const float* source, float* out, int64_t width);
  // out = Σ weights[i] source[i], in the order of `count` parts [width] that follow each other;
  // added to what `out` holds where `accumulate`.
  void (*weighted_sum)(const float* source, const float* weights, int64_t count, float* out,
                       int64_t width, bool accumulate);
  // Turn the heads of one row in place; cos and sin are [pairs].
  void (*rotate)(float* row, int64_t heads, int64_t head_dim, const float* cos, const float* sin,
                 int64_t pairs, bool interleaved);

  // Round one row of keys or values, [heads, dim], into a page.
  void (*write_row)(const Plane&, int64_t page, int64_t position, const float* row);
  // The parts that a page gives to queries.
  void (*attend_page)(const PageAttention&);
  // Add the part of the next page to the parts before it, which are one part together.
  void (*merge_part)(float* seen, const float* part, int64_t value_dim);
  // What a query attends to, [value_dim]; the sink may be null.
  void (*finish_part)(const float* seen, const float* sink, float* out, int64_t value_dim);

  // gates = (rate softplus(decay + bias), sigmoid(beta)), each [heads].
  void (*delta_gates)(const float* decay, const float* beta, const float* bias, const float* rate,
                      float* gates, int64_t heads);
  // out = softplus(step + bias), [heads].
  void (*steps)(const float* step, const float* bias, float* out, int64_t heads);
  // Take rows through a part of a recurrent layer.
  void (*advance_delta)(const DeltaLayer&, const RecurrentRows&);
  void (*advance_state_space)(const StateSpaceLayer&, const RecurrentRows&);
  void (*convolve)(const Convolution&, const RecurrentRows&);
};

}  // namespace paceline
