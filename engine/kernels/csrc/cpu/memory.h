// Large, aligned memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace paceline {

struct FreeMemory {
  void operator()(uint8_t* p) const noexcept;
};
using Memory = std::unique_ptr<uint8_t[], FreeMemory>;

// Uninitialised memory, aligned to 64 bytes at least. Large ones ask the system for huge pages:
// a pass reads all weights once, and with small pages looks up an address every 4 KiB.
Memory allocate(size_t bytes);

}  // namespace paceline
