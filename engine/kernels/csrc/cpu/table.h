// A matrix whose rows are looked up and decoded one at a time: the embedding.
#pragma once

#include <cstdint>

#include "cpu/block_types.h"

namespace paceline {

// Rows stay as the file has them.
struct Table {
  const BlockType* type;
  int64_t rows, columns;
  const uint8_t* data;
};

// Throws std::invalid_argument as block_type does.
inline Table make_table(int ggml_type, int64_t rows, int64_t columns, const void* data) {
  return {&block_type(ggml_type, columns), rows, columns, static_cast<const uint8_t*>(data)};
}

// Row `row` as float32; the same bits as `QuantTensor.decode`.
inline void decode_row(const Table& table, int64_t row, float* out) {
  const BlockType& type = *table.type;
  const int64_t row_bytes = table.columns / type.block_columns * type.block_bytes;
  type.decode(table.data + row * row_bytes, table.columns, out);
}

}  // namespace paceline
