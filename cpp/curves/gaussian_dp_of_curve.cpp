// SPDX-License-Identifier: Apache-2.0
#include "curves/gaussian_dp_of_curve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// What the lines of an explicit distribution may cost, relatively.
constexpr double precision = 1e-4;

// Lines looked at: the power between two of them is off by the square of their distance in deviations.
double lines_wanted(double tolerance) { return std::clamp(12 / std::sqrt(tolerance), 300.0, 20000.0); }

// The line value + alpha x on [from, to].
void take_line(NeededMu& needed, double value, double alpha, double from, double to) {
  if (!(from <= to)) return;
  const auto at = [&](double x) { return (value + alpha * x) * (1 + 4 * u) + 1e-307; };  // proof: gaussian-dp-upper
  needed.take(from, at(from));                                                           // proof: gaussian-dp-upper
  // Where the line meets 1 - x the cap takes over, which falls.
  const double meeting = (1 - value) / (1 + alpha);
  if (meeting > from && meeting < to) {
    const double before = meeting * (1 - 16 * u), after = std::min(to, meeting * (1 + 16 * u));
    needed.take(std::max(from, before), at(after));
  } else {
    needed.take(to, at(to));
  }
}

std::size_t index_of(const CurveKinks& kinks, double loss) {
  const auto at = std::lower_bound(kinks.loss.begin(), kinks.loss.end(), loss);
  return std::min(static_cast<std::size_t>(at - kinks.loss.begin()), kinks.loss.size() - 1);
}

// Where the line of a kink falls below that of one before it.
double meeting(const CurveKinks& upper, std::size_t before, std::size_t kink) {
  return (upper.value[before] - upper.value[kink]) / (upper.alpha[kink] - upper.alpha[before]);
}

// Kinks whose lines are somewhere the lowest of all looked at, by ever smaller rates. Values held to 1 and rounding
// keep the others above a chord.
std::vector<std::size_t> lowest_lines(const CurveKinks& upper, std::size_t first, std::size_t last, double wanted) {
  const auto stride = static_cast<std::size_t>(static_cast<double>(last - first) / wanted) + 1;
  std::vector<std::size_t> lines{first};
  for (std::size_t k = first; k < last;) {
    checkpoint_each<256>(k / stride);
    k = std::min(last, k + stride);
    while (lines.size() > 1) {
      const std::size_t middle = lines.back();
      if (meeting(upper, middle, k) < meeting(upper, *(lines.end() - 2), middle)) break;
      lines.pop_back();
    }
    lines.push_back(k);
  }
  return lines;
}

// The largest lower bound over rates from the smallest to 1/2: on a geometric grid, ever finer about the best.
double mu_needed_below(const CurveKinks& lower, double smallest_rate) {
  const PowerBound any{1, -infinity};
  double best = 0, center = 0.5, reach = 0.5;
  for (int round = 0, parts = 32; round < 7; ++round, parts = 8) {
    const double around = center, width = 2 * reach / parts;
    for (int i = 0; i <= parts; ++i) {
      checkpoint();
      const double share = std::clamp(around - reach + i * width, 0.0, 1.0);
      const double fpr = std::max(smallest_rate, 0.5 * std::pow(2 * smallest_rate, share));
      const double mu = mu_needed_at(lower, fpr, any, smallest_rate);
      if (!(mu > best)) continue;
      best = mu;
      center = share;
    }
    reach = width;
  }
  return best;
}

}  // namespace

void NeededMu::take(double x, double bound) {
  const double power = std::min(bound, up(1 - x));
  if (!(power > x)) return;
  const double wanted = gaussian_mu_of(x, power).upper;
  if (wanted > mu) *this = {wanted, x};
}

NeededMu mu_needed(const CurveKinks& upper, double from, double to, double tolerance) {
  const std::size_t first = index_of(upper, power_above(upper, to).loss);
  const std::size_t last = std::max(first, index_of(upper, power_above(upper, from).loss));
  const std::vector<std::size_t> lines = lowest_lines(upper, first, last, lines_wanted(tolerance));
  NeededMu needed;
  needed.fpr = to;
  for (std::size_t i = 0; i < lines.size() && to > from; ++i) {
    checkpoint_each<256>(i);
    const double next = i + 1 < lines.size() ? meeting(upper, lines[i], lines[i + 1]) : from;
    const double end = next > from ? std::min(next, to) : from;
    if (end < to) take_line(needed, upper.value[lines[i]], upper.alpha[lines[i]], end, to);
    to = end;
  }
  return needed;
}

double mu_needed_at(const CurveKinks& lower, double fpr, const PowerBound& above, double smallest_rate) {
  // proof: gaussian-dp-lower
  const double power = std::min(power_below(lower, fpr, above).value, down(1 - smallest_rate));
  return power > fpr ? std::max(0.0, gaussian_mu_of(fpr, power).lower) : 0.0;
}

double gdp_mu(const LossPmf& pmf, double smallest_rate) {
  const CurveKinks kinks = certified_kinks(pmf);
  if (pmf.side == Side::upper) return mu_needed(kinks, smallest_rate, 0.5, precision).mu;
  return mu_needed_below(kinks, smallest_rate);
}

}  // namespace hockeystick
