// Where the state of the slots lies, as engine/kernels/{kv_pages,recurrent}.py lay it out.
#pragma once

#include <cstdint>

#include "cpu/arch/inline.h"

namespace paceline {

/// Positions a page holds; attention splits the keys at its multiples.
constexpr int64_t kPagePositions = 256;

/// Elements that share a scale in q8_0.
constexpr int64_t kCacheBlock = 32;

/// How the elements of keys and values are stored; the numbers are part of the ABI.
enum class CacheType : int32_t { f32 = 0, f16 = 1, q8_0 = 2 };

/// Keys or values of one layer: [pages, heads, kPagePositions, width], of which the first `dim`
/// count. Values that are the beginning of their keys lie where those do.
struct Plane {
  CacheType type = CacheType::f32;
  int64_t pages = 0;
  int64_t heads = 0;
  int64_t dim = 0;
  int64_t width = 0;
  void* elements = nullptr;    // float, half-precision bits, or int8 codes
  uint16_t* scales = nullptr;  // q8_0: [pages, heads, kPagePositions, width / kCacheBlock]

  /// The number of a position's row.
  PACELINE_INLINE int64_t row(int64_t page, int64_t head, int64_t position) const {
    return (page * heads + head) * kPagePositions + position;
  }
};

/// The keys and the values of one layer.
struct KeyValues {
  Plane keys;
  Plane values;
};

/// The committed states of one recurrent layer, and the tapes of the slots.
struct RecurrentState {
  float* state = nullptr;  // [entries, kept_floats], entries lie entry_floats apart
  float* tape = nullptr;   // [slots, tape_rows, tape_floats]
  int64_t entries = 0;
  int64_t kept_floats = 0;
  int64_t entry_floats = 0;
  int64_t slots = 0;
  int64_t tape_rows = 0;
  int64_t tape_floats = 0;

  float* kept(int64_t entry) const { return state + entry * entry_floats; }
  float* tape_row(int64_t slot, int64_t row) const {
    return tape + (slot * tape_rows + row) * tape_floats;
  }
};

}  // namespace paceline
