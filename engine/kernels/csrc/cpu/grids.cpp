#include "cpu/grids.h"

#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "common/half.h"

namespace paceline {
namespace {

// A point's codes are bytes, column by column.
struct Grid {
  int ggml_type;
  int64_t count;  // of points
  int width;      // columns of a point
  int8_t values[16];
  std::vector<uint64_t> points;
};

enum GridIndex { kIQ1, kIQ2_XXS, kIQ2_XS, kIQ2_S, kIQ3_XXS, kIQ3_S };

Grid grids[] = {
    {19, 2048, 8, {}, {}}, {16, 256, 8, {}, {}}, {17, 512, 8, {}, {}},
    {22, 1024, 8, {}, {}}, {18, 256, 4, {}, {}}, {21, 512, 4, {}, {}},
};
constexpr int kIQ1_M = 29;  // has the grid of IQ1_S

Grid* find_grid(int ggml_type) {
  for (Grid& grid : grids) {
    if (grid.ggml_type == (ggml_type == kIQ1_M ? 19 : ggml_type)) return &grid;
  }
  return nullptr;
}

// Bit i set makes the code in byte i one of the second eight values.
constexpr auto kSigned = [] {
  std::array<uint64_t, 256> spread{};
  for (uint64_t bits = 0; bits < 256; ++bits) {
    for (int i = 0; i < 8; ++i) spread[bits] |= (bits >> i & 1) << 3 << 8 * i;
  }
  return spread;
}();

// Signs out of seven of their bits: an even number of them is set.
uint64_t even_signs(uint32_t seven) {
  return kSigned[seven | (std::popcount(seven) & 1u) << 7];
}

// Writes eights of columns, in order.
struct Writer {
  uint8_t* nibbles;

  void write(int eighth, uint64_t codes) {
    uint8_t* to = nibbles + 16 * (eighth / 4) + 8 * (eighth % 2);
    if (eighth % 4 >= 2) {
      uint64_t low;
      std::memcpy(&low, to, sizeof low);
      codes = codes << 4 | low;
    }
    std::memcpy(to, &codes, sizeof codes);
  }
};

Writer begin(GridBlock& block, GridIndex index, float d) {
  block.d = d;
  block.values = &grids[index].values;
  return {block.nibbles};
}

uint64_t point(GridIndex index, uint32_t number) { return grids[index].points[number]; }

uint64_t two_points(GridIndex index, uint32_t first, uint32_t second) {
  return point(index, first) | point(index, second) << 32;
}

uint32_t word_of(const uint8_t (&bytes)[2]) { return bytes[0] | uint32_t{bytes[1]} << 8; }

uint32_t word_of(const uint8_t (&bytes)[4]) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

// The scale of a block's 32 columns, both halves.
void scale_both(GridBlock& block, int sub_block, uint32_t scale) {
  block.scales[2 * sub_block] = block.scales[2 * sub_block + 1] =
      static_cast<uint8_t>(2 * scale + 1);
}

void scale_halves(GridBlock& block, const uint8_t* nibbles) {
  for (int s = 0; s < 16; ++s) {
    block.scales[s] = static_cast<uint8_t>(2 * (nibbles[s / 2] >> 4 * (s % 2) & 15) + 1);
  }
}

}  // namespace

void set_grid(int ggml_type, const int8_t* values, int64_t count, const uint8_t* points) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Grid* const grid = ggml_type == kIQ1_M ? nullptr : find_grid(ggml_type);
  if (!grid || count != grid->count) throw std::invalid_argument("There is no such grid.");
  if (!grid->points.empty()) return;
  std::memcpy(grid->values, values, sizeof grid->values);
  std::vector<uint64_t> packed(static_cast<size_t>(count));
  for (size_t i = 0; i < packed.size(); ++i) {
    for (int c = 0; c < grid->width; ++c) {
      packed[i] |= uint64_t{*points++ & 7u} << 8 * c;
    }
  }
  grid->points = std::move(packed);
}

bool has_grid(int ggml_type) {
  const Grid* const grid = find_grid(ggml_type);
  return !grid || !grid->points.empty();
}

void convert(const BlockIQ1_S& source, GridBlock& block) {
  Writer out = begin(block, kIQ1, float_from_half(source.d) / 8);
  for (int s = 0; s < 8; ++s) {
    const uint32_t word = word_of(source.words[s]);
    scale_both(block, s, word >> 12 & 7);
    const uint64_t less = kSigned[word >> 15 ? 255 : 0];
    for (int i = 4 * s; i < 4 * s + 4; ++i) {
      const uint32_t high = word >> 3 * (i % 4) & 7;
      out.write(i, point(kIQ1, source.indices[i] | high << 8) | less);
    }
  }
}

void convert(const BlockIQ1_M& source, GridBlock& block) {
  uint32_t half = 0;
  for (int i = 0; i < 4; ++i) half |= word_of(source.words[i]) >> 12 << 4 * i;
  Writer out = begin(block, kIQ1, float_from_half(static_cast<uint16_t>(half)) / 8);
  for (int s = 0; s < 16; ++s) {
    const uint32_t scale = word_of(source.words[s / 4]) >> 3 * (s % 4) & 7;
    block.scales[s] = static_cast<uint8_t>(2 * scale + 1);
  }
  for (int i = 0; i < 32; ++i) {
    const uint32_t nibble = source.high[i / 2] >> 4 * (i % 2) & 15;
    const uint64_t less = kSigned[nibble >> 3 ? 255 : 0];
    out.write(i, point(kIQ1, source.indices[i] | (nibble & 7) << 8) | less);
  }
}

void convert(const BlockIQ2_XXS& source, GridBlock& block) {
  Writer out = begin(block, kIQ2_XXS, float_from_half(source.d) / 8);
  for (int s = 0; s < 8; ++s) {
    const uint32_t word = word_of(source.parts[s].word);
    scale_both(block, s, word >> 28);
    for (int i = 0; i < 4; ++i) {
      out.write(4 * s + i, point(kIQ2_XXS, source.parts[s].indices[i]) |
                               even_signs(word >> 7 * i & 127));
    }
  }
}

void convert(const BlockIQ2_XS& source, GridBlock& block) {
  Writer out = begin(block, kIQ2_XS, float_from_half(source.d) / 8);
  scale_halves(block, source.scales);
  for (int i = 0; i < 32; ++i) {
    const uint32_t word = word_of(source.words[i]);
    out.write(i, point(kIQ2_XS, word & 511) | even_signs(word >> 9));
  }
}

void convert(const BlockIQ2_S& source, GridBlock& block) {
  Writer out = begin(block, kIQ2_S, float_from_half(source.d) / 8);
  scale_halves(block, source.scales);
  for (int i = 0; i < 32; ++i) {
    const uint32_t high = source.high[i / 4] >> 2 * (i % 4) & 3;
    out.write(i, point(kIQ2_S, source.indices[i] | high << 8) | kSigned[source.signs[i]]);
  }
}

void convert(const BlockIQ3_XXS& source, GridBlock& block) {
  Writer out = begin(block, kIQ3_XXS, float_from_half(source.d) / 4);
  for (int s = 0; s < 8; ++s) {
    const uint32_t word = word_of(source.words[s]);
    scale_both(block, s, word >> 28);
    for (int i = 0; i < 4; ++i) {
      const uint8_t* indices = source.indices + 8 * s + 2 * i;
      out.write(4 * s + i,
                two_points(kIQ3_XXS, indices[0], indices[1]) | even_signs(word >> 7 * i & 127));
    }
  }
}

void convert(const BlockIQ3_S& source, GridBlock& block) {
  Writer out = begin(block, kIQ3_S, float_from_half(source.d));
  for (int s = 0; s < 8; ++s) scale_both(block, s, source.scales[s / 2] >> 4 * (s % 2) & 15);
  const auto index = [&](int i) {
    return uint32_t{source.indices[i]} | (source.high[i / 8] >> i % 8 & 1u) << 8;
  };
  for (int i = 0; i < 32; ++i) {
    const uint64_t codes = two_points(kIQ3_S, index(2 * i), index(2 * i + 1));
    out.write(i, codes | kSigned[source.signs[i]]);
  }
}

void decode_block(const GridBlock& source, float* out) {
  for (int s = 0; s < 16; ++s) {
    const float scale = source.d * static_cast<float>(source.scales[s]);
    const uint8_t* nibbles = source.nibbles + 16 * (s / 2);
    for (int i = 0; i < 16; ++i) {
      const int q = nibbles[i] >> 4 * (s % 2) & 0x0F;
      out[16 * s + i] = static_cast<float>((*source.values)[q]) * scale;
    }
  }
}

}  // namespace paceline
