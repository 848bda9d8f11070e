// SPDX-License-Identifier: Apache-2.0
// Temporary arrays of a function, which are on its stack if they are small.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace hockeystick {

/// An array of this number of elements, whose values are not set; up to `near` of them take no allocation.
template <class T, std::size_t near>
class Scratch {
  static_assert(std::is_trivially_default_constructible_v<T>);

 public:
  explicit Scratch(std::size_t count)
      : far_(count > near ? new T[count] : nullptr), room_(far_ ? far_.get() : near_.data(), count) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T& operator[](std::size_t i) const { return room_[i]; }
  T* data() const { return room_.data(); }
  std::span<T> all() const { return room_; }

 private:
  std::array<T, near> near_;
  std::unique_ptr<T[]> far_;
  std::span<T> room_;
};

}  // namespace hockeystick
