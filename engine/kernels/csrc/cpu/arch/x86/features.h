// What the processor and the system let us use.
#pragma once

namespace paceline {

struct X86Features {
  bool avx2;     // AVX2, FMA and F16C
  bool avxvnni;  // and VNNI for their registers
  bool avx512;   // AVX-512 F, BW, DQ, VL and VNNI
};

X86Features x86_features();

}  // namespace paceline
