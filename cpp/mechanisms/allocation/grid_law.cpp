// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/grid_law.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double least_mass = 1e-290;  // in its unit; smaller ones are dropped, so that underflow is none of others'
constexpr double dropped = 1e-307;     // bounds all that is

// Leaves the places from `begin` to before `end`.
void keep(GridLaw& law, std::int64_t begin, std::int64_t end) {
  for (std::vector<double>* part : {&law.mass, &law.moment}) {
    if (part->empty()) continue;
    part->erase(part->begin() + end, part->end());
    part->erase(part->begin(), part->begin() + begin);
  }
  law.first += begin;
}

}  // namespace

void clean(GridLaw& law) {
  const bool above = law.order == Order::above;
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    if (law.mass[k] >= least_mass) continue;
    law.mass[k] = 0;
    if (!above) law.moment[k] = 0;
  }
  if (above) law.zero += dropped, law.beyond += dropped;  // proof: convex-convolution
  const auto positive = [](double q) { return q > 0; };
  const auto begin = std::find_if(law.mass.begin(), law.mass.end(), positive) - law.mass.begin();
  const auto end = law.mass.rend() - std::find_if(law.mass.rbegin(), law.mass.rend(), positive);
  keep(law, begin, std::max(begin, end));
}

void cut_ends(GridLaw& law, const Cuts& cuts) {
  if (law.mass.empty()) return;
  const bool above = law.order == Order::above;
  const std::size_t n = law.mass.size();
  const auto half = [&](std::size_t k) { return 0.5 * law.log_value(law.first + static_cast<std::int64_t>(k)); };
  std::size_t begin = 0, end = n;
  for (double q = 0; begin + 1 < n; ++begin)
    if ((q += law.mass[begin] * math::exp(-half(begin))) * mass_unit > cuts.below) break;
  for (double p = 0; end > begin + 1; --end) {
    p += law.mass[end - 1] * math::exp(half(end - 1));
    if (2 * half(end - 1) <= cuts.top && p * mass_unit > cuts.above) break;
  }
  CompensatedSum mass[2], moment[2], zero, beyond;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == begin) k = end;
    if (k == n) break;
    const bool top = k >= end;
    const std::size_t to = top ? end - 1 : begin;
    const double off = 0.5 * law.spacing * (static_cast<double>(k) - static_cast<double>(to));
    const double tilt = math::exp(off);  // the root of R_k / R_to; mass / tilt is the mass at `to`
    mass[top].add(above && !top ? law.mass[k] * tilt : law.mass[k] / tilt);
    if (!above)
      moment[top].add(law.moment[k] * tilt);
    else if (top)
      beyond.add(law.mass[k] * math::exp(half(k)) * -math::expm1(-2 * off));
    else
      zero.add(law.mass[k] * math::exp(-half(k)) * -math::expm1(2 * off));
  }
  law.mass[begin] += mass[0].value();
  law.mass[end - 1] += mass[1].value();
  if (!above) {
    law.moment[begin] += moment[0].value();
    law.moment[end - 1] += moment[1].value();
  }
  law.zero += zero.value() * mass_unit;
  law.beyond += beyond.value() * mass_unit;
  const double reach = std::fabs(law.origin) + 2 * std::max(std::fabs(half(0)), std::fabs(half(n - 1)));
  law.mass_error += (16 + 2 * reach) * u;   // proof: convex-convolution
  law.value_error += (32 + 2 * reach) * u;  // proof: convex-convolution
  keep(law, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
}

}  // namespace hockeystick
