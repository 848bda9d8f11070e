// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/mixture_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "mechanisms/gaussian/sampling_weight.hpp"
#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/normal.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

constexpr double tiny = 1e-250;        // sums, and weights
constexpr double most_exponent = 600;  // of powers that are summed as they are
constexpr double least_power = 1e-290;

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
  may_rest_ = q < 1 || std::find(sensitivities.begin(), sensitivities.end(), 0.0) != sensitivities.end();
  for (const Component& c : components_) moving_ += c.weight;
  terms_ = static_cast<double>(components_.size() + merged_ + 1);
}

MixtureLoss::MixtureLoss(double mu, double q)
    : components_{{mu, q}}, rest_(1 - q), moving_(q), terms_(2), may_rest_(true), is_sample_(true) {}

// The logarithm is within 4 u of itself. A double next to underflow is at most twice what it stands for, and at least
// that less half of the smallest double for each term.
double MixtureLoss::infimum_error() const {
  if (is_sample_) return 5 * u * std::fabs(infimum());
  const double faint = rest_ < 1e-300 ? 1 + math::log(1 + terms_) : 0;
  return (16 + 2 * terms_) * u * (moving_ < 0.5 ? 2 * moving_ : 1) + 8 * u * std::fabs(infimum()) + faint;
}

// A shift off by u moves L by u w_i s_i abs(x - s_i) at the same x, and moves x, too, if x is noise plus the shift.
MixtureLoss::LossAt MixtureLoss::with_slope(double loss, double error, double weighted, double shifted) const {
  return {loss, weighted, error + 2.1 * u * (shifted + weighted * largest())};
}

// L by the logarithm, within 4 u, of a sum of positive terms. A weight is within (5 + merged) u and a power within 5 u;
// 1 + low, two products and the sum round: (13 + terms) u. `more` is in addition to these.
MixtureLoss::LossAt MixtureLoss::by_logarithm(double loss, double logarithm, double more, double weighted,
                                              double shifted) const {
  const double rounding = 2 * std::fabs(loss) + 6 * std::fabs(logarithm) + 14 + terms_ + more;  // proof: loss-coupling
  return with_slope(loss, 1.01 * u * rounding, weighted, shifted);
}

// Sums are over e^top, so that they neither overflow nor underflow. They are at least `top_weight`: of a tiny one they
// are taken 2^512 times, where numbers keep their digits.
MixtureLoss::LossAt MixtureLoss::posterior(double x, double* weights) const {
  const auto exponent = [x](const Component& c) {
    const auto [hi, lo] = two_sum(x, -c.shift / 2);
    const auto [value, error] = two_product(c.shift, hi);
    return TwoParts{value, error + c.shift * lo};
  };
  double top = rest_ > 0 ? 0.0 : -infinity, top_low = 0, top_weight = rest_;
  for (const Component& c : components_) {
    const auto [t, low] = exponent(c);
    if (t > top) top = t, top_low = low, top_weight = c.weight;
  }
  const bool is_tiny = top_weight < tiny;
  const auto grown = [is_tiny](double weight, double by, double low) {
    if (!is_tiny) return by < -745 ? 0.0 : weight * exp_sum(by, low);
    const double root = exp_sum(0.5 * by, 0.5 * low);
    if (by < -1100) return 0.0;
    return 0x1p512 * weight * root * root;  // proof: loss-coupling
  };
  double sum = rest_ > 0 ? grown(rest_, -top, -top_low) : 0, weighted = 0, shifted = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto [t, low] = exponent(components_[i]);
    const auto [difference, rounding] = two_sum(t, -top);
    sum += weights[i] = grown(components_[i].weight, difference, rounding + low - top_low);
  }
  for (std::size_t i = 0; i < size(); ++i) {
    weights[i] /= sum;
    weighted += weights[i] * components_[i].shift;
    shifted += weights[i] * components_[i].shift * std::fabs(x - components_[i].shift);
  }
  const double logarithm = math::log(sum) - (is_tiny ? 512 * twofold_log_two.hi : 0);
  return by_logarithm(top + (top_low + logarithm), logarithm, is_tiny ? 2000 : 0, weighted, shifted);
}

void MixtureLoss::losses(std::span<const double> x, std::span<LossAt> to) const {
  for (std::size_t from = 0; from < x.size(); from += block) {
    checkpoint_each<16>(from / block);
    const std::size_t count = std::min(block, x.size() - from);
    const auto part = x.subspan(from, count);
    is_sample_ ? losses_of_sample(part, to.subspan(from, count)) : losses_of_block(part, to.subspan(from, count));
  }
}

void MixtureLoss::to_losses(std::span<double> x) const {
  if (!is_sample_) {
    std::vector<LossAt> at(x.size());
    losses(x, at);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = at[i].value;
    return;
  }
  const auto [mu, q] = components_.front();
  std::vector<double> posteriors(x.size());
  for (double& each : x) each = mu * (each - mu / 2);
  sampled_losses(q, x, posteriors);
}

// log(1 - q + q e^t), t = mu (x - mu/2): two roundings of t, and u mu (|x| + mu) for mu's own.
void MixtureLoss::losses_of_sample(std::span<const double> x, std::span<LossAt> to) const {
  const auto [mu, q] = components_.front();
  double values[block], posteriors[block];
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = mu * (x[i] - mu / 2);
  sampled_losses(q, {values, x.size()}, {posteriors, x.size()});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = mu * (x[i] - mu / 2), carried = u * (2 * std::fabs(t) + mu * (std::fabs(x[i]) + mu));
    const double error = posteriors[i] * carried + sampled_loss_error(q, t, values[i]);
    to[i] = {values[i], mu * posteriors[i], 1.01 * error};
  }
}

// Where no power overflows and their sum is not tiny, the rest by `posterior`. An exponent z + low is kept in two
// doubles. Its product by halves is exact, and loops over it become vectors on every processor; it is no number if a
// half overflows, and then the sum is none. Where it is below 2^-968 it loses a few of the smallest numbers, as booked.
// A power below 1e-290 counts as 0, as products that underflow are slow: the sum loses less than 1e-40 of itself. The
// rise loses nothing, as e^z - 1 is -1 there, which it also is for z < -708, where kernels take -708 for z.
//
// The rise is sum_i p_i (e^(t_i) - 1), so that L = log(1 + rise), accurate relative to its terms if these are small. A
// weight is within (5 + merged) u and e^z - 1 within 5 u; the sum with low e^z and the product round once each, and the
// sum of all terms rounds as often as there are components: (11 + terms) u. The logarithm is within 4 u. The dropped
// low^2 / 2 and the errors of low e^z are next to nothing, as abs(low) is at most 2^-42.
void MixtureLoss::losses_of_block(std::span<const double> x, std::span<LossAt> to) const {
  using Array = std::array<double, block>;
  const std::size_t count = x.size(), padded = (count + 7) / 8 * 8;
  Array at_x, power, less_1, low, top, rise, size_of_rise, sum, weighted, shifted;  // the last two, times the sum
  for (std::size_t k = 0; k < padded; ++k) {
    at_x[k] = x[std::min(k, count - 1)];
    sum[k] = rest_;
    top[k] = rise[k] = size_of_rise[k] = weighted[k] = shifted[k] = 0;
  }
  for (const auto& [shift, weight] : components_) {
    for (std::size_t k = 0; k < padded; ++k) {
      const auto [hi, lo] = two_sum(at_x[k], -shift / 2);
      const auto [z, error] = two_product_of_halves(shift, hi);
      power[k] = z, low[k] = error + shift * lo;
      top[k] = z > top[k] ? z : top[k];
    }
    default_fft_kernel().exponentials_both(power.data(), less_1.data(), padded);
    for (std::size_t k = 0; k < padded; ++k) {
      const double counted = power[k] > least_power ? power[k] : 0;
      const double term = weight * (less_1[k] + low[k] * counted), mass = weight * (counted * (1 + low[k]));
      rise[k] += term;
      size_of_rise[k] += std::fabs(term);
      sum[k] += mass;
      weighted[k] += mass * shift;
      shifted[k] += mass * shift * std::fabs(at_x[k] - shift);
    }
  }
  const auto is_by_rise = [&](std::size_t k) { return top[k] < most_exponent && rise[k] > -0.5; };
  for (std::size_t k = 0; k < count; ++k) power[k] = is_by_rise(k) ? rise[k] : 0;
  logarithms_of_1_plus(std::span(power).first(count));
  for (std::size_t k = 0; k < count; ++k) {
    weighted[k] /= sum[k], shifted[k] /= sum[k];
    if (is_by_rise(k)) {
      const double loss = power[k], lost = 1e-307;  // by underflow: a few of the smallest numbers a component
      const double off = (1.01 * (14 + terms_) * u * size_of_rise[k] + lost) / (1 + rise[k]);  // proof: loss-coupling
      to[k] = with_slope(loss, off + 4 * u * std::fabs(loss), weighted[k], shifted[k]);
    } else if (top[k] < most_exponent && sum[k] > tiny) {
      const double loss = math::log(sum[k]);
      to[k] = by_logarithm(loss, loss, 0, weighted[k], shifted[k]);
    } else {
      std::vector<double> weights(size());
      to[k] = posterior(x[k], weights.data());
    }
  }
}

double MixtureLoss::near_inverse(double loss, double near) const {
  const double excess = math::expm1(loss) + moving_;
  if (rest_ > 0 && !(excess > 0)) return -infinity;
  const double goal = !(rest_ > 0) ? loss
                      : loss > 1   ? loss + math::log1p(-rest_ * math::exp(-loss))
                                   : math::log(excess);
  double x = infinity;
  for (const auto& [shift, weight] : components_) x = std::min(x, (goal - math::log(weight)) / shift + shift / 2);
  if (std::isfinite(near)) x = std::min(near, x);
  for (int i = 0; i < 200; ++i) {
    const auto [value, slope] = moving(x);
    x -= (value - goal) / slope;
    if (!(std::fabs(value - goal) > 1e-7)) break;
  }
  return x;
}

// The loss moves by at most |dL/dx| times: three roundings of x = t / mu + mu / 2, and the error u of mu at the same
// noise, mu (|x| + mu) u in t.
std::vector<MixtureLoss::Inverse> MixtureLoss::inverses_of_sample(std::span<const double> losses) const {
  const auto [mu, q] = components_.front();
  const std::vector<SampledEdge> edges = sampled_inverses(q, losses);
  std::vector<Inverse> result;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto [t, weight, error] = edges[i];
    if (t == -infinity) {
      result.push_back({t, error});
      continue;
    }
    const double size = std::fabs(t) + mu * mu, carried = weight * u * (5 * size + mu * mu);
    result.push_back({t / mu + mu / 2, error + u * std::fabs(losses[i]) + 1.01 * carried});
  }
  return result;
}

std::vector<MixtureLoss::Inverse> MixtureLoss::inverses(std::span<const double> losses) const {
  if (is_sample_) return inverses_of_sample(losses);
  const std::size_t size = losses.size();
  std::vector<double> next(size);
  for (std::size_t i = 0; i < size; ++i) {
    checkpoint_each<8>(i);
    next[i] = near_inverse(losses[i], i > 0 ? next[i - 1] : infinity);
  }
  std::vector<LossAt> there(size);
  std::vector<Inverse> result(size, {0, infinity});
  bool is_better = true;
  for (int steps = 0; steps < 8 && is_better; ++steps) {
    this->losses(next, there);
    is_better = false;
    for (std::size_t i = 0; i < size; ++i) {
      const double off = there[i].value - losses[i], error = std::fabs(off) + u * std::fabs(losses[i]) + there[i].error;
      if (!(error < result[i].loss_error) && steps > 0) continue;
      result[i] = {next[i], error};
      if (!(there[i].slope > 0 && std::fabs(off) > u * std::fabs(losses[i]) + 0.25 * there[i].error)) continue;
      next[i] -= off / there[i].slope;
      is_better = true;
    }
  }
  for (auto& [at, error] : result) {
    if (at == -infinity) error = (12 + terms_) * u * moving_ / rest_;
    if (std::isnan(error)) error = infinity;
  }
  return result;
}

double MixtureLoss::total_variation_bound() const {
  if (is_sample_) return moving_;
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
