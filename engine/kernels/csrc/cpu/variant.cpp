// Compiled once for each variant, with PACELINE_VARIANT its name and PACELINE_ARCH the header of its
// vector types.
//
// Nothing here may leave a function that another variant's code could be linked to: every function
// is in the variant's namespace or inlined, and the standard library's templates stay out.

#include PACELINE_ARCH

#include "cpu/kernels.h"

#include "cpu/attention.inl"
#include "cpu/convolution.inl"
#include "cpu/delta_rule.inl"
#include "cpu/elementwise.inl"
#include "cpu/experts.inl"
#include "cpu/kv_rows.inl"
#include "cpu/layouts.inl"
#include "cpu/norm.inl"
#include "cpu/quantise.inl"
#include "cpu/rope.inl"
#include "cpu/state_space.inl"

#define PACELINE_TEXT(name) #name
#define PACELINE_NAME(name) PACELINE_TEXT(name)

namespace paceline::PACELINE_VARIANT {

const Kernels& kernels() {
  static constexpr Kernels table = {
      .name = PACELINE_NAME(PACELINE_VARIANT),
      .panel_rows = kPanelRows,
      .tile_bytes = tile_bytes,
      .repack = repack,
      .quantise = quantise,
      .multiply = multiply,
      .rms_norm = rms_norm,
      .layer_norm = layer_norm,
      .gated_norm = gated_norm,
      .glu = glu,
      .activate = activate,
      .scale = scale,
      .add = add_scaled,
      .soft_cap = soft_cap,
      .sigmoid_gate = sigmoid_gate,
      .clamped_glu = clamped_glu,
      .sigmoid = sigmoid,
      .softmax = softmax,
      .weighted_sum = weighted_sum,
      .rotate = rotate,
      .write_row = write_row,
      .attend_page = attend_page,
      .merge_part = merge_part,
      .finish_part = finish_part,
      .delta_gates = delta_gates,
      .steps = steps,
      .advance_delta = advance_delta,
      .advance_state_space = advance_state_space,
      .convolve = convolve,
  };
  return table;
}

}  // namespace paceline::PACELINE_VARIANT
