// Blocks to float32, one at a time. Each product and difference is rounded on its own, as in
// engine/weights/dequant.
#pragma once

#include "common/blocks.h"

namespace paceline {

void decode_block(const BlockQ4_0& source, float* out);
void decode_block(const BlockQ4_1& source, float* out);
void decode_block(const BlockQ5_0& source, float* out);
void decode_block(const BlockQ5_1& source, float* out);
void decode_block(const BlockQ8_0& source, float* out);
void decode_block(const BlockQ2_K& source, float* out);
void decode_block(const BlockQ3_K& source, float* out);
void decode_block(const BlockQ4_K& source, float* out);
void decode_block(const BlockQ5_K& source, float* out);
void decode_block(const BlockQ6_K& source, float* out);
void decode_block(const BlockIQ4_NL& source, float* out);
void decode_block(const BlockIQ4_XS& source, float* out);
void decode_block(const BlockMXFP4& source, float* out);
void decode_block(const BlockNVFP4& source, float* out);

}  // namespace paceline
