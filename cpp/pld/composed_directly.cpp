// SPDX-License-Identifier: Apache-2.0
#include "pld/composed_directly.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/safe_masses.hpp"

namespace hockeystick {
namespace {

// Underflow in a sum of products: 2^-1075 each.
constexpr double tiny = 1e-307;

// Each sum has at most as many products as the shorter one has masses.
std::vector<double> convolved(std::span<const double> longer, std::span<const double> shorter) {
  std::vector<double> sums(longer.size() + shorter.size() - 1);
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    checkpoint_each<16>(i);
    const double factor = shorter[i];
    if (factor == 0) continue;
    double* to = sums.data() + i;
    for (std::size_t k = 0; k < longer.size(); ++k) to[k] += factor * longer[k];
  }
  return sums;
}

// The number of leading values whose sum is at most `most`, and their sum, rounded up.
template <class Iterator>
std::pair<std::size_t, double> negligible(Iterator begin, Iterator end, double most) {
  double sum = 0;
  std::size_t count = 0;
  for (; begin != end; ++begin, ++count) {
    const double more = up(sum + *begin);
    if (!(more <= most)) break;
    sum = more;
  }
  return {count, sum};
}

}  // namespace

LossPmf composed_directly(const LossPmf& a, const LossPmf& b, double cut) {
  if (a.interval != b.interval || a.side != b.side)
    throw std::invalid_argument("distributions must have one interval and one side");
  const bool upper = a.side == Side::upper;
  const SafeMasses of_a = safe_masses(a), of_b = safe_masses(b);
  const bool a_longer = of_a.mass.size() >= of_b.mass.size();
  const std::vector<double>& shorter = a_longer ? of_b.mass : of_a.mass;
  std::vector<double> mass = convolved(a_longer ? of_a.mass : of_b.mass, shorter);
  const double relative = (static_cast<double>(shorter.size()) + 8) * u;  // proof: direct-sums
  for (double& m : mass) m = upper ? m * (1 + relative) + tiny : std::max(0.0, m * (1 - relative) - tiny);

  LossPmf both{};
  both.interval = a.interval;
  both.offset = a.offset + b.offset;
  both.side = a.side;
  // The position errors of both grids and of the sum: the rounding of the offsets.
  both.loss_error = (a.loss_error + b.loss_error + 2 * u * std::fabs(both.offset)) * (1 + 4 * u);
  both.first = a.first + b.first;
  const auto [below, mass_below] = negligible(mass.begin(), mass.end() - 1, cut);
  const auto [above, mass_above] = negligible(mass.rbegin(), mass.rend() - 1 - static_cast<std::ptrdiff_t>(below), cut);
  mass.resize(mass.size() - above);
  mass.erase(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(below));
  both.first += static_cast<std::int64_t>(below);
  if (upper) {
    const double infinite = either(std::min(1.0, (a.tail_above + a.infinity_mass) * (1 + 4 * u)),  // proof: direct-sums
                                   std::min(1.0, (b.tail_above + b.infinity_mass) * (1 + 4 * u)));
    both.infinity_mass = std::min(1.0, (infinite + mass_above) * (1 + 8 * u));  // proof: direct-sums
    mass.front() = up(mass.front() + mass_below);                               // proof: direct-sums
  } else {
    const double mass_a = std::max(0.0, of_a.p * (1 - 2 * of_a.relative_error()) - of_a.wrapped);
    const double mass_b = std::max(0.0, of_b.p * (1 - 2 * of_b.relative_error()) - of_b.wrapped);
    both.infinity_mass = lowered(a.infinity_mass * (mass_b + b.infinity_mass) + mass_a * b.infinity_mass, 16 * u);
    const double moved = mass_above * (1 - 4 * (static_cast<double>(above) + 2) * u) - tiny;
    mass.back() = std::max(mass.back(), down(mass.back() + moved));
    both.wrapped = (of_a.wrapped * of_b.p + of_b.wrapped * of_a.p) * (1 + 8 * u);  // proof: direct-sums
  }
  both.mass = std::move(mass);
  // The reflected result certifies nothing.
  both.reverse_infinity_mass = upper ? 1 : 0;  // proof: direct-sums
  both.reverse_excess = upper ? 0 : infinity;
  both.least = -infinity;
  both.largest = infinity;
  return both;
}

}  // namespace hockeystick
