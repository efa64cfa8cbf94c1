// The rows that products multiply: float32, and int8 for quantised weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/arch/inline.h"
#include "cpu/matrix.h"
#include "cpu/memory.h"

namespace paceline {

// Where rows of floats begin, counted in floats: at fixed distances, or wherever `listed` says.
struct Places {
  int64_t stride = 0;
  const int64_t* listed = nullptr;

  PACELINE_INLINE int64_t of(int64_t row) const { return listed ? listed[row] : row * stride; }
};

// Rows that share each load of weights; `first` counts from the first row of the activations.
struct Panel {
  int64_t first;
  int32_t rows;
};

// What a product needs to know of a row's block of 32, beside its codes. `minus_sum` is the negated
// sum of the codes, `minus_half_sum` that of each 16: offsets of weights become one integer term.
struct BlockTerms {
  float scale;
  int32_t minus_sum;
  int32_t minus_half_sum[2];
};

// A view for kernels. Within a panel the order is block, then row, so that all rows of a block lie
// at fixed distances: [blocks][rows] times 32 codes, and [blocks][rows] BlockTerms.
struct Activations {
  const float* values;
  Places places;  // of the rows in `values`, each of `columns`
  int64_t rows, columns;
  const Panel* panels;
  int64_t panel_count;
  int8_t* codes;      // panel p begins at first * columns
  BlockTerms* terms;  // panel p begins at first * blocks

  int64_t blocks() const { return columns / kBlockColumns; }
  PACELINE_INLINE const float* row(int64_t index) const { return values + places.of(index); }
};

// Owns the panels and the memory of the int8 form; one for each buffer that products read.
class ActivationStore {
 public:
  // Describe rows of a pass. Rows are cut into as few panels as `panel_rows` allows, nearly equal.
  const Activations& describe(const float* values, Places places, int64_t rows, int64_t columns,
                              int panel_rows);
  // As above for rows sorted by expert: those of expert e are offsets[e] … offsets[e + 1], and no
  // panel crosses from one expert to the next. `first_panel()[e]` is an expert's first panel.
  const Activations& describe_grouped(const float* values, Places places, int64_t columns,
                                      std::span<const int64_t> offsets, int panel_rows);

  const Activations& view() const { return view_; }
  std::span<const int64_t> first_panel() const { return first_panel_; }

 private:
  Activations view_{};
  std::vector<Panel> panels_;
  std::vector<int64_t> first_panel_;
  Memory memory_;
  int64_t capacity_ = 0;  // of memory_, in blocks of a row
};

}  // namespace paceline
