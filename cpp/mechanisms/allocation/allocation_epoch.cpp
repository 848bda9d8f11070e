// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/allocation_epoch.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double least_accuracy = 1e-30;  // of a contour; smaller deltas are left to others
constexpr int most_looks = 5;

// A guess: delta of N(0, 1) against N(mu, 1).
double gaussian_delta(double mu, double epsilon) {
  const double delta = normal_tail(epsilon / mu - mu / 2) - math::exp(epsilon) * normal_tail(epsilon / mu + mu / 2);
  return std::max(delta, 1e-290);
}

double gaussian_epsilon(double mu, double delta) {
  const auto excess = [&](double epsilon) { return math::log(gaussian_delta(mu, epsilon) / delta); };
  double high = 2 * mu;
  while (excess(high) > 0) high *= 2;
  return monotone_root(excess, 0.0, high, 1e-2);
}

}  // namespace

AllocationEpoch::AllocationEpoch(const Allocation& allocation, const LognormalTransform& transform, bool adds)
    : sum_(transform, {{1, allocation.steps}}),
      t_(allocation.steps),
      spread_(std::sqrt(math::log1p(transform.variance() / t_))),
      slack_(2 * u * allocation.mu),
      adds_(adds) {}

// S / t taken for one log-normal variable, or for a large Y and a mean.
double AllocationEpoch::guessed_delta(double epsilon) const {
  const double whole = gaussian_delta(spread_, epsilon);
  if (adds_) return whole;
  return std::max(whole, gaussian_delta(sum_.transform().mu(), math::log1p(t_ * math::expm1(epsilon))));
}

double AllocationEpoch::guessed_epsilon(double delta) const {
  if (adds_) return guessed_by_saddle(delta);
  const double by_one = math::expm1(gaussian_epsilon(sum_.transform().mu(), delta)) / t_;
  return std::max(gaussian_epsilon(spread_, delta), math::log1p(by_one));
}

// By the real saddle point lambda of e^(lambda (K - t)) (1 + G)^t / lambda^2.
double AllocationEpoch::guessed_by_saddle(double delta) const {
  double k = t_;
  const auto excess = [&](double log_lambda) {
    const double lambda = math::exp(log_lambda), away = 0.05 * lambda;
    const double low = sum_.transform().log_moment_above(lambda - away),
                 high = sum_.transform().log_moment_above(lambda + away);
    const double middle = sum_.transform().log_moment_above(lambda), slope = (high - low) / (2 * away);
    const double bend = std::max(0.0, (high + low - 2 * middle) / (away * away)), d = 2 / lambda - t_ * slope;
    k = std::max(t_ + d, 1e-9 * t_);
    return lambda * d + t_ * middle - 2 * log_lambda - 0.5 * math::log(6.3 * (t_ * bend + 2 / (lambda * lambda))) -
           math::log(k * delta);
  };
  const double least = math::log(0.2 / (spread_ * t_));
  double most = least + 2;
  while (excess(most) > 0 && most < 60) most += 1;
  excess(monotone_root(excess, least, most, 1e-3));
  return std::max(math::log(t_ / k), 1e-3 * spread_);
}

double AllocationEpoch::distance(double epsilon) const {
  return t_ * std::fabs(math::expm1(adds_ ? -epsilon : epsilon));
}

// Encloses epsilon at x, to the rounding of x / t, 1 - x / t and the logarithm.
Interval AllocationEpoch::epsilon_at(double x) const {
  const double part = x / t_, value = std::fabs(math::log1p(adds_ ? -part : part));
  const double off = u * (8 * value + (adds_ ? 4 * part / (1 - part) : 0));  // proof: allocation-epoch
  return {value - off, value + off};
}

// A contour for epsilons from `low` to `high`.
void AllocationEpoch::look(double low, double high, double accuracy) {
  from_ = distance(low) * (1 - 16 * u), to_ = distance(high) * (1 + 16 * u);
  if (adds_) accuracy *= (t_ - to_) / t_;
  contour_.emplace(sum_, Kind::put, adds_ ? -to_ : from_, adds_ ? -from_ : to_, accuracy * t_);
}

// Encloses delta at x.
Interval AllocationEpoch::at(double x) const {
  const double scale = t_ / (t_ - x);
  Interval found = contour_->at(adds_ ? -x : x);
  found = {down(found.lower / t_), up(found.upper / t_)};
  // proof: allocation-epoch
  if (adds_) found = {found.lower * scale * (1 - 8 * u), found.upper * scale * (1 + 8 * u)};
  const double slack = adds_ ? slack_ * scale : slack_;  // proof: parameter-rounding
  return {std::max(0.0, found.lower - slack), std::min(1.0, found.upper + slack)};
}

Interval AllocationEpoch::delta(double epsilon, double tolerance) {
  if (epsilon == 0 && adds_) return AllocationEpoch(*this, false).delta(0, tolerance);  // the same
  const double x = distance(epsilon), low = x * (1 - 16 * u), high = x * (1 + 16 * u);  // proof: allocation-epoch
  Interval found{0, 1};
  double accuracy = guessed_delta(epsilon) * tolerance / 4;
  if (!(accuracy >= least_accuracy)) return found;
  for (int i = 0; i < most_looks; ++i) {
    checkpoint();
    look(0.99 * epsilon, std::max(1.01 * epsilon, 1e-3 * spread_), accuracy);
    found = both(found, {at(high).lower, at(low).upper});
    const bool is_tight = found.upper - found.lower <= tolerance * found.upper;
    if (is_tight || !contour_->is_complete()) break;
    accuracy = std::min(accuracy / 20, found.upper * tolerance / 4);
  }
  return found;
}

// Encloses the epsilon of this delta, which is about the epsilon given, by those next to it where delta is certainly
// above and certainly not.
Interval AllocationEpoch::near(double epsilon, double delta) const {
  const auto at_epsilon = [&](double e) { return at(std::clamp(distance(e), from_, to_)); };
  const Interval here = at_epsilon(epsilon), aside = at_epsilon(1.01 * epsilon);
  const double middle = here.lower + here.upper, beyond = aside.lower + aside.upper;
  const double slope = std::max(0.5, math::log(middle / beyond) / 0.00995);
  const double away = std::min(0.1, 2.2 * (here.upper - here.lower) / (slope * middle)) + 4 * u;
  Interval found{0, infinity};
  for (double step = away; step < 1; step *= 2) {
    const double x = std::max(from_, distance(epsilon * (1 - step)));
    if (at(x).lower > delta) found.lower = epsilon_at(x).lower;
    if (found.lower > 0 || x == from_) break;
  }
  for (double step = away; step < 1; step *= 2) {
    const double x = std::min(to_, distance(epsilon * (1 + step)));
    if (at(x).upper <= delta) found.upper = epsilon_at(x).upper;
    if (found.upper < infinity || x == to_) break;
  }
  return found;
}

Interval AllocationEpoch::epsilon(double delta, double tolerance) {
  if (delta >= 1) return {0, 0};
  if (!(delta * tolerance >= least_accuracy)) return {0, infinity};
  if (delta > 0.1 * spread_) {
    const Interval most = AllocationEpoch(*this, false).delta(0, 1e-3 * tolerance);
    if (most.upper <= delta) return {0, 0};
    if (most.lower <= delta) return {0, infinity};
  }
  const auto excess = [&](double e) {
    const auto [low, high] = at(std::clamp(distance(e), from_, to_));
    return math::log(std::max((low + high) / 2, 1e-300) / delta);
  };
  Interval found{0, infinity};
  double epsilon = guessed_epsilon(delta), accuracy = delta * tolerance, wide = 0.4;
  for (int i = 0, looks = 0; i < 40 && looks < most_looks; ++i) {
    checkpoint();
    const double range = std::min(wide, wide / epsilon), low = epsilon * (1 - range), high = epsilon * (1 + range);
    look(low, high, accuracy);
    if (!contour_->is_complete()) break;
    if (at(to_).lower > delta) {  // too near
      epsilon = high;
    } else if (at(from_).upper < delta) {  // too far
      epsilon = low;
    } else {
      epsilon = monotone_root(excess, low, high, 1e-3 * tolerance);
      found = both(found, near(epsilon, delta));
      if (found.upper - found.lower <= tolerance * found.upper && std::isfinite(found.upper)) break;
      accuracy /= 20, wide = 0.05, ++looks;
    }
  }
  return found;
}

std::vector<Interval> allocation_bounds(const AllocationQuestion& asked, std::span<const double> values) {
  const Allocation allocation = checked_allocation(asked.noise_multiplier, asked.steps, asked.epochs);
  check_each(asked.wants_epsilon ? "delta" : "epsilon", values,
             asked.wants_epsilon ? ranges::inner_probability : ranges::epsilon);
  checked("tolerance", asked.tolerance, ranges::inner_probability);
  const LognormalTransform transform(allocation.mu);
  std::vector<Interval> found(values.size(), {0, 0});
  for (const bool adds : {false, true}) {
    if (!(adds ? asked.adds : asked.removes)) continue;
    AllocationEpoch epoch(allocation, transform, adds);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Interval bounds =
          asked.wants_epsilon ? epoch.epsilon(values[i], asked.tolerance) : epoch.delta(values[i], asked.tolerance);
      found[i] = larger(found[i], bounds);
    }
  }
  return found;
}

}  // namespace hockeystick
