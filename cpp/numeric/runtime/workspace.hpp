// SPDX-License-Identifier: Apache-2.0
// A pool of large arrays for transforms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick {

/// An array of doubles of any content, kept for the next user of the same size after its release: fresh memory costs a
/// page fault for each 4 KiB, about as much as a transform of it. Thread-safe; keeps at most 2 arrays and 16 MiB.
class Workspace {
 public:
  explicit Workspace(std::size_t size);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::span<double> doubles() { return doubles_; }

 private:
  std::vector<double> doubles_;
};

}  // namespace hockeystick
