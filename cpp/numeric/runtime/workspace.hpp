// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick {

/// An array of doubles of any content, kept for the next one who wants so many when it is given back: fresh memory
/// costs a page fault each 4 KiB, about as much as a transform of it. Thread-safe; at most 2 arrays and 16 MiB stay.
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
