// SPDX-License-Identifier: Apache-2.0
#include "pld/reflect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

LossPmf reflected(const LossPmf& pmf) {
  LossPmf result = pmf;
  std::reverse(result.mass.begin(), result.mass.end());
  result.first = -(pmf.first + static_cast<std::int64_t>(pmf.mass.size()) - 1);
  result.offset = -pmf.offset;
  result.tilt = -1 - pmf.tilt;
  result.least = -pmf.largest;
  result.largest = -pmf.least;
  std::swap(result.tail_above, result.tail_below);
  std::swap(result.p_below, result.q_above);
  std::swap(result.excess, result.reverse_excess);
  std::swap(result.deficit, result.reverse_deficit);
  std::swap(result.factor, result.reverse_factor);
  std::swap(result.infinity_mass, result.reverse_infinity_mass);
  return result;
}

Interval by_reverse(double epsilon, const Interval& back) {
  const double alpha = math::exp(epsilon), rest = -math::expm1(epsilon);
  const auto end = [=](double value, double off) {
    return rest + alpha * value + off * (std::fabs(rest) + alpha * value);
  };
  return {std::max(0.0, end(back.lower, -16 * u)), std::min(1.0, end(back.upper, 16 * u))};  // proof: reflection
}

}  // namespace hockeystick
