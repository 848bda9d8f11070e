// SPDX-License-Identifier: Apache-2.0
#include "pld/renyi.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {
namespace {

// Relative error of the hat functions' weights: an excess and a few operations.
constexpr double hat_error = 150 * u;

// h(alpha) - (1 - alpha)_+ at alpha = e^loss, the loss within `place`: rounded outward.
double above_trivial(double value, double loss, double place, double sign) {
  const double trivial = loss < 0 ? math::expm1(loss) : 0.0;
  const double moved = loss < place ? place * (1 + trivial) : 0.0;
  return (value + trivial) + sign * (8 * u * (std::fabs(value) + std::fabs(trivial)) + moved + 1e-307);
}

}  // namespace

// Sums of positive terms.
Divergences::Hat Divergences::hat(double t, double d) {
  if (d == infinity) return {0, 1};
  const double z = t * d;
  // e^-z (e^z - 1 - z) / t; the difference cancels at most a factor of 4.
  const double falling = t == 0 ? 0 : (z <= 1 ? math::exp(-z) * exp_excess(z) : 1 - math::exp(-z) * (1 + z)) / t;
  const double rising = t == 0 ? 0 : exp_excess(-z) / t;
  const double narrow = -math::expm1(-d);  // proof: renyi-chords
  // The right weight times e^-d, so that it cannot overflow.
  const double growth = d <= 1 ? math::exp(-d) * exp_excess(d) : 1 - math::exp(-d) * (1 + d);
  return {(math::exp(-z) * exp_excess(-d) + falling) / narrow, (growth + math::exp(-d) * rising) / narrow};
}

// At loss_k + slack an upper curve, which falls, is at most its kink's certified value; at loss_k - slack a lower curve
// is at least that. Values of the lower curve are made to fall, so that moving its kinks to the left lowers it. The
// upper curve is 0 from the largest loss on, so that a chord to that loss ends it.
Divergences::Divergences(const LossPmf& pmf) : upper_(pmf.side == Side::upper), interval_(pmf.interval) {
  const CurveKinks kinks = certified_kinks(pmf);
  const double sign = upper_ ? 1 : -1, last = pmf.loss(pmf.mass.size() - 1);
  infinite_ = upper_ ? pmf.infinity_mass > 0 : kinks.floor > 0;
  const double farthest = std::max({std::fabs(pmf.loss(0)), std::fabs(last), upper_ ? std::fabs(pmf.largest) : 0.0});
  place_ = 8 * u * (std::fabs(pmf.offset) + farthest + pmf.interval);
  const double end = pmf.largest + kinks.slack + place_;
  std::size_t points = kinks.loss.size();
  while (upper_ && points > 1 && pmf.loss(points - 1) + kinks.slack >= end - 4 * place_) --points;
  loss_.resize(points);
  w_.resize(points);
  double value = -infinity;
  for (std::size_t k = points; k-- > 0;) {
    checkpoint_each<8192>(k);
    loss_[k] = pmf.loss(k) + sign * kinks.slack;  // proof: renyi-chords
    value = upper_ ? kinks.value[k] : std::max(value, kinks.value[k]);
    w_[k] = above_trivial(value, loss_[k], place_, sign);
    if (upper_) w_[k] = std::max(0.0, w_[k]);
  }
  if (!upper_ || end <= loss_.back()) return;  // proof: renyi-chords
  ends_ = true;
  loss_.push_back(end);
  w_.push_back(0);
}

double Divergences::largest_loss() const { return infinite_ ? infinity : std::max(0.0, loss_.back()); }

double Divergences::outward(double value, double error) const {
  return std::max(0.0, upper_ ? value * (1 + error) : value * (1 - error));
}

// The scale at which nothing overflows in units of e^scale; 0 if nothing would anyway.
double Divergences::scale(double t) const {
  double top = 0;
  if (t * (loss_.back() + interval_) <= 600) return top;
  for (std::size_t k = 0; k < w_.size(); ++k) {
    checkpoint_each<8192>(k);
    const double far = std::max(loss_[k] + interval_, loss_[std::min(k + 1, w_.size() - 1)]);
    if (w_[k] > 0) top = std::max(top, t * far + math::log(w_[k]));
  }
  return top;
}

// The errors of the hat functions and of the exponents t loss - scale, which are rounded.
double Divergences::rounding(double t, double scale) const {
  return 2 * hat_error + 1.01 * (t * place_ + 8 * u * (scale + 1));
}

// Between the kinks next to alpha = 1 the trivial curve is not linear: there w has one more peak, of this integral. A
// loss moved by `place` moves w by at most twice that, anywhere in those cells.
double Divergences::peak(double t, double scale) const {
  const auto next = std::upper_bound(loss_.begin(), loss_.end(), 0.0);
  if (next == loss_.end() || (next == loss_.begin() && !upper_)) return 0;
  const double width = next == loss_.begin() ? infinity : -*(next - 1), rest = *next;
  const double height = width > 0 ? -math::expm1(-width) * -math::expm1(-rest) / -math::expm1(-(width + rest)) : 0;
  const double weight =
      !(height > 0) ? 0 : hat(t, width).right * math::exp(-scale) + hat(t, rest).left * math::exp(t * rest - scale);
  const double moved =
      2 * place_ * (math::exp(-scale) + 2 * (t + 1) * interval_ * math::exp(t * interval_ - scale)) * (1 + 1e-9);
  return outward(height * weight, rounding(t, scale)) + (upper_ ? moved : -moved);  // proof: renyi-chords
}

// The last cell. Its width, unlike the interval, is rounded; its weight grows by at most twice that rounding.
Divergences::Hat Divergences::end_hat(double t) const {
  const double width = loss_.back() - loss_[loss_.size() - 2];
  const Hat rounded = hat(t, width);
  return {rounded.left * (1 + 8 * place_ / width), rounded.right};
}

// In units of e^scale. Below the first kink a lower curve is unknown; an upper one lies under the chord from h(0) = 1.
double Divergences::integral(double t, double scale) const {
  const Hat even = hat(t, interval_), end = ends_ ? end_hat(t) : even;
  const auto above_one = static_cast<std::size_t>(std::upper_bound(loss_.begin(), loss_.end(), 0.0) - loss_.begin());
  const double error = rounding(t, scale);
  CompensatedSum sum;
  // proof: renyi-chords
  if (upper_) sum.add(w_.front() * math::exp(t * loss_.front() - scale) + (above_one == 0 ? peak(t, scale) : 0.0));
  for (std::size_t k = 1; k < w_.size(); ++k) {
    checkpoint_each<8192>(k);
    const Hat& at = ends_ && k + 1 == w_.size() ? end : even;
    const double size = std::fabs(w_[k - 1]) * at.left + std::fabs(w_[k]) * at.right;
    const double chord = w_[k - 1] * at.left + w_[k] * at.right - (upper_ ? 0 : error * size);
    if (k != above_one && !(chord > 0)) continue;
    const double cell = chord * math::exp(t * loss_[k] - scale) + (k == above_one ? peak(t, scale) : 0.0);
    sum.add(std::max(0.0, cell));
  }
  return outward(sum.value(), error);
}

double Divergences::renyi(double order) const {
  if (infinite_) return infinity;
  const double t = order - 1, unit = scale(t);
  const double sum = integral(t, unit) + (upper_ ? 1e-290 : 0.0);
  if (!(t > 0)) return sum;
  if (unit == 0) return outward(math::log1p(t * sum) / t, 16 * u);
  const double log = math::log(t * sum + math::exp(-unit));
  const double error = 16 * u * (unit + std::fabs(log));
  return outward((unit + log + (upper_ ? error : -error)) / t, 8 * u);
}

}  // namespace hockeystick
