#include "cpu/pool.h"

#include <chrono>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace paceline {
namespace {

// Longer than the pauses between the operations of a pass, too short to heat a core.
constexpr std::chrono::microseconds kAwake{50};

void rest() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Whether `ready` came true within kAwake.
template <class Ready>
bool spin_until(Ready ready) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      rest();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

Pool::Pool(int threads) : shares_(static_cast<size_t>(threads)) {
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { serve(worker); });
  }
}

Pool::~Pool() {
  stopping_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Pool::run_job(const Job& job) {
  if (workers_.empty() || job.tasks == 1) {
    for (int64_t task = 0; task < job.tasks; ++task) job.call(job.work, task, 0);
    return;
  }
  if (job.tasks <= 0) return;
  job_ = job;
  done_.store(0, std::memory_order_relaxed);
  for (int owner = 0; owner < threads(); ++owner) {
    shares_[static_cast<size_t>(owner)].unclaimed.store(
        share_begin(owner + 1) - share_begin(owner), std::memory_order_release);
  }
  round_.fetch_add(1);
  round_.notify_all();
  take_tasks(0);
  // What is not done yet is being done; who was preempted there gets this core.
  const auto all_done = [this] { return done_.load(std::memory_order_acquire) == job_.tasks; };
  while (!spin_until(all_done)) std::this_thread::yield();
}

void Pool::serve(int worker) {
  int seen = 0;
  while (true) {
    seen = await_round(seen);
    if (stopping_) return;
    take_tasks(worker);
  }
}

void Pool::take_tasks(int worker) {
  const int all = threads();
  for (int i = 0; i < all; ++i) take_share((worker + i) % all, worker);
}

// A worker that comes late finds nothing unclaimed, or already a later job: both are fine, because
// `job_` is only read after a task of it was claimed, and then it cannot end.
void Pool::take_share(int owner, int worker) {
  std::atomic<int64_t>& unclaimed = shares_[static_cast<size_t>(owner)].unclaimed;
  while (unclaimed.load(std::memory_order_relaxed) > 0) {
    const int64_t left = unclaimed.fetch_sub(1, std::memory_order_acquire);
    if (left <= 0) break;
    job_.call(job_.work, share_begin(owner + 1) - left, worker);
    done_.fetch_add(1, std::memory_order_release);
  }
}

int Pool::await_round(int seen) const {
  if (!spin_until([&] { return round_.load() != seen; })) round_.wait(seen);
  return round_.load();
}

}  // namespace paceline
