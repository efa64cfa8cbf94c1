// The threads that share the work of a pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace paceline {

// Hands out tasks one by one, since cores differ in speed and get preempted. Each worker begins
// with a share of its own, neighbours in memory as a rule, which the processor fetches ahead; who is
// done helps the others. The calling thread takes part as worker 0. Workers wait for the next run
// awake for a moment, then sleep.
class Pool {
 public:
  // `threads` counts the calling thread and is at least 1.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(shares_.size()); }

  // Call work(task, worker) once for each task from 0 to tasks - 1; return when all are done.
  // `work` must not throw and must not call run. Only one thread at a time may call run.
  template <class Work>
  void run(int64_t tasks, Work&& work) {
    using Plain = std::remove_reference_t<Work>;
    const auto call = [](const void* target, int64_t task, int worker) {
      (*static_cast<Plain*>(const_cast<void*>(target)))(task, worker);
    };
    run_job({tasks, &work, call});
  }

 private:
  struct Job {
    int64_t tasks = 0;
    const void* work = nullptr;
    void (*call)(const void* work, int64_t task, int worker) = nullptr;
  };

  void run_job(const Job& job);
  void serve(int worker);
  // The first task of a worker's share.
  int64_t share_begin(int worker) const { return job_.tasks * worker / threads(); }
  void take_tasks(int worker);
  void take_share(int owner, int worker);
  int await_round(int seen) const;

  static constexpr size_t kCacheLine = 64;

  Job job_;  // stable while a claimed task is not done
  std::vector<std::thread> workers_;
  std::atomic<bool> stopping_{false};
  // Each on a line of its own: all threads write them.
  struct alignas(kCacheLine) Share {
    std::atomic<int64_t> unclaimed{0};  // tasks; 0 or less between runs
  };
  std::vector<Share> shares_;  // one for each thread
  alignas(kCacheLine) std::atomic<int64_t> done_{0};
  alignas(kCacheLine) std::atomic<int> round_{0};  // what sleeping workers wait on
};

}  // namespace paceline
