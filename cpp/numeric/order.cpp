// SPDX-License-Identifier: Apache-2.0
#include "numeric/order.hpp"

#include <numeric>

namespace hockeystick {

std::vector<std::size_t> rising(std::span<const double> keys) {
  std::vector<std::pair<double, std::size_t>> all;
  all.reserve(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) all.emplace_back(keys[k], k);
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> order;
  order.reserve(keys.size());
  for (const auto& [key, k] : all) order.push_back(k);
  return order;
}

std::vector<std::size_t> positions(std::size_t number) {
  std::vector<std::size_t> all(number);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace hockeystick
