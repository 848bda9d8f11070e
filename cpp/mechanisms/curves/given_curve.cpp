// SPDX-License-Identifier: Apache-2.0
// A mechanism whose hockey-stick curve the user encloses at points: pairs above and below it.
#include <stdexcept>
#include <string>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"

namespace hockeystick {
namespace {

EnclosedCurve curve_of(Parameters p) {
  const std::size_t n = p.size() / 3;
  if (p.size() % 3 != 0)
    throw std::invalid_argument("parameters must be alphas, then a lower and an upper value for each, got " +
                                std::to_string(p.size()));
  const auto part = [&](std::size_t k) {
    const Parameters values = p.subspan(k * n, n);
    return std::vector<double>(values.begin(), values.end());
  };
  EnclosedCurve curve{part(0), part(1), part(2)};
  check_curve(curve);
  return curve;
}

AtomicLaw above(Parameters p) { return law_above(curve_of(p)); }
AtomicLaw below(Parameters p) { return law_below(curve_of(p)); }

// Parameters: alphas, lower values, upper values.
const AtomicRegistration registration_above(above, "given_curve_above", std::nullopt);
const AtomicRegistration registration_below(below, "given_curve_below", std::nullopt);

}  // namespace
}  // namespace hockeystick
