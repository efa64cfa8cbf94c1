#include "cpu/arch/x86/features.h"

#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

namespace paceline {
namespace {

struct Registers {
  uint32_t a, b, c, d;
};

Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r{};
#if defined(_MSC_VER)
  int out[4];
  __cpuidex(out, static_cast<int>(leaf), static_cast<int>(subleaf));
  r = {static_cast<uint32_t>(out[0]), static_cast<uint32_t>(out[1]),
       static_cast<uint32_t>(out[2]), static_cast<uint32_t>(out[3])};
#else
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
#endif
  return r;
}

// Which registers the system saves when it switches threads (XCR0).
uint64_t saved_registers() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
#endif
}

constexpr bool has(uint32_t word, int bit) { return word >> bit & 1; }

}  // namespace

// Bit numbers: Intel's Software Developer's Manual, volume 2, CPUID; volume 1, 13.3, XCR0.
X86Features x86_features() {
  const Registers basic = cpuid(1, 0), extended = cpuid(7, 0), more = cpuid(7, 1);
  const bool system_saves = has(basic.c, 27);
  const uint64_t saved = system_saves ? saved_registers() : 0;
  const bool ymm = (saved & 0x06) == 0x06, zmm = (saved & 0xE6) == 0xE6;
  const bool fma = has(basic.c, 12), f16c = has(basic.c, 29);
  X86Features found{};
  found.avx2 = ymm && fma && f16c && has(extended.b, 5);
  found.avxvnni = found.avx2 && has(more.a, 4);
  found.avx512 = found.avx2 && zmm && has(extended.b, 16) && has(extended.b, 17) &&
                 has(extended.b, 30) && has(extended.b, 31) && has(extended.c, 11);
  return found;
}

}  // namespace paceline
