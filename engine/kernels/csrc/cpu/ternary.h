// The ternary formats, which are Q2_K with other numbers: w = d q - d.
#pragma once

#include "common/blocks.h"

namespace paceline {

void convert(const BlockTQ1_0& source, BlockQ2_K& block);
void convert(const BlockTQ2_0& source, BlockQ2_K& block);

}  // namespace paceline
