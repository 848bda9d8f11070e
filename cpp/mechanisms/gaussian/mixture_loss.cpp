// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/mixture_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/normal.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

constexpr double tiny = 1e-250;        // weights
constexpr double most_exponent = 600;  // of powers that are summed as they are
constexpr double least_power = 1e-290;
constexpr std::size_t block = 64, few = 6;  // points at once, at most and at least

using Product = TwoParts (*)(double, double);

template <Product product>
TwoParts exponent(const MixtureLoss::Component& at, double x) {
  const auto [hi, lo] = two_sum(x, -at.shift / 2);
  const auto [value, error] = product(at.shift, hi);
  return {value, error + at.shift * lo};
}

// p (e^t - 1) and p e^t of a component, t = z + low, from e^z and e^z - 1.
struct Part {
  double rise, mass;
};
Part part(double weight, double power, double less_1, double low) {
  return {weight * (less_1 + low * power), weight * (power * (1 + low))};
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
    const auto [t, low] = exponent<two_product>(c, x);
    if (t > top) top = t, top_low = low, top_weight = c.weight;
  }
  // Sums are over e^top where they might overflow or underflow. They are at least `top_weight`: of a tiny one they are
  // taken 2^512 times, where numbers keep their digits.
  const bool is_scaled = !(rest_ >= tiny && top < most_exponent), is_tiny = is_scaled && top_weight < tiny;
  const auto grown = [is_tiny](double weight, double by, double low) {
    if (!is_tiny) return by < -745 ? 0.0 : weight * exp_sum(by, low);
    const double root = exp_sum(0.5 * by, 0.5 * low);
    if (by < -1100) return 0.0;
    return 0x1p512 * weight * root * root;  // proof: loss-coupling
  };
  double sum = !is_scaled ? rest_ : rest_ > 0 ? grown(rest_, -top, -top_low) : 0;
  double rise = 0, size_of_rise = 0, weighted = 0, shifted = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double weight = components_[i].weight;
    const auto [t, low] = exponent<two_product>(components_[i], x);
    if (top < most_exponent) {
      const auto [power, less_1] = exp_and_expm1(t);
      const auto [term, mass] = part(weight, power, less_1, low);
      rise += term;
      size_of_rise += std::fabs(term);
      weights[i] = mass;
    }
    if (is_scaled) {
      const auto [difference, rounding] = two_sum(t, -top);
      weights[i] = grown(weight, difference, rounding + low - top_low);
    }
    sum += weights[i];
  }
  for (std::size_t i = 0; i < size(); ++i) {
    weights[i] /= sum;
    weighted += weights[i] * components_[i].shift;
    shifted += weights[i] * components_[i].shift * std::fabs(x - components_[i].shift);
  }
  const Slope along = slope(weighted, shifted);
  if (top < most_exponent && rise > -0.5) return by_rise(math::log1p(rise), rise, size_of_rise, along);
  const double logarithm = math::log(sum) - (is_tiny ? 512 * twofold_log_two.hi : 0);
  return by_logarithm(is_scaled ? top + (top_low + logarithm) : logarithm, logarithm, is_tiny ? 2000 : 0, along);
}

// A shift off by u moves L by u w_i s_i abs(x - s_i) at the same x, and moves x, too, if x is noise plus the shift.
MixtureLoss::Slope MixtureLoss::slope(double weighted, double shifted) const {
  return {weighted, 2.1 * u * (shifted + weighted * largest())};
}

// Of L = log(1 + rise), rise > -1/2: accurate relative to the terms of the rise if these are small. A weight is within
// (5 + merged) u and e^z - 1 within 5 u; the sum with low e^z and the product round once each, and the sum of all terms
// rounds as often as there are components: (11 + terms) u. The logarithm is within 4 u. The dropped low^2 / 2 and the
// errors of low e^z are next to nothing, as abs(low) is at most 2^-42.
MixtureLoss::LossAt MixtureLoss::by_rise(double loss, double rise, double size_of_rise, const Slope& slope) const {
  const double lost = 1e-307;  // by underflow: a few of the smallest numbers a component; proof: loss-coupling
  const double off = (1.01 * (14 + terms_) * u * size_of_rise + lost) / (1 + rise);  // proof: loss-coupling
  return {loss, slope.value, off + 4 * u * std::fabs(loss) + slope.moved};
}

// Of L by the logarithm, within 4 u, of a sum of positive terms. A weight is within (5 + merged) u and a power within
// 5 u; 1 + low, two products and the sum round: (13 + terms) u. `more` is in addition to these.
MixtureLoss::LossAt MixtureLoss::by_logarithm(double loss, double logarithm, double more, const Slope& slope) const {
  const double rounding = 2 * std::fabs(loss) + 6 * std::fabs(logarithm) + 14 + terms_ + more;  // proof: loss-coupling
  return {loss, slope.value, 1.01 * u * rounding + slope.moved};
}

void MixtureLoss::losses(std::span<const double> x, std::span<LossAt> to, double* scratch) const {
  for (std::size_t from = 0; from < x.size(); from += block) {
    const std::size_t count = std::min(block, x.size() - from);
    if (rest_ >= tiny && count >= few) {
      losses_of_block(x.subspan(from, count), to.subspan(from, count), scratch);
    } else {
      for (std::size_t k = from; k < from + count; ++k) to[k] = at(x[k], scratch);
    }
  }
}

// As `at` where nothing is scaled, with its bounds: the kernels' e^z is within 3 u, e^z - 1 within 4 u, where `at` has
// 5 u for both, and their logarithms are within 4 u, as those of `at`. A product by halves is that of two_product, also
// exact, and loops over it become vectors on every processor. It is no number if a half overflows; then the sums are
// none, and `at` takes the point. Where it is below 2^-968 it loses a few of the smallest numbers, as booked. A power
// below 1e-290 counts as 0, as products that underflow are slow: a sum, at least `tiny`, loses less than 1e-40 of
// itself. The rise loses nothing, as e^z - 1 is -1 there, which it also is for z < -708, where kernels take -708 for z.
void MixtureLoss::losses_of_block(std::span<const double> x, std::span<LossAt> to, double* scratch) const {
  using Array = std::array<double, block>;
  const SimdKernels& kernel = default_fft_kernel();
  const std::size_t count = x.size(), padded = (count + 7) / 8 * 8;
  Array at_x, power, less_1, low;
  Array top, rise, size_of_rise, sum, weighted, shifted;  // as in `at`, but for the division of the last by the sum
  for (std::size_t k = 0; k < padded; ++k) {
    at_x[k] = x[std::min(k, count - 1)];
    sum[k] = rest_;
    top[k] = rise[k] = size_of_rise[k] = weighted[k] = shifted[k] = 0;
  }
  for (const auto& [shift, weight] : components_) {
    for (std::size_t k = 0; k < padded; ++k) {
      const auto [t, rest] = exponent<two_product_of_halves>({shift, weight}, at_x[k]);
      power[k] = t, low[k] = rest;
      top[k] = t > top[k] ? t : top[k];
    }
    kernel.exponentials_both(power.data(), less_1.data(), padded);
    for (std::size_t k = 0; k < padded; ++k) {
      const double counted = power[k] > least_power ? power[k] : 0;
      const auto [term, mass] = part(weight, counted, less_1[k], low[k]);
      rise[k] += term;
      size_of_rise[k] += std::fabs(term);
      sum[k] += mass;
      weighted[k] += mass * shift;
      shifted[k] += mass * shift * std::fabs(at_x[k] - shift);
    }
  }
  const auto is_plain = [&](std::size_t k) { return top[k] < most_exponent && sum[k] > 0; };
  const auto is_by_rise = [&](std::size_t k) { return rise[k] > -0.5; };
  Array log_of_rise, log_of_sum;
  bool is_any_by_sum = false;
  for (std::size_t k = 0; k < count; ++k) {
    log_of_rise[k] = is_plain(k) && is_by_rise(k) ? rise[k] : 0;
    log_of_sum[k] = is_plain(k) && !is_by_rise(k) ? sum[k] : 1;
    is_any_by_sum |= !is_by_rise(k);
  }
  logarithms_of_1_plus(std::span(log_of_rise).first(count));
  if (is_any_by_sum) logarithms(std::span(log_of_sum).first(count));
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_plain(k)) {
      to[k] = at(x[k], scratch);
      continue;
    }
    const Slope along = slope(weighted[k] / sum[k], shifted[k] / sum[k]);
    to[k] = is_by_rise(k) ? by_rise(log_of_rise[k], rise[k], size_of_rise[k], along)
                          : by_logarithm(log_of_sum[k], log_of_sum[k], 0, along);
  }
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
