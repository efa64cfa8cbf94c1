#include "cpu/memory.h"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace paceline {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;
// Of an arena; what is not used of them is never touched.
constexpr size_t kChunk = size_t{64} << 20;

constexpr size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

void advise_huge_pages([[maybe_unused]] uint8_t* first, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
  const size_t whole = bytes / kHugePage * kHugePage;
  if (whole) madvise(first, whole, MADV_HUGEPAGE);
#endif
}

}  // namespace

void FreeMemory::operator()(uint8_t* p) const noexcept { ::operator delete(p, alignment); }

Memory allocate(size_t bytes) {
  const std::align_val_t alignment{bytes < kHugePage ? kLine : kHugePage};
  Memory memory(static_cast<uint8_t*>(::operator new(bytes, alignment)), {alignment});
  advise_huge_pages(memory.get(), bytes);
  return memory;
}

uint8_t* Arena::allocate(size_t bytes) {
  bytes = round_up(bytes, kLine);
  if (bytes > left_) {
    const size_t chunk = std::max(round_up(bytes, kHugePage), kChunk);
    chunks_.push_back(paceline::allocate(chunk));
    next_ = chunks_.back().get();
    left_ = chunk;
  }
  uint8_t* const memory = next_;
  next_ += bytes;
  left_ -= bytes;
  return memory;
}

}  // namespace paceline
