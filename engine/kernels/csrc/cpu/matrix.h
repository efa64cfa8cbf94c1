// A weight matrix in the form that the products read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/block_types.h"
#include "cpu/memory.h"

namespace paceline {

class Pool;
struct Kernels;

// Rows of outputs that are computed together, a lane each.
constexpr int kTileRows = 16;
// Activations and quantised weights have a scale for every 32 columns; products walk them in groups
// of eight.
constexpr int kBlockColumns = 32;
constexpr int kGroupBlocks = 8;

// `experts` matrices of `rows` × `columns` under each other; an ordinary matrix is one.
//
// Plain floats stay where they are, row by row; other numbers become float32. Quantised rows are
// repacked in tiles of 16, in the layout that the format's file in formats/ describes.
struct Matrix {
  const BlockType* type;
  Layout layout;
  int64_t experts, rows, columns;
  int64_t tiles;          // of one expert; the last may be short of rows
  int64_t tile_bytes;     // of 16 rows
  const uint8_t* data;    // tiles of expert 0, then of expert 1, …; or the file's own floats
  const float* scales;    // factors of the experts' products; null where all are one
  uint8_t* repacked;      // what `data` points to where it is no longer the file's, else null

  int64_t blocks() const { return columns / kBlockColumns; }
};

// Make a matrix from a file's blocks, in parallel; what is repacked goes into the arena.
//
// Throws std::invalid_argument as block_type does.
Matrix make_matrix(int ggml_type, int64_t experts, int64_t rows, int64_t columns, const void* data,
                   const Kernels& kernels, Pool& pool, Arena& arena);

// How many tiles a worker takes at a time: few enough that all workers end together, and no more
// than stay in a core's cache while the activations of many rows stream by.
int64_t tiles_per_task(const Matrix& matrix, int threads);

}  // namespace paceline
