// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "discretize/connect_dots_lower.hpp"

namespace hockeystick {
namespace {

// P-mass p over a gap of width d with density proportional to e^(rate t), 0 <= t <= 1.
struct GapModel {
  double moment;  // p d
  double rate;

  // moment * integral from 0 to t of s f(s) ds, f normalised.
  double above(double t) const {
    if (std::fabs(rate) < 0.2)  // f(s) = 1 + rate (s - 1/2)
      return moment * t * t * (0.5 - rate / 4 + rate * t / 3);
    return moment * ((t - 1 / rate) * std::exp(rate * (t - 1)) + std::exp(-rate) / rate) /
           -std::expm1(-rate);
  }
  // moment * integral from t to 1 of (1 - s) f(s) ds: the mirror image.
  double below(double t) const { return GapModel{moment, -rate}.above(1 - t); }
};

GapModel model(const SupportCells& halves, std::size_t i) {
  const double low = halves.parts.cells[2 * i].p, high = halves.parts.cells[2 * i + 1].p;
  const double ratio = low > 0 ? (high > 0 ? 2 * std::log(high / low) : -40.0) : 40.0;
  return {(low + high) * halves.gap(i), std::clamp(ratio, -40.0, 40.0)};
}

// t in [0, 1] with gap.above(t) = wanted, or 1 if there is not so much.
double balance(const GapModel& gap, double wanted) {
  if (!(gap.above(1) > wanted)) return 1;
  double low = 0, high = 1, t = 0.5;
  for (int i = 0; i < 20 && high - low > 1e-3; ++i) {
    const double here = gap.above(t);
    (here < wanted ? low : high) = t;
    // The moment grows about like t^2.
    const double guess = here > 0 ? t * std::sqrt(wanted / here) : 0;
    if (std::fabs(guess - t) < 2e-3) return guess;
    t = guess > low && guess < high ? guess : low + (high - low) / 2;
  }
  return t;
}

}  // namespace

std::vector<double> balanced_cuts(const SupportCells& halves) {
  std::vector<double> cuts = halves.cuts;
  if (cuts.empty()) return cuts;
  double t = halves.parts.lower_tail_p > 0 ? 0.5 : 0.0;
  GapModel gap = model(halves, 0);
  cuts[0] = halves.loss(0) + t * halves.gap(0);
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const double wanted = gap.below(t);
    gap = model(halves, i);
    t = balance(gap, wanted);
    cuts[i] = halves.loss(i) + t * halves.gap(i);
  }
  return cuts;
}

}  // namespace hockeystick
