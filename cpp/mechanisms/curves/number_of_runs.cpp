// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/number_of_runs.hpp"

#include <algorithm>
#include <stdexcept>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double most_mean = 1e6;
constexpr double rise_error = 0x1p-44;  // relative, of the rise that a mean asks for
constexpr double most_rise = 1e300;     // of which doubles hold multiples

// z / (1 - e^-z), which is 1 where z underflows.
double slowed(double z) { return z == 0 ? 1 : z / -math::expm1(-z); }

// The mean of a truncated negative binomial number, which grows with the rise; within (16 + 5 |shape| log1p(rise)) u of
// itself.
double mean_of(double shape, double rise) {
  const double log = math::log1p(rise);
  return rise / log * slowed(shape * log);
}

// The rise of a given mean: one end of an interval that a bisection narrows. The means at both ends lie on either side
// of the given one, but for their rounding.
double rise_of(double shape, double mean) {
  if (shape == 1) return mean - 1;
  if (mean == 1) return 0;
  double high = 1;
  while (mean_of(shape, high) < mean && high < most_rise) high *= 2;
  if (!(high < most_rise))
    throw std::invalid_argument("mean must be at most " + written(mean_of(shape, most_rise), 6) +
                                " at shape = " + written(shape, 17) + ", got " + written(mean, 17));
  return halved(0, high, 1100, rise_error / 4, [&](double rise) { return mean_of(shape, rise) < mean; }).upper;
}

}  // namespace

NumberOfRuns::NumberOfRuns(Kind kind, double mean, double extra) : kind_(kind), mean_(mean) {
  switch (kind) {
    case Kind::poisson:
      checked("mean", mean, {1e-6, most_mean});
      error_ = (8 * mean + 16) * u;  // proof: best-of-runs
      break;
    case Kind::negative_binomial:
      checked("mean", mean, {1, most_mean});
      shape_ = checked("shape", extra, {-1, 100, Range::Ends::open_below});
      rise_ = rise_of(shape_, mean);
      // proof: best-of-runs
      error_ = (16 * std::max(1.0, shape_ + 1) * math::log1p(rise_) + 64) * u + (shape_ + 1) * rise_error;
      break;
    case Kind::binomial:
      trials_ = checked("trials", extra, {1, most_mean, Range::Ends::closed, true});
      checked("mean", mean, {1e-6, trials_});
      chance_ = mean / trials_;
      error_ = (32 + 32 * trials_ / (chance_ < 1 ? 1 - chance_ : 1)) * u;  // proof: best-of-runs
      if (!(error_ < 1e-3))
        throw std::invalid_argument("mean must be trials, or less by more than a part in 1e9, got " +
                                    written(mean, 17));
      break;
  }
}

double NumberOfRuns::log_share(double x) const {
  switch (kind_) {
    case Kind::poisson:
      return -mean_ * x;
    case Kind::negative_binomial:
      return -(shape_ + 1) * math::log1p(rise_ * x);
    case Kind::binomial:
      break;
  }
  const double left = chance_ < 0.5 || x < 0.5 ? 1 - chance_ * x : (1 - chance_) + chance_ * (1 - x);
  return trials_ == 1 ? 0 : left > 0 ? (trials_ - 1) * math::log(left) : -infinity;
}

double NumberOfRuns::rate(double x) const { return mean_ * math::exp(log_share(x)); }

double NumberOfRuns::log_slope(double x) const {
  switch (kind_) {
    case Kind::poisson:
      return mean_;
    case Kind::negative_binomial:
      return (shape_ + 1) * rise_ / (1 + rise_ * x);
    case Kind::binomial:
      break;
  }
  const double left = (1 - chance_) + chance_ * (1 - x);
  return trials_ == 1 || !(left > 0) ? 0 : (trials_ - 1) * chance_ / left;
}

double NumberOfRuns::rate_slope(double x) const { return log_slope(x) * rate(x); }

double NumberOfRuns::between(double x, double rest, double part) const {
  if (!(part > 0)) return 0;
  if (kind_ == Kind::poisson) return math::exp(-mean_ * x) * -math::expm1(-mean_ * part);
  if (kind_ == Kind::negative_binomial) {
    if (!(rise_ > 0)) return mean_ * part;
    const double grown = 1 + rise_ * x, log = math::log1p(rise_ * part / grown);
    return mean_ / rise_ * log / slowed(shape_ * log) * math::exp(-shape_ * math::log(grown));
  }
  const double left = (1 - chance_) + chance_ * rest, share = std::min(1.0, chance_ * part / left);
  if (!(left > 0)) return 0;
  const double lost = share < 1 ? -math::expm1(trials_ * math::log1p(-share)) : 1;
  return math::exp(trials_ * math::log(left)) * lost;
}

double NumberOfRuns::sensitivity() const {
  switch (kind_) {
    case Kind::poisson:
      return 2 + mean_;
    case Kind::negative_binomial:
      return 3 + shape_;
    case Kind::binomial:
      break;
  }
  return 2 + trials_;
}

double NumberOfRuns::none() const {
  if (kind_ == Kind::poisson) return math::exp(-mean_);
  if (kind_ == Kind::negative_binomial || chance_ == 1) return 0;
  return math::exp(trials_ * math::log1p(-chance_));
}

// By phi: (sup P / Q) sup over x of f'(1 - x) / f'(1 - g(x)). Of a Poisson number that is e^(mean (g(x) - x)), and g(x)
// - x is at most the total variation; else g(x) <= e^back x, and 1 - g(x) >= e^-loss (1 - x).
double NumberOfRuns::largest_loss(double loss, double back, double variation) const {
  switch (kind_) {
    case Kind::poisson:
      return up(loss + up(mean_ * variation));
    case Kind::negative_binomial: {
      const double times = shape_ + 1, more = times * back, sum = loss + more;
      const bool is_exact =
          two_product(times, back).error == 0 && two_sum(loss, more).error == 0 && two_sum(shape_, 1.0).error == 0;
      return is_exact || !(sum < infinity) ? sum : up(up(sum));
    }
    case Kind::binomial:
      break;
  }
  return trials_ == 1 ? loss : up(trials_ * loss);
}

}  // namespace hockeystick
