// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/mixture_loss.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/normal.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

constexpr double tiny = 1e-250;  // weights

TwoParts exponent(const MixtureLoss::Component& at, double x) {
  const auto [hi, lo] = two_sum(x, -at.shift / 2);
  const auto [product, error] = two_product(at.shift, hi);
  return {product, error + at.shift * lo};
}

}  // namespace

MixtureLoss::MixtureLoss(double deviation, double q, std::span<const double> sensitivities,
                         std::span<const double> weights) {
  CompensatedSum total;
  for (const double weight : weights) total.add(weight);
  CompensatedSum still;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (sensitivities[i] > 0) {
      // The smallest number for less: the distance is nothing next to 1e-307.
      components_.push_back(
          {sensitivities[i] / deviation, std::max(q * (weights[i] / total.value()), smallest_subnormal)});
    } else {
      still.add(weights[i] / total.value());
    }
  }
  if (components_.empty()) throw std::invalid_argument("sensitivities must not all be 0");
  sort_by(components_, &Component::shift);
  merge();
  rest_ = (1 - q) + q * still.value();
  for (const Component& c : components_) moving_ += c.weight;
  terms_ = static_cast<double>(components_.size() + merged_ + 1);
}

MixtureLoss::LossAt MixtureLoss::at(double x, double* weights) const {
  double top = rest_ > 0 ? 0.0 : -infinity, top_low = 0, top_weight = rest_;
  for (const Component& c : components_) {
    const auto [t, low] = exponent(c, x);
    if (t > top) top = t, top_low = low, top_weight = c.weight;
  }
  // Sums are over e^top where they might overflow or underflow. They are at least `top_weight`: of a tiny one they are
  // taken 2^512 times, where numbers keep their digits.
  const bool is_scaled = !(rest_ >= tiny && top < 600), is_tiny = is_scaled && top_weight < tiny;
  const auto grown = [is_tiny](double weight, double by, double low) {
    if (!is_tiny) return by < -745 ? 0.0 : weight * exp_sum(by, low);
    const double root = exp_sum(0.5 * by, 0.5 * low);
    if (by < -1100) return 0.0;
    return 0x1p512 * weight * root * root;  // proof: loss-coupling
  };
  double sum = !is_scaled ? rest_ : rest_ > 0 ? grown(rest_, -top, -top_low) : 0;
  double rise = 0, size_of_rise = 0, slope = 0, shifted = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double weight = components_[i].weight;
    const auto [t, low] = exponent(components_[i], x);
    if (top < 600) {
      const auto [power, less_1] = exp_and_expm1(t);
      const double term = weight * (less_1 + low * power);
      rise += term;
      size_of_rise += std::fabs(term);
      weights[i] = weight * (power * (1 + low));
    }
    if (is_scaled) {
      const auto [difference, rounding] = two_sum(t, -top);
      weights[i] = grown(weight, difference, rounding + low - top_low);
    }
    sum += weights[i];
  }
  for (std::size_t i = 0; i < size(); ++i) {
    weights[i] /= sum;
    slope += weights[i] * components_[i].shift;
    shifted += weights[i] * components_[i].shift * std::fabs(x - components_[i].shift);
  }
  // A shift off by u moves L by u w_i s_i abs(x - s_i) at the same x, and moves x, too, if x is noise plus the shift.
  const double carried = 2.1 * u * (shifted + slope * largest());
  if (top < 600 && rise > -0.5) {  // accurate relative to the terms of the rise if these are small
    const double loss = math::log1p(rise);
    const double lost = (terms_ + 2) * smallest_subnormal / (1 + rise);  // by underflow; proof: loss-coupling
    return {loss, slope,
            1.01 * (14 + terms_) * u * size_of_rise / (1 + rise) + 4 * u * std::fabs(loss) + carried + lost};
  }
  const double logarithm = math::log(sum) - (is_tiny ? 512 * twofold_log_two.hi : 0);
  const double loss = is_scaled ? top + (top_low + logarithm) : logarithm;
  const double rounding =
      2 * std::fabs(loss) + 6 * std::fabs(logarithm) + 14 + terms_ + (is_tiny ? 2000 : 0);  // proof: loss-coupling
  return {loss, slope, 1.01 * u * rounding + carried};
}

MixtureLoss::Inverse MixtureLoss::inverse(double loss, double* weights, double near) const {
  const double excess = math::expm1(loss) + moving_;
  if (rest_ > 0 && !(excess > 0)) {
    std::fill(weights, weights + size(), 0.0);
    return {-infinity, (12 + terms_) * u * moving_ / rest_};
  }
  const double goal = !(rest_ > 0) ? loss
                      : loss > 1   ? loss + math::log1p(-rest_ * math::exp(-loss))
                                   : math::log(excess);
  double x = infinity;
  for (const auto& [shift, weight] : components_) x = std::min(x, (goal - math::log(weight)) / shift + shift / 2);
  const double farthest = x;
  if (std::isfinite(near)) x = std::min(near, farthest);
  for (int i = 0; i < 200; ++i) {
    const auto [value, slope] = moving(x);
    const double step = (value - goal) / slope;
    x -= step;
    if (!(std::fabs(value - goal) > 1e-7)) break;
  }
  LossAt best = at(x, weights);
  bool is_there = true;  // the weights
  const auto is_off = [loss](const LossAt& at) {
    return std::fabs(at.loss - loss) > u * std::fabs(loss) + 0.25 * at.error;
  };
  for (int i = 0; i < 8 && is_there && is_off(best) && best.slope > 0; ++i) {
    const double next = x - (best.loss - loss) / best.slope;
    const LossAt there = at(next, weights);
    is_there = std::fabs(there.loss - loss) < std::fabs(best.loss - loss);
    if (is_there) x = next, best = there;
  }
  if (!is_there) best = at(x, weights);
  const double error = std::fabs(best.loss - loss) + u * std::fabs(loss) + best.error;
  return {x, std::isnan(error) ? infinity : error};
}

double MixtureLoss::total_variation_bound() const {
  CompensatedSum sum;
  for (const auto& [shift, weight] : components_) sum.add(weight * normal_interval(-shift / 2, shift / 2));
  return std::min(1.0, sum.value() * (1 + (64 + terms_) * u));
}

void MixtureLoss::merge() {
  std::size_t kept = 0;
  for (const Component& c : components_) {
    if (kept > 0 && components_[kept - 1].shift == c.shift) {
      components_[kept - 1].weight += c.weight;
      ++merged_;
    } else {
      components_[kept++] = c;
    }
  }
  components_.resize(kept);
}

std::pair<double, double> MixtureLoss::moving(double x) const {
  double top = -infinity, sum = 0, slope = 0;
  for (const auto& [shift, weight] : components_) top = std::max(top, shift * (x - shift / 2));
  for (const auto& [shift, weight] : components_) {
    const double term = 0x1p512 * weight * math::exp(shift * (x - shift / 2) - top);  // weights may be subnormal
    sum += term;
    slope += term * shift;
  }
  return {top + math::log(sum) - 512 * twofold_log_two.hi, slope / sum};
}

}  // namespace hockeystick
