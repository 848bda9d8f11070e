// SPDX-License-Identifier: Apache-2.0
// Stable sorting by numbers: elements of equal numbers keep their order, so that the result is the same on every
// platform.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace hockeystick {

/// The positions of the keys, not NaN, from the least on.
std::vector<std::size_t> rising(std::span<const double> keys);

/// The positions 0, 1, ... of `number` values.
std::vector<std::size_t> positions(std::size_t number);

/// Sorts a range by `key` of each value, a number, from the least on.
template <class Range, class Key>
void sort_by(Range&& values, Key&& key) {
  const auto before = [&](const auto& a, const auto& b) { return std::invoke(key, a) < std::invoke(key, b); };
  if (std::is_sorted(values.begin(), values.end(), before)) return;
  std::vector<double> keys;
  keys.reserve(values.size());
  for (const auto& value : values) keys.push_back(std::invoke(key, value));
  const std::vector<std::size_t> order = rising(keys);
  std::vector<std::remove_cvref_t<decltype(*values.begin())>> sorted;
  sorted.reserve(order.size());
  for (const std::size_t k : order) sorted.push_back(std::move(values.begin()[static_cast<std::ptrdiff_t>(k)]));
  std::move(sorted.begin(), sorted.end(), values.begin());
}

/// The positions of `number` values, ordered by `key` of each position.
template <class Key>
std::vector<std::size_t> positions_by(std::size_t number, Key&& key) {
  std::vector<std::size_t> order = positions(number);
  sort_by(order, key);
  return order;
}

}  // namespace hockeystick
