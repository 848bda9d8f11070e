// SPDX-License-Identifier: Apache-2.0
// Given the steps that a record joins, the loss of the run is Y less the sum of log t but for rare mistakes, Y the loss
// of plain Gaussians. cpp/proofs/visible-run.md has the bounds.
#include "mechanisms/allocation/visible_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/root.hpp"

namespace hockeystick {
namespace {

constexpr double aside = 1e-6;                                // part of delta that mistakes may be
constexpr double tail_error = 4 * normal_error, sums = 1e-9;  // relative, of tails and of sums of few terms

// Of T(x), x > 0 being low already: T(x) <= phi(x) / x.
double log_tail(double x) { return x > 1 ? -x * x / 2 - math::log(x * 2.5066282746310002) : 0; }

// delta and 1 - delta of N(mu, 1) against N(0, 1) at e^x, mu^2 = `square` known within 64 u.
struct Plain {
  Interval delta, spared;
};

Plain plain_at(double square, double x) {
  const double mu = std::sqrt(square), a = x / mu - mu / 2, b = a + mu;
  const double off = 128 * u * (std::fabs(x) / mu + mu);  // of a and b; proof: visible-run
  const double near = std::max(0.0, std::fabs(a) - off), far = std::fabs(a) + off;
  if (!(b - off > 0)) return {{0, 1}, {0, std::min(1.0, math::exp(x) * (1 + sums))}};
  const double most = normal_pdf(near) * mills_ratio(b - off), least = normal_pdf(far) * mills_ratio(b + off);
  const double up = normal_tail(near) * (1 + tail_error) + 1e-307, down = normal_tail(far) * (1 - tail_error) - 1e-307;
  if (a < 0) {
    const Interval spared{std::max(0.0, down + least * (1 - tail_error)), std::min(1.0, up + most * (1 + tail_error))};
    return {{1 - spared.upper - u, 1 - spared.lower + u}, spared};
  }
  const Interval delta{std::max(0.0, down - most * (1 + tail_error)), up - least * (1 - tail_error)};
  return {delta, {1 - delta.upper - u, 1 - delta.lower + u}};
}

// About where a condition that holds at `low`, and not at `high`, ceases to hold.
template <class Condition>
Interval end_of(double low, double high, const Condition& holds) {
  return halved(low, high, 100, 1e-13, holds);
}

constexpr double width = 0.004;                     // of cells in which lines are compared
constexpr double least = -8, least_missed = 1e-29;  // where lines begin; Phi(least)^2 and less

// log Phi(z), far below its bound x phi(x) / (1 + x^2), x = -z.
double log_below(double z) {
  if (z < -30) return -z * z / 2 - math::log(-2.5066282746310007 * (1 / z + z));
  return z < 0 ? math::log(normal_tail(-z)) : math::log1p(-normal_tail(z));
}

// Of mean + deviation Z, Z normal.
struct NormalLine {
  double mean, deviation;
};

// Whether P(line > z) <= P(Z > z for any of `steps`), for all z above `least`.
bool is_below_largest(const NormalLine& line, double steps) {
  for (double z = least; z < line.mean / (1 - line.deviation); z += width) {
    const double at = (z - line.mean) / line.deviation,
                 log_largest = steps * log_below(z + width);  // proof: visible-run
    const bool holds = at < 0 ? log_largest <= log_below(at) - sums * (1 + std::fabs(log_largest))
                              : -math::expm1(log_largest) * (1 - sums) >= normal_tail(at);
    if (!holds) return false;
  }
  return true;
}

// A line that touches them, about, where Z is `level`; one that all are above anyhow if that is not below them.
NormalLine line_below_largest(double steps, double level) {
  const double log_p = log_below(level);
  const double largest = end_of(level, 40, [&](double z) { return steps * log_below(z) < log_p; }).lower;
  const double slope = math::exp((largest - level) * (largest + level) / 2 - (steps - 1) * log_below(largest)) / steps;
  NormalLine line{0, std::clamp(slope, 0.01, 0.99)};
  line.mean = largest - line.deviation * level - 2 * width;
  return is_below_largest(line, steps) ? line : NormalLine{0, 1};
}

}  // namespace

VisibleRun::VisibleRun(std::vector<VisibleEpochs> epochs, double gap) : epochs_(std::move(epochs)), gap_(gap) {
  for (const auto& [mu, steps, count] : epochs_) {
    square_ += count * mu * mu;
    shift_ += count * math::log(steps);
    if (steps > 1) sampled_ += count;
  }
  shift_off_ = shift_ * (16 + static_cast<double>(epochs_.size())) * u;
}

// By Chernoff's inequality at a tilt: the moments with mistakes less those without.
double VisibleRun::log_mistaken_by(double tilt, double x) const {
  double exponent = -tilt * x, likely = 0, size = std::fabs(exponent);
  for (const auto& [mu, steps, count] : epochs_) {
    const double own = count * tilt * mu * mu / 2 * (1 + tilt), chosen = math::log(steps);
    exponent += own - count * tilt * chosen, size += own + count * tilt * chosen;
    if (steps == 1) continue;
    const double ahead = gap_ + chosen, apart = (mu * mu * (1 - tilt) - ahead) / (mu * 1.4142135623730951);
    const double near = apart > 0 ? normal_tail(apart * (1 - 128 * u)) : 1;
    likely += count * (steps - 1) * math::exp(tilt * (ahead + chosen - mu * mu)) * near;  // proof: visible-run
    exponent += count * tilt * 1.001 * math::exp(-gap_);                                  // proof: visible-run
  }
  const double factor = math::log(likely + 1e-307) + likely;  // of log(e^likely - 1); proof: visible-run
  return std::min(0.0, exponent + factor + sums + 256 * u * size);
}

double VisibleRun::log_mistaken(double x) const {
  const double tilt = (x + shift_ - square_ / 2) / square_;
  return std::min(log_mistaken_by(0, x), log_mistaken_by(std::max(0.0, tilt), x));
}

// Of a run of plain steps whose loss is `loss`, or less than that by the tilt of Chernoff's inequality.
double VisibleRun::log_missed(double loss) const {
  const double tilt = std::clamp((loss - square_ / 2) / square_, -1.0, 0.0);
  double likely = 0;
  for (const auto& [mu, steps, count] : epochs_) {
    const double apart = (mu * mu * (1 + tilt) - gap_ - math::log(steps)) / (mu * 1.4142135623730951);
    const double near = apart > 0 ? normal_tail(apart * (1 - 128 * u)) : 1;
    if (steps > 1) likely += count * (steps - 1) * near;  // proof: visible-run
  }
  const double exponent = tilt * (square_ / 2 * (1 + tilt) - loss),
               size = std::fabs(tilt) * (square_ + std::fabs(loss));
  return std::min(0.0, exponent + math::log(likely + 1e-307) + sums + 256 * u * size);
}

double VisibleRun::log_added(double x) const {
  double square = 0;
  for (const auto& [mu, steps, count] : epochs_) square += count * mu * mu / steps;
  const double deviation = std::sqrt(square), off = 128 * u * (std::fabs(x) + square_) / deviation;
  return log_tail((x - square_ / 2) / deviation - off) + sums;  // proof: visible-run
}

// Of one epoch beside plain steps: where the largest of its normal variables is above `least`, its density is at least
// t Phi(least)^(t - 1) times that of one.
bool VisibleRun::once_adds_spare(const VisibleEpochs& one, double x, double spared) const {
  const auto [mu, steps, count] = one;
  const double moved = x - shift_ - shift_off_, all = plain_at(square_, moved).spared.lower;
  double rest = 0;
  for (const VisibleEpochs& each : epochs_)
    if (each.steps == 1) rest += each.count * each.mu * each.mu;
  for (double z = 0; z < 9; z += 0.5) {
    const double terms = std::fabs(moved) + mu * mu,
                 at = moved + mu * z - mu * mu / 2 + 64 * u * terms;  // proof: visible-run
    const double most = math::exp(std::min(0.0, at)) * 1.01;
    const double missed = rest > 0 ? std::min(most, plain_at(rest, at).spared.upper) : most;  // proof: visible-run
    const double gained = steps * math::exp((steps - 1) * math::log1p(-normal_tail(z) * (1 + sums)));
    if (gained * (1 - sums) * (all - missed) >= spared) return true;
  }
  return false;
}

// By lines below the quantiles of the largest variables of the epochs, as functions of normal ones: their sum is
// normal.
bool VisibleRun::adds_spare(double x, double spared) const {
  if (sampled_ == 1)
    return once_adds_spare(*std::find_if(epochs_.begin(), epochs_.end(), [](const auto& one) { return one.steps > 1; }),
                           x, spared);
  const double level = (square_ / 2 - x - shift_) / square_;
  double mean = 0, square = 0, missed = 0;
  for (const auto& [mu, steps, count] : epochs_) {
    const NormalLine line = steps > 1 ? line_below_largest(steps, level * mu) : NormalLine{0, 1};
    mean += count * (mu * mu / 2 + math::log(steps) - mu * line.mean);
    square += count * mu * mu * line.deviation * line.deviation;
    if (steps > 1) missed += count * least_missed;  // proof: visible-run
  }
  const double deviation = std::sqrt(square), z = (mean - x + 256 * u * (square_ + std::fabs(x))) / deviation;
  const double beyond = z > 0 && deviation > z ? normal_pdf(z) * mills_ratio(deviation - z) * (1 - 1e-6) : 0;
  return normal_tail(z) * (1 - sums) + beyond - missed >= spared;  // proof: visible-run
}

Interval VisibleRun::epsilon(double delta, bool adds) const {
  const double spared = 1 - delta, low = -0.49 * square_, high = square_ / 2 + 40 * std::sqrt(square_);
  const bool is_high = delta >= 0.5;  // bounds are of 1 - delta then
  const auto costs_more = [&](double x) {
    const Plain plain = plain_at(square_, x);
    return is_high ? plain.spared.upper < spared : plain.delta.lower > delta;
  };
  const auto costs_less = [&](double x) {
    const Plain plain = plain_at(square_, x);
    return is_high ? plain.spared.lower - math::exp(log_missed(x)) * (1 + sums) >= spared  // proof: visible-run
                   : plain.delta.upper <= delta * (1 - aside);
  };
  const double rounding = 4 * u * (std::fabs(shift_) + high);
  Interval found{0, infinity};
  if (costs_more(low))
    found.lower = std::max(0.0, end_of(low, high, costs_more).lower - shift_ - shift_off_ - rounding);
  if (!costs_less(high)) return found;
  const double behind = sampled_ * 1.001 * math::exp(-gap_);
  const double upper = end_of(low, high, [&](double x) { return !costs_less(x); }).upper - shift_ + shift_off_ +
                       behind + rounding;  // proof: visible-run
  if (!is_high && !(log_mistaken(upper) <= math::log(aside * delta))) return found;
  const bool is_worst = !adds || log_added(found.lower) <= math::log(delta) || adds_spare(found.lower, spared);
  if (is_worst) found.upper = std::max(0.0, upper);
  return found;
}

Interval VisibleRun::delta(double epsilon, bool adds) const {
  const double rounding = shift_off_ + 4 * u * (std::fabs(shift_) + epsilon), x = epsilon + shift_;
  const double lower = plain_at(square_, x + rounding).delta.lower;
  const double behind = sampled_ * 1.001 * math::exp(-gap_);
  double upper = plain_at(square_, x - behind - rounding).delta.upper + math::exp(log_mistaken(epsilon)) * (1 + sums);
  if (adds) upper = std::max(upper, math::exp(log_added(epsilon)) * (1 + sums));
  return {lower, std::min(1.0, upper)};
}

}  // namespace hockeystick
