// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool has_threads = false;  // a small module leaves out the threads below
#else
constexpr bool has_threads = true;
#endif

struct Ended {};  // the work of another thread has ended

class Shared {
 public:
  Shared(std::size_t n, const std::function<void(std::size_t)>& work) : n_(n), work_(work) {}

  // Works until no index is left, or a thread has failed.
  void take() noexcept {
    try {
      for (std::size_t k = 0; !is_over_ && (k = next_++) < n_;) work_(k);
    } catch (...) {
      fail();
    }
  }

  std::thread helper() {
    ++helping_;
    try {
      return std::thread([this] { help(); });
    } catch (...) {
      --helping_;
      throw;
    }
  }

  // Returns once the helpers have ended; the caller's watch is called meanwhile.
  void finish() {
    std::unique_lock lock(mutex_);
    while (!has_ended_.wait_for(lock, std::chrono::milliseconds(20), [this] { return helping_ == 0; })) {
      if (is_over_) continue;
      lock.unlock();
      try {
        checkpoint();
      } catch (...) {
        fail();
      }
      lock.lock();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void fail() noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    is_over_ = true;
  }

  void help() noexcept {
    helped = this;
    {
      const Watched watched([] {
        if (helped->is_over_) throw Ended{};
      });
      take();
    }
    const std::lock_guard lock(mutex_);
    --helping_;
    has_ended_.notify_one();
  }

  static thread_local const Shared* helped;

  std::size_t n_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0}, helping_{0};
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::exception_ptr error_;  // the first
};

thread_local const Shared* Shared::helped = nullptr;

}  // namespace

void in_threads(std::size_t n, std::int64_t threads, const std::function<void(std::size_t)>& work) {
  if (!has_threads || threads <= 1 || n <= 1) {
    for (std::size_t k = 0; k < n; ++k) {
      checkpoint_each<16>(k);
      work(k);
    }
    return;
  }
  Shared shared(n, work);
  std::vector<std::thread> helpers(std::min(n, static_cast<std::size_t>(threads)) - 1);
  try {
    for (std::thread& helper : helpers) helper = shared.helper();
  } catch (...) {  // the system has no more threads; the existing ones answer
  }
  shared.take();
  shared.finish();
  for (std::thread& helper : helpers)
    if (helper.joinable()) helper.join();
  shared.rethrow();
}

}  // namespace hockeystick
