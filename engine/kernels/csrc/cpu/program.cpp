#include "cpu/program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cpu/attention.h"
#include "cpu/checks.h"

namespace paceline {
namespace {

constexpr int64_t kLineFloats = 16;  // of a cache line

float* as_floats(const Memory& memory) { return reinterpret_cast<float*>(memory.get()); }

}  // namespace

void Scratch::reserve(int64_t floats, int workers) {
  if (floats <= floats_) return;
  floats_ = (floats + kLineFloats - 1) / kLineFloats * kLineFloats;
  workers_ = workers;
  memory_ = allocate(static_cast<size_t>(floats_ * workers) * sizeof(float));
  data_ = as_floats(memory_);
}

float* Scratch::shared(int64_t floats) {
  if (floats > static_cast<int64_t>(shared_.size())) shared_.resize(static_cast<size_t>(floats));
  return shared_.data();
}

void Scratch::poison() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::fill_n(data_, floats_ * workers_, nan);
  std::fill(shared_.begin(), shared_.end(), nan);
}

int64_t Program::new_buffer(int64_t width) {
  require(width > 0, "A buffer needs a width.");
  buffers_.emplace_back().width = width;
  return static_cast<int64_t>(buffers_.size()) - 1;
}

Buffer& Program::buffer(int64_t id) {
  require(id >= 0 && id < static_cast<int64_t>(buffers_.size()), "There is no such buffer.");
  return buffers_[static_cast<size_t>(id)];
}

void Program::add_recurrence(std::unique_ptr<Recurrence> recurrence, Buffer& mixed, Buffer* gates,
                             Buffer& out) {
  const Recurrence& kept = *recurrences_.emplace_back(std::move(recurrence));
  const Buffer& second = gates ? *gates : mixed;
  body_.add(std::make_unique<TakeDown>(mixed, gates, kept), {&mixed, &second}, {});
  body_.add(std::make_unique<RecurrentPhase>(mixed, gates, out, kept), {&mixed, &second}, {&out});
}

void Program::set_logits(Buffer& logits) {
  require(head_.is_empty() ||
              (head_.writes(logits) && !head_.needs(logits) && !body_.writes(logits)),
          "The result must come from the head.");
  logits_ = &logits;
}

void Program::run(const Batch& batch, float* logits) {
  require(logits_, "The program has no result.");
  if (batch.rows == 0) return;
  index_.sort(batch);
  reserve(batch.rows);
  reserve_scratch();
  const Pass body{batch, index_, batch.rows, state_, scratch_, kernels_, pool_};
  body_.check(body);
  body_.run(body);
  const auto wanted = static_cast<int64_t>(index_.wanted().size());
  if (wanted == 0) return;
  if (head_.is_empty()) return copy_wanted(logits);
  for (Buffer& buffer : buffers_) {
    if (head_.needs(buffer)) gather(buffer);
  }
  logits_->data = logits;
  head_.run({batch, index_, wanted, state_, scratch_, kernels_, pool_});
}

void Program::fold(int64_t entry, int64_t slot, int64_t rows) {
  reserve_scratch();
  paceline::fold(recurrences_, state_, entry, slot, rows, kernels_, scratch_, pool_);
}

void Program::poison() {
  scratch_.poison();
  for (Buffer& buffer : buffers_) {
    if (buffer.memory) {
      std::fill_n(buffer.data, capacity_ * buffer.stride, std::numeric_limits<float>::quiet_NaN());
    }
  }
}

void Program::reserve(int64_t rows) {
  if (rows <= capacity_) return;
  capacity_ = rows;
  for (Buffer& buffer : buffers_) {
    // The head writes the result where the caller wants it.
    const bool outside = &buffer == logits_ && head_.writes(buffer);
    buffer.stride =
        outside ? buffer.width : (buffer.width + kLineFloats - 1) / kLineFloats * kLineFloats;
    if (outside) continue;
    buffer.memory = allocate(static_cast<size_t>(rows * buffer.stride) * sizeof(float));
    buffer.data = as_floats(buffer.memory);
  }
}

void Program::reserve_scratch() {
  int64_t floats = 0;
  for (const KeyValues& cache : state_.attention) {
    floats = std::max(floats, Attention::scratch_floats(cache));
  }
  for (const auto& recurrence : recurrences_) {
    floats = std::max(floats, recurrence->scratch_floats());
  }
  scratch_.reserve(floats, pool_.threads());
}

/// Moves the wanted rows of a buffer to its beginning; each goes to where no later one lies.
void Program::gather(Buffer& buffer) const {
  const auto wanted = index_.wanted();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == static_cast<int32_t>(i)) continue;
    std::copy_n(buffer.row(wanted[i]), buffer.width, buffer.row(static_cast<int64_t>(i)));
  }
}

void Program::copy_wanted(float* logits) const {
  for (const int32_t row : index_.wanted()) {
    std::copy_n(logits_->row(row), logits_->width, logits);
    logits += logits_->width;
  }
}

}  // namespace paceline
