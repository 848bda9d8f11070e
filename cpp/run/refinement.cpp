// SPDX-License-Identifier: Apache-2.0
#include "run/refinement.hpp"

#include <algorithm>
#include <cmath>

#include "methods/question.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {

double rung(double tail) {
  const int power = 8 * static_cast<int>(std::floor((std::ilogb(tail) + 54) / 8.0)) - 54;
  return std::max(std::ldexp(1.0, power), least_tail);
}

Accuracy starting_accuracy(double tolerance, double smallest, std::int64_t runs) {
  // Cells add to the variance of the loss, which moves delta by about log(1 / delta) of what they add; 24 cells a
  // deviation suffice down to 1e-10.
  const double rare = std::max(1.0, (math::log(1 / std::max(smallest, smallest_delta)) - 5) / 19);
  return {std::clamp(std::ceil(24 * std::sqrt(rare * 1e-3 / tolerance)), 12.0, 2000.0),
          rung(std::min(std::max(0.1 * tolerance * smallest / static_cast<double>(runs), least_tail), 1e-6))};
}

Accuracy Refinement::finer(const Accuracy& at, double gap, double of_sides, bool cannot_count) {
  const double of_cells = std::max(0.0, gap - of_sides);
  const double rest = std::max(tolerance_ - of_sides, 0.2 * tolerance_);
  const bool gained_little = cannot_count && expected_ > 0 && of_cells > expected_;
  const bool ends_count = gained_little || (!cannot_count && of_cells > expected_);
  const bool is_handover = ends_count && at.tail >= least_of_series;
  const double least = is_handover ? 1 : 1.5, most = is_handover ? 1 : gained_little ? 1.5 : cannot_count ? 16 : 8;
  double more = std::sqrt(1.5 * of_cells / rest);
  if (cannot_count && more > 4) more *= 1.4;  // an answer from few cells does not forecast that from many
  more = std::clamp(more, std::min(least, most), most);
  expected_ = 2 * of_cells / (more * more);
  return {std::min(std::ceil(more * at.cells), 2000.0), ends_count ? rung(at.tail / 10) : at.tail, at.lattice, at.low};
}

}  // namespace hockeystick
