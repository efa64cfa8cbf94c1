// Which variant of the kernels this processor runs.
#pragma once

#include "cpu/kernels.h"

namespace paceline {

// The kernels of a variant, or the best ones that the processor has. Without `isa` the environment
// variable PACELINE_ISA may name one.
//
// Throws std::invalid_argument, naming what there is, for one that is unknown or cannot run here.
const Kernels& choose_kernels(const char* isa);

}  // namespace paceline
