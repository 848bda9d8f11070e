// SPDX-License-Identifier: Apache-2.0
#include "account/renyi_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/checkpoint.hpp"
#include "numeric/rounding.hpp"
#include "pld/divergence.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What the orders between those looked at may cost an explicit distribution, relatively.
constexpr double precision = 1e-3;

// Upper bound of chord(t) / (t (t + 1)) for t in [from, to], the chord between K(from) <= first and K(to) <= last.
double chord_slope(double from, double to, double first, double last) {
  constexpr int parts = 512;
  double highest = 0;
  for (int i = 0; i < parts; ++i) {
    const double low = from + (to - from) * i / parts, high = from + (to - from) * (i + 1) / parts;
    const double value = std::max(first, last * (i + 1) / parts + first * (parts - i - 1) / parts);
    if (high > low) highest = std::max(highest, value / (low * (low + 1)));
  }
  return highest * (1 + 64 * u);
}

}  // namespace

bool is_within(const Answer& answer, double tolerance) {
  if (!std::isfinite(answer.upper)) return answer.lower == answer.upper;
  return answer.upper - answer.lower <= tolerance * answer.upper;
}

Answer largest_renyi_slope(const std::function<Answer(double order)>& renyi,
                           const std::function<CertifiedInterval(double order)>& beyond, double largest,
                           double tolerance) {
  Answer answer;
  const CertifiedInterval everywhere = beyond(1);
  answer.upper = everywhere.upper;
  const bool finite = std::isfinite(largest);
  if (!finite) answer.lower = everywhere.lower;
  if (is_within(answer, tolerance)) return answer;
  const double last = finite ? largest - 1 : 63, ratio = 1 + 1.2 * std::sqrt(tolerance);
  double t = std::min(0.3 * tolerance, last / 2), upper = 0;
  double before = 0, moment_before = 0;
  for (bool done = false; !done; t = std::min(last, t * ratio)) {
    done = t >= last;
    checkpoint();
    const Answer at = renyi(1 + t);
    const double moment = at.upper * t * (1 + 4 * u);
    if (!at.met && !finite) break;  // the bounds beyond take over
    if (!at.met) answer.obstacle = at.obstacle;
    if (!std::isfinite(moment)) {
      answer.lower = std::max(answer.lower, at.lower);
      upper = infinity;
      break;
    }
    // Up to the first order: K(t) <= K(t1) t / t1.
    upper = std::max(upper, before > 0 ? chord_slope(before, t, moment_before, moment) : at.upper * (1 + 4 * u));
    answer.lower = std::max(answer.lower, at.lower / (1 + t) * (1 - 4 * u));
    before = t;
    moment_before = moment;
  }
  if (!finite) upper = std::max(upper, beyond(1 + before).upper);
  answer.upper = std::min(answer.upper, upper);
  answer.met = is_within(answer, tolerance);
  if (answer.met)
    answer.obstacle = "";
  else if (answer.obstacle.empty())
    answer.obstacle = "passes";
  return answer;
}

// Both ends are the certified one; only that of the side means anything.
double largest_renyi_slope(const LossPmf& pmf, double largest) {
  const Divergences divergences(pmf);
  const bool upper = pmf.side == Side::upper;
  const auto renyi = [&](double order) {
    Answer answer;
    answer.lower = answer.upper = divergences.renyi(order);
    return answer;
  };
  const auto beyond = [&](double order) {
    return CertifiedInterval{0, upper ? divergences.largest_loss() / order * (1 + 4 * u) : infinity};
  };
  const Answer answer = largest_renyi_slope(renyi, beyond, largest, precision);
  return upper ? answer.upper : answer.lower;
}

}  // namespace hockeystick
