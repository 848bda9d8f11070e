// SPDX-License-Identifier: Apache-2.0
#include "numeric/fft/cache.hpp"

#include <list>
#include <mutex>

#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_plans = 64;
constexpr std::size_t most_bytes = std::size_t{32} << 20;

struct Cache {
  ForkSafeMutex mutex;
  std::list<std::shared_ptr<const RealFft>> plans;  // most recently used first
};

Cache& shared = *new Cache;

void trim(std::list<std::shared_ptr<const RealFft>>& plans) {
  std::size_t bytes = 0, count = 0;
  for (auto it = plans.begin(); it != plans.end();) {
    bytes += RealFft::bytes((*it)->size());
    it = ++count > most_plans || bytes > most_bytes ? plans.erase(it) : std::next(it);
  }
}

}  // namespace

std::shared_ptr<const RealFft> shared_fft(std::size_t size) {
  {
    const std::lock_guard lock(shared.mutex);
    for (auto it = shared.plans.begin(); it != shared.plans.end(); ++it) {
      if ((*it)->size() != size) continue;
      shared.plans.splice(shared.plans.begin(), shared.plans, it);
      return shared.plans.front();
    }
  }
  auto plan = std::make_shared<const RealFft>(size);
  const std::lock_guard lock(shared.mutex);
  shared.plans.push_front(plan);
  trim(shared.plans);
  return plan;
}

}  // namespace hockeystick
