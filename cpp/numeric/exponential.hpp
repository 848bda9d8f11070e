// SPDX-License-Identifier: Apache-2.0
// Exponentials of arguments known to more than double precision, and exponentials of small arguments.
//
// Bounds that rest on elementary.hpp take exp, expm1, log, log1p, sin, cos, hypot and atan2 to be within 4 u, and cosh,
// sinh and asinh within 8 u, which they are with something to spare.
#pragma once

#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

/// e^(hi + lo) for |lo| <= 1e-12: relative error at most 6 u, *proved* (exp 4 u, one product, one sum; the dropped
/// lo^2 / 2 is below 1e-24).
inline double exp_sum(double hi, double lo) { return math::exp(hi) * (1.0 + lo); }

/// e^(a b), the product carried in two doubles: relative error at most 6 u for |a b| <= 1e3.
inline double exp_product(double a, double b) {
  const auto [hi, lo] = two_product(a, b);
  return exp_sum(hi, lo);
}

/// (e^z - 1 - z) / z^2 for |z| <= 1/8 by Taylor: degree 10 in e^z leaves a remainder below 3e-18.
inline double exp_taylor_tail(double z) {
  double tail = 1.0 / 3628800;
  tail = tail * z + 1.0 / 362880;
  tail = tail * z + 1.0 / 40320;
  tail = tail * z + 1.0 / 5040;
  tail = tail * z + 1.0 / 720;
  tail = tail * z + 1.0 / 120;
  tail = tail * z + 1.0 / 24;
  tail = tail * z + 1.0 / 6;
  return tail * z + 0.5;
}

/// e^z, without a library call for |z| <= 1/8. Relative error at most 4 u, *proved*: terms shrink by 8.
inline double exp_short(double z) {
  if (!(z >= -0.125 && z <= 0.125)) return math::exp(z);
  return 1.0 + (z + z * z * exp_taylor_tail(z));
}

/// e^z - 1, as exp_short: relative error at most 4 u.
inline double expm1_short(double z) {
  if (!(z >= -0.125 && z <= 0.125)) return math::expm1(z);
  return z + z * z * exp_taylor_tail(z);
}

/// e^z - 1 - z >= 0, z < 700: relative error at most 100 u, *proved*. The series adds positive terms or, for z < 0,
/// terms that shrink by 24; the difference, used elsewhere, cancels at most a factor of 16.
inline double exp_excess(double z) { return std::fabs(z) <= 0.125 ? z * z * exp_taylor_tail(z) : math::expm1(z) - z; }

}  // namespace hockeystick
