#include "cpu/dispatch.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(PACELINE_X86)
#include "cpu/arch/x86/features.h"
#endif

namespace paceline {

namespace portable {
const Kernels& kernels();
}
#if defined(PACELINE_X86)
namespace avx512 {
const Kernels& kernels();
}
namespace avxvnni {
const Kernels& kernels();
}
namespace avx2 {
const Kernels& kernels();
}
#endif

namespace {

// Best first.
std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> usable;
#if defined(PACELINE_X86)
  const X86Features features = x86_features();
  if (features.avx512) usable.push_back(&avx512::kernels());
  if (features.avxvnni) usable.push_back(&avxvnni::kernels());
  if (features.avx2) usable.push_back(&avx2::kernels());
#endif
  usable.push_back(&portable::kernels());
  return usable;
}

}  // namespace

const Kernels& choose_kernels(const char* isa) {
  const std::vector<const Kernels*> usable = usable_kernels();
  if (!isa) isa = std::getenv("PACELINE_ISA");
  if (!isa || !*isa) return *usable.front();
  std::string names;
  for (const Kernels* kernels : usable) {
    if (isa == std::string(kernels->name)) return *kernels;
    names += (names.empty() ? "" : ", ") + std::string(kernels->name);
  }
  throw std::invalid_argument("This processor cannot run the kernels \"" + std::string(isa) +
                              "\"; it can run " + names + ".");
}

}  // namespace paceline
