// SPDX-License-Identifier: Apache-2.0
#include "curves/composed_pld.hpp"

#include <algorithm>
#include <cmath>

#include "discretize/cells.hpp"
#include "numeric/constants.hpp"

namespace hockeystick {
namespace {

constexpr int most_passes = 8;

// Few significant bits, so that grid losses are exact in binary64; one, where atoms are to stay what they are.
double short_mantissa(double x, Estimator estimator) {
  int exponent = 0;
  if (estimator == Estimator::privacy_buckets) return std::exp2(std::floor(std::log2(x)));
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(mantissa * 0x1p14), exponent - 14);
}

Outcome refine_within(const Direction& direction, const Refinement& refinement, const Limits& limits,
                      const std::function<double(const PldPair&)>& attempt) {
  const double memory = limits.memory();
  Outcome outcome;
  ExplicitRequest request{short_mantissa(std::min(refinement.interval, 0.25 * largest_interval), refinement.estimator),
                          Side::upper,
                          refinement.estimator,
                          refinement.tail_mass,
                          static_cast<std::size_t>(memory),
                          refinement.tilt,
                          {},
                          true};
  const auto bytes = [&] { return 2 * explicit_pmf_bytes(direction, request); };
  double previous = infinity;
  int failures = 0;
  for (int pass = 1; pass <= most_passes; ++pass) {
    const double needed = bytes();
    const bool affordable = needed <= memory;
    if (!affordable) {
      outcome = {"memory_limit", static_cast<std::size_t>(std::min(needed, 9e18))};
      if (pass > 1) return outcome;
      for (int i = 0; i < 60 && request.interval < 0.25 * largest_interval && bytes() > memory; ++i)
        request.interval *= 2, request.tilt = std::min(request.tilt, 0.5 / request.interval);
      if (bytes() > memory) return outcome;
    }
    request.side = Side::upper;
    LossPmf upper = explicit_pmf(direction, request);
    const Held room(2.0 * sizeof(double) * static_cast<double>(upper.mass.size()));
    request.side = Side::lower;
    const double excess = attempt({std::move(upper), explicit_pmf(direction, request)});
    if (excess <= 1) return {};
    if (!affordable) return outcome;
    // Where refining twice does not help, rounding rules.
    failures = excess < 0.9 * previous ? 0 : failures + 1;
    if (failures > 1) return {"rounding", 0};
    previous = std::min(previous, excess);
    const double factor = std::pow(0.7 / std::min(excess, 1e12), 1 / refinement.order);
    request.interval = short_mantissa(request.interval * std::clamp(factor, 0.03, 0.8), refinement.estimator);
  }
  return {"passes", 0};
}

}  // namespace

Outcome refine(const Direction& direction, const Refinement& refinement, const Limits& limits,
               const std::function<double(const PldPair&)>& attempt) {
  try {
    return refine_within(direction, refinement, limits, attempt);
  } catch (const OverBudget& over) {
    return {"memory_limit", static_cast<std::size_t>(std::min(over.bytes(), 9e18))};
  }
}

}  // namespace hockeystick
