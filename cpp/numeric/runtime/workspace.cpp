// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/workspace.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_arrays = 2, most_doubles = std::size_t{2} << 20;

struct Pool {
  Pool() { arrays.reserve(most_arrays); }  // so that returning an array never allocates
  ForkSafeMutex mutex;
  std::vector<std::vector<double>> arrays;
};

Pool& shared = *new Pool;

}  // namespace

Workspace::Workspace(std::size_t size) {
  {
    const std::lock_guard lock(shared.mutex);
    const auto found = std::find_if(shared.arrays.begin(), shared.arrays.end(),
                                    [size](const std::vector<double>& array) { return array.size() == size; });
    if (found != shared.arrays.end()) {
      doubles_ = std::move(*found);
      shared.arrays.erase(found);
    }
  }
  doubles_.resize(size);
}

Workspace::~Workspace() {
  if (doubles_.size() > most_doubles / most_arrays) return;
  const std::lock_guard lock(shared.mutex);
  if (shared.arrays.size() == most_arrays) shared.arrays.erase(shared.arrays.begin());
  shared.arrays.push_back(std::move(doubles_));
}

}  // namespace hockeystick
