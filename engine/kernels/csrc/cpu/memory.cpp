#include "cpu/memory.h"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace paceline {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

void FreeMemory::operator()(uint8_t* p) const noexcept { ::operator delete(p, kAlignment); }

Memory allocate(size_t bytes) {
  Memory memory(static_cast<uint8_t*>(::operator new(bytes, kAlignment)));
#if defined(__linux__)
  const auto first = reinterpret_cast<uintptr_t>(memory.get());
  const uintptr_t begin = (first + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (first + bytes) / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace paceline
