// SPDX-License-Identifier: Apache-2.0
// Single operations that round to one side, for bounds made of few operations. A result is not above, or not below, the
// exact one, and equals the exact one where that is a double.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/sum.hpp"

namespace hockeystick::outward {

/// The value, or the next double on the side where the exact result lies. `error` is the exact result less the value,
/// or has its sign.
inline double stepped(double value, double error, bool above) {
  if (above) return error > 0 ? up(value) : value;  // proof: outward-operations
  return error < 0 ? down(value) : value;           // proof: outward-operations
}

/// The next double on that side.
inline double beyond(double value, bool above) { return above ? up(value) : down(value); }  // proof: outward-operations

inline double sum(double a, double b, bool above) {
  const auto [value, error] = two_sum(a, b);
  if (std::isinf(a) || std::isinf(b)) return value;
  if (std::isinf(value)) return stepped(value, -value, above);
  return stepped(value, error, above);
}

/// Where `two_product` is exact.
inline bool is_exact_product(double a, double b, double product) {
  const auto is_small = [](double x) { return std::fabs(x) < 0x1p995; };
  return is_small(a) && is_small(b) && is_small(product) && std::fabs(product) >= 0x1p-968;
}

inline double product(double a, double b, bool above) {
  const double value = a * b;
  if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b)) return value;
  if (is_exact_product(a, b, value)) return stepped(value, two_product(a, b).error, above);
  return beyond(value, above);
}

/// b not 0.
inline double quotient(double a, double b, bool above) {
  const double value = a / b;
  if (a == 0 || std::isinf(a) || std::isinf(b)) return value;
  if (is_exact_product(value, b, a)) return stepped(value, exact_remainder(a, value, b) * std::copysign(1, b), above);
  return beyond(value, above);
}

/// The error of an elementary function, at most 2.3 u of its value, and that of a subnormal result.
inline double widened(double value, bool above) {
  if (std::isinf(value)) return stepped(value, -value, above);
  const double error = 4 * u * std::fabs(value) + 2 * smallest_subnormal;  // proof: outward-operations
  return above ? value + error : value - error;
}

inline double exp(double x, bool above) { return x == 0 ? 1 : std::fmax(0.0, widened(math::exp(x), above)); }
inline double expm1(double x, bool above) { return x == 0 ? 0 : std::fmax(-1.0, widened(math::expm1(x), above)); }
inline double log(double x, bool above) { return x == 1 ? 0 : widened(math::log(x), above); }

/// sqrt(x), x >= 0.
inline double root(double x, bool above) {
  const double value = std::sqrt(x);
  if (is_exact_product(value, value, x)) return stepped(value, exact_remainder(x, value, value), above);
  return x == 0 || std::isinf(x) ? value : beyond(value, above);
}

/// The sum of any number of finite terms, from an exact sum of doubles that do not overlap (Shewchuk 1997).
inline double total(std::span<const double> terms, bool above) {
  std::vector<double> parts;
  for (double x : terms) {
    std::size_t kept = 0;
    for (const double part : parts) {
      const auto [value, error] = two_sum(x, part);
      if (error != 0) parts[kept++] = error;
      x = value;
    }
    parts.resize(kept);
    parts.push_back(x);
  }
  double value = 0;
  for (; !parts.empty(); parts.pop_back()) {
    const auto [grown, error] = two_sum(value, parts.back());
    // the remaining terms are smaller than the last bit of the error
    if (error != 0) return stepped(grown, error, above);
    value = grown;
  }
  return value;
}

}  // namespace hockeystick::outward
