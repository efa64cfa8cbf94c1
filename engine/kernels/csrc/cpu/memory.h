// Large, aligned memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace paceline {

struct FreeMemory {
  std::align_val_t alignment{};
  void operator()(uint8_t* p) const noexcept;
};
using Memory = std::unique_ptr<uint8_t[], FreeMemory>;

// Uninitialised memory, aligned to 64 bytes at least. Large ones ask the system for huge pages:
// a pass reads all weights once, and with small pages looks up an address every 4 KiB.
Memory allocate(size_t bytes);

// Memory that is only given back together. What is allocated one after the other lies in the same
// huge pages, where single matrices of a small model would fill none.
class Arena {
 public:
  // As `paceline::allocate`; stays until the arena goes.
  uint8_t* allocate(size_t bytes);

 private:
  std::vector<Memory> chunks_;
  uint8_t* next_ = nullptr;  // in the last chunk
  size_t left_ = 0;
};

}  // namespace paceline
