// SPDX-License-Identifier: Apache-2.0
#include "pld/safe_masses.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {
namespace {

// Bound of the underflow in a mass.
constexpr double tiny = 1e-307;

}  // namespace

double SafeMasses::relative_error() const { return 4 * (static_cast<double>(mass.size()) + 1) * u; }

SafeMasses safe_masses(const LossPmf& pmf) {
  SafeMasses safe;
  safe.mass.resize(pmf.mass.size());
  const double outward = pmf.side == Side::upper ? 1 : -1;
  for (std::size_t k = 0; k < pmf.mass.size(); ++k) {
    checkpoint_each<8192>(k);
    const double loss = pmf.loss(k);
    const double factor = untilting_factor(pmf, loss);
    const double relative = (24 + 2 * std::fabs(pmf.tilt * loss) + 2 * std::fabs(pmf.tilt * pmf.offset)) * u;
    const double mass = pmf.mass[k] * factor;
    // proof: composed-delta
    const double error = relative * std::fabs(mass) + factor * pmf.point_error * (1 + 2 * relative) + tiny;
    const double bound = (mass + outward * error) * (1 + outward * 8 * u);
    safe.mass[k] = bound < 0 ? 0.0 : bound;  // NaN stays, where the factor overflows
    safe.wrapped = std::max(safe.wrapped, pmf.wrapped * factor * (1 + 2 * relative));  // proof: composed-delta
  }
  // Mass below the window is rounded up to the first loss.
  // proof: composed-delta
  if (pmf.side == Side::upper && !safe.mass.empty()) safe.mass.front() += pmf.p_below * (1 + 8 * u);
  for (std::size_t k = 0; k < safe.mass.size(); ++k) {
    safe.p += safe.mass[k];
    const double loss = pmf.loss(k);
    if (safe.mass[k] > 0) safe.q += safe.mass[k] * math::exp(-loss) * (1 + (4 * std::fabs(loss) + 16) * u);
  }
  safe.p *= 1 + safe.relative_error();
  safe.q *= 1 + safe.relative_error();
  return safe;
}

double either(double s, double t) { return s + t * std::max(0.0, 1 - s); }

}  // namespace hockeystick
