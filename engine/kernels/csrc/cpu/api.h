// The C interface of the library; engine/kernels/native_library.py declares the same.
//
// Functions that return int64_t give an identifier or zero, or one of the errors below when they
// fail; `paceline_error` then says why in a sentence. Nothing is thrown. A model is used by one
// thread at a time.
#pragma once

#include <cstdint>

#include "cpu/batch.h"
#include "cpu/export.h"

namespace paceline {
struct Model;
}
using paceline_model = paceline::Model;

enum paceline_failure : int64_t {
  paceline_invalid = -1,    // the arguments do not make sense
  paceline_no_memory = -2,
  paceline_failed = -3,     // anything else
};

/// Give the grid of a format before a model that uses it; see grids.h.
PACELINE_EXPORT int64_t paceline_set_grid(int32_t ggml_type, const int8_t* values, int64_t count,
                                         const uint8_t* points);

/// Null where it fails. `isa` names a variant of the kernels; null takes the best.
PACELINE_EXPORT paceline_model* paceline_model_new(int32_t threads, const char* isa);
PACELINE_EXPORT void paceline_model_free(paceline_model* model);
/// The name of the variant in use.
PACELINE_EXPORT const char* paceline_isa(const paceline_model* model);

// Weights and buffers; each returns an identifier of its own kind. `data` of matrices of plain
// floats and of tables must stay until the model is freed; other data is copied. A matrix that is
// not one of several experts' counts as that of one.
PACELINE_EXPORT int64_t paceline_add_matrix(paceline_model* model, int32_t ggml_type,
                                         int64_t experts, int64_t rows, int64_t columns,
                                         const void* data);
/// Give the factor of each expert of a matrix; without, they are one.
PACELINE_EXPORT int64_t paceline_set_scales(paceline_model* model, int64_t matrix, int64_t count,
                                         const float* scales);
PACELINE_EXPORT int64_t paceline_add_table(paceline_model* model, int32_t ggml_type, int64_t rows,
                                        int64_t columns, const void* data);
PACELINE_EXPORT int64_t paceline_add_vector(paceline_model* model, int64_t count, const float* data);
PACELINE_EXPORT int64_t paceline_add_buffer(paceline_model* model, int64_t width);

// Operations, in the order of the program: one function for each class of operations/. `head` is
// not 0 for those of the program's head. Weights and buffers go by their identifiers; -1 is none.
PACELINE_EXPORT int64_t paceline_add_embed(paceline_model* model, int64_t table, int64_t out);
PACELINE_EXPORT int64_t paceline_add_rms_norm(paceline_model* model, int32_t head, int64_t source,
                                           int64_t weight, int64_t out, float epsilon,
                                           int64_t width);
PACELINE_EXPORT int64_t paceline_add_layer_norm(paceline_model* model, int32_t head, int64_t source,
                                             int64_t weight, int64_t bias, int64_t out,
                                             float epsilon);
PACELINE_EXPORT int64_t paceline_add_gated_norm(paceline_model* model, int32_t head, int64_t source,
                                             int64_t gate, int64_t weight, int64_t out,
                                             float epsilon);
PACELINE_EXPORT int64_t paceline_add_linear(paceline_model* model, int32_t head, int64_t source,
                                         int64_t weight, int64_t bias, int64_t out,
                                         int32_t accumulate);
/// `activation` is a value of kernels.h's Activation.
PACELINE_EXPORT int64_t paceline_add_glu(paceline_model* model, int32_t head, int64_t gate,
                                      int64_t up, int64_t out, int32_t activation);
PACELINE_EXPORT int64_t paceline_add_activate(paceline_model* model, int32_t head, int64_t source,
                                           int64_t out, int32_t activation);
PACELINE_EXPORT int64_t paceline_add_scale(paceline_model* model, int32_t head, int64_t source,
                                        int64_t out, float factor);
PACELINE_EXPORT int64_t paceline_add_add(paceline_model* model, int32_t head, int64_t source,
                                      int64_t out, float factor);
PACELINE_EXPORT int64_t paceline_add_soft_cap(paceline_model* model, int32_t head, int64_t source,
                                           int64_t out, float cap);
PACELINE_EXPORT int64_t paceline_add_sigmoid_gate(paceline_model* model, int32_t head,
                                               int64_t source, int64_t gate, int64_t out);
PACELINE_EXPORT int64_t paceline_add_split(paceline_model* model, int32_t head, int64_t source,
                                        const int64_t* parts, int64_t num_parts, int64_t groups);
PACELINE_EXPORT int64_t paceline_add_clamped_glu(paceline_model* model, int32_t head, int64_t gate,
                                              int64_t up, int64_t out, float limit,
                                              float sharpness);
/// The enumeration in routing.h has the numbers of `gating`.
PACELINE_EXPORT int64_t paceline_add_route(paceline_model* model, int32_t head, int64_t logits,
                                        int64_t bias, int64_t chosen, int64_t weights,
                                        int32_t gating, int64_t groups, int64_t groups_used,
                                        int32_t normalised, float scale);
PACELINE_EXPORT int64_t paceline_add_expert_linear(paceline_model* model, int32_t head,
                                                int64_t source, int64_t chosen, int64_t weight,
                                                int64_t bias, int64_t out);
PACELINE_EXPORT int64_t paceline_add_weighted_sum(paceline_model* model, int32_t head,
                                               int64_t source, int64_t weights, int64_t out,
                                               int32_t accumulate);
PACELINE_EXPORT int64_t paceline_add_join(paceline_model* model, int32_t head, const int64_t* parts,
                                       int64_t num_parts, int64_t out, int64_t groups);
PACELINE_EXPORT int64_t paceline_add_count(paceline_model* model, int32_t head, int64_t out);
/// `cos` and `sin` are vectors of [positions, pairs].
PACELINE_EXPORT int64_t paceline_add_rotate(paceline_model* model, int64_t rows, int64_t cos,
                                         int64_t sin, int64_t pairs, int32_t interleaved,
                                         int64_t head_dim);
PACELINE_EXPORT int64_t paceline_add_store(paceline_model* model, int64_t key, int64_t value,
                                        int64_t layer);
/// A window of 0 is none, a cap of 0 is none; `sinks` is a vector of [heads] or -1.
PACELINE_EXPORT int64_t paceline_add_attention(paceline_model* model, int64_t query, int64_t out,
                                            int64_t head_dim, int64_t layer, float scale,
                                            int64_t window, float cap, int64_t sinks);
/// `convolution` is [taps, channels], its bias [channels] or -1, the other weights of these three
/// are one for each (value) head.
PACELINE_EXPORT int64_t paceline_add_delta_rule(paceline_model* model, int64_t mixed, int64_t decay,
                                             int64_t beta, int64_t out, int64_t convolution,
                                             int64_t decay_bias, int64_t decay_rate, float epsilon,
                                             int64_t key_heads, int64_t value_heads,
                                             int64_t key_dim, int64_t value_dim, int64_t taps,
                                             int32_t adjacent, int64_t layer);
PACELINE_EXPORT int64_t paceline_add_state_space(paceline_model* model, int64_t mixed, int64_t step,
                                              int64_t out, int64_t convolution,
                                              int64_t convolution_bias, int64_t step_bias,
                                              int64_t decay_rate, int64_t skip, int64_t groups,
                                              int64_t heads, int64_t head_dim, int64_t state_dim,
                                              int64_t taps, int64_t layer);
PACELINE_EXPORT int64_t paceline_add_short_convolution(paceline_model* model, int64_t source,
                                                    int64_t out, int64_t convolution, int64_t taps,
                                                    int64_t layer);
/// Name the result; comes last.
PACELINE_EXPORT int64_t paceline_set_logits(paceline_model* model, int64_t buffer);

// State, which must stay where it is until other state is bound; state.h gives the shapes. Scales
// are null but for q8_0; values that are the beginning of the keys have their addresses.
PACELINE_EXPORT int64_t paceline_bind_key_values(paceline_model* model, int64_t layer, int32_t type,
                                              int64_t pages, int64_t heads, int64_t key_dim,
                                              int64_t value_dim, void* keys, uint16_t* key_scales,
                                              void* values, uint16_t* value_scales);
PACELINE_EXPORT int64_t paceline_bind_recurrent(paceline_model* model, int64_t layer, float* state,
                                             float* tape, int64_t entries, int64_t kept_floats,
                                             int64_t entry_floats, int64_t slots,
                                             int64_t tape_rows, int64_t tape_floats);

/// Run a pass; `logits` gets [wanted rows, width of the result].
PACELINE_EXPORT int64_t paceline_run(paceline_model* model, const paceline::Batch* batch,
                                  float* logits);
/// Apply the first rows of a slot's tape to an entry of every recurrent layer.
PACELINE_EXPORT int64_t paceline_fold(paceline_model* model, int64_t entry, int64_t slot,
                                   int64_t rows);
/// The indices of the k ≤ n largest values, largest first; of equal ones the lower comes first.
PACELINE_EXPORT int64_t paceline_top_k(const float* values, int64_t n, int64_t k, int32_t* indices);

/// For tests: fill whatever is not live between passes with NaN.
PACELINE_EXPORT void paceline_poison(paceline_model* model);
