#include "cpu/ternary.h"

#include <cstring>

namespace paceline {
namespace {

void set_factors(BlockQ2_K& block, half_bits d) {
  std::memset(block.scales, 0x11, sizeof block.scales);
  block.d = block.dmin = d;
}

// Digit k to the base of 3 of a fraction of 256.
int digit(uint8_t fraction, int k) {
  constexpr uint8_t powers[] = {1, 3, 9, 27, 81};
  return static_cast<uint8_t>(fraction * powers[k]) * 3 >> 8;
}

}  // namespace

void convert(const BlockTQ1_0& source, BlockQ2_K& block) {
  set_factors(block, source.d);
  std::memset(block.pairs, 0, sizeof block.pairs);
  int column = 0;
  const auto put = [&](const uint8_t* fractions, int count, int digits) {
    for (int k = 0; k < digits; ++k) {
      for (int i = 0; i < count; ++i, ++column) {
        const int q = digit(fractions[i], k) << 2 * (column / 32 % 4);
        block.pairs[32 * (column / 128) + column % 32] |= static_cast<uint8_t>(q);
      }
    }
  };
  put(source.fives, 32, 5);
  put(source.fives + 32, 16, 5);
  put(source.fours, 4, 4);
}

void convert(const BlockTQ2_0& source, BlockQ2_K& block) {
  set_factors(block, source.d);
  std::memcpy(block.pairs, source.pairs, sizeof block.pairs);
}

}  // namespace paceline
