// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/mgf_line.hpp"

#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/switches.hpp"
#include "numeric/spread_transform.hpp"

namespace hockeystick {

std::vector<MomentSample> samples_of(PointMassTransform losses, std::size_t count) {
  std::vector<MomentSample> result{{0, 0, 0, 0}};
  result.reserve(count);
  const auto add = [&result](const PointMassSample& at) { result.push_back({at.re_less_1, at.im, at.rounding, 0}); };
  const std::size_t size = losses.masses().size();
  const std::size_t turned =
      !is_off("spread_transform") && spread_costs_less(size, count) ? turned_first(size, count) : count;
  for (std::size_t k = 1; k < turned; ++k) {
    checkpoint_each<8>(k);
    add(losses.next());
  }
  if (turned >= count) return result;
  const std::vector<PointMassSample> all = spread_transform(losses, count);
  for (std::size_t k = turned; k < count; ++k) add(all[k]);
  return result;
}

std::vector<MomentSample> FormulaLine::samples(double spacing, std::size_t count) const {
  std::vector<MomentSample> result{{0, 0, 0, 0}};
  result.reserve(count);
  for (std::size_t k = 1; k < count; ++k) {
    checkpoint_each<4096>(k);
    result.push_back(sample(static_cast<double>(k) * spacing));
  }
  return result;
}

}  // namespace hockeystick
