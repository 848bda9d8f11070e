// SPDX-License-Identifier: Apache-2.0
#include "numeric/three_valued_sum.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double least_log = -690;  // of masses, of which smaller ones count as nothing
// The share of a tail that its error may come to before it is summed anew: half of the digits.
const double worn = std::sqrt(unit_roundoff);
constexpr double parameter_error = 32;  // units u

Chance chance_of(double p, double q) {
  return {p, q, p <= 0.5 ? math::log(p) : math::log1p(-q), q <= 0.5 ? math::log(q) : math::log1p(-p)};
}

// P(X = j) and P(X > j) for X ~ Bin(trials, share), but for a common factor within `scale` of 1. Beside it, `at` is
// within `drift` of itself, and `above` off by at most `error`.
struct BinomialTail {
  double trials = -1, j = 0, at = 0, above = 0, drift = 0, error = 0, scale = 0;

  static BinomialTail sum(double j, double trials, const Chance& share) {
    if (trials == 0) return {0, 0, 1};
    const Ball first = log_binomial(j, trials, share);
    const bool up = j + 1 >= trials * share.p;
    if (first.value < least_log) return {-1, j, 0, up ? 0.0 : 1.0};  // proof: three-valued-sum
    const RatioSum ratios = sum_of_ratios(j, trials, share, up);
    BinomialTail tail{trials, j, math::exp(first.value)};
    tail.scale = 2 * first.error + 8 * u;      // proof: three-valued-sum
    const double whole = up ? 0 : tail.scale;  // relative error of the part that is subtracted from 1
    // proof: three-valued-sum
    tail.error = tail.at * (ratios.value * (ratios.error + 4 * u + whole) + ratios.rest) + (up ? 0 : 2 * u);
    tail.above = up ? tail.at * (ratios.value - 1) : 1 - tail.at * ratios.value;
    return tail;
  }

  // One more trial, by heads or tails.
  void add_trial() {
    ++trials;
    lose(0.5 * at);
    at *= 0.5 * trials / (trials - j);
  }
  void next() {
    at *= (trials - j) / (j + 1);
    ++j;
    lose(-at);
  }
  bool lasts() const { return trials >= 0 && at > 1e-295 && error <= worn * above; }

 private:
  void lose(double change) {
    error += std::fabs(change) * (drift + 8 * u) + u * above;  // proof: three-valued-sum
    above += change;
    drift += 8 * u;  // proof: three-valued-sum
  }
};

}  // namespace

LikelyCounts::LikelyCounts(double trials, double success, double failure, double cut) {
  const Chance chance = chance_of(success, failure);
  const double mode = std::min(trials, std::floor((trials + 1) * success)), odds = success / failure;
  const Ball log_most = log_binomial(mode, trials, chance);
  double weight = math::exp(log_most.value), m = mode, last = mode;
  weights.push_back(weight);
  for (; m > 0 && weight > cut; --m) weights.push_back(weight *= m / (trials - m + 1) / odds);
  std::reverse(weights.begin(), weights.end());
  for (weight = weights.back(); last < trials && weight > cut; ++last)
    weights.push_back(weight *= (trials - last) / (last + 1) * odds);
  first = m;
  const double off = 2 * parameter_error * trials * u;  // proof: three-valued-sum
  // proof: three-valued-sum
  error = 2 * log_most.error + 2 * off + (2 * parameter_error + 8) * static_cast<double>(weights.size()) * u;
  const double raised = 1 + 2 * off + 64 * u;
  // proof: three-valued-sum
  below = first > 0 ? binomial_at_most(first - 1, trials, chance).upper * raised : 0;
  // proof: three-valued-sum
  above = last < trials ? binomial_at_least(last + 1, trials, chance).upper * raised : 0;
  // proof: three-valued-sum
  mean_above = last < trials ? success * binomial_at_least(last, trials - 1, chance).upper * raised : 0;
}

ThreeValuedSum ThreeValuedSum::even(double terms, double ends, double others, double cut) {
  return {terms, Chance::of(0.5), LikelyCounts(terms, ends, others, cut)};
}

ThreeValuedSum ThreeValuedSum::of_two(double terms, double gain, double loss) {
  LikelyCounts all(1, 0.5, 0.5, 0);
  all.first = terms, all.weights = {1};
  all.error = 4 * parameter_error * terms * u;  // proof: three-valued-sum
  return {terms, chance_of(gain, loss), std::move(all)};
}

// With m gains and losses, k of them gains, the sum is k gain + (m - k) loss + L, L = (terms - m) rest + offset, and
// above 0 from a k on. As k C(m, k) = m C(m - 1, k - 1), the mean over k is D P(X >= k) + E P(X = k - 1), X the gains
// among m - 1 of them, D = m (p gain + q loss) + L and E = p (m gain + L).
Interval ThreeValuedSum::positive_part(const ThreeValues& values, double offset) const {
  const auto [gain, loss, rest] = values;
  const double width = gain - loss, slope = (rest - loss) / width, start = -(terms_ * rest + offset) / width;
  const double size = gain - loss - rest, more = std::fabs(offset);
  const double moved = 64 * u * ((size * terms_ + more) / width + 1);  // of a first k; proof: three-valued-sum
  if (!(gain > 0)) return {0, 32 * u * size + std::max(0.0, offset) / terms_ * (1 + 4 * u)};  // proof: three-valued-sum
  double value = 0, error = 0, scale = 0, before = 0;
  BinomialTail tail;
  for (std::size_t i = 0; i < ends_.weights.size(); ++i) {
    checkpoint_each<65536>(i);
    const double m = ends_.first + static_cast<double>(i), others = (terms_ - m) * rest + offset;
    const double from = std::floor(start + slope * m - moved) + 1;  // not above the first k
    const double mean = m * (share_.p * gain + share_.q * loss) + others;
    const double each = 64 * u * (size * terms_ + more) + 2 * moved * width;  // proof: three-valued-sum
    if (m == 0 || from <= 0) {
      value += ends_.weights[i] * std::max(0.0, mean);
      if (mean > -each) error += ends_.weights[i] * each;  // proof: three-valued-sum
      tail.trials = -1;
    } else if (from <= m) {
      const bool goes_on = tail.lasts() && tail.trials == m - 2 && (from == before || from == before + 1);
      if (goes_on) tail.add_trial();
      if (goes_on && from != before) tail.next();
      if (!goes_on) tail = BinomialTail::sum(from - 1, m - 1, share_);
      const double first = share_.p * (m * gain + others);
      value += ends_.weights[i] * (tail.above * mean + tail.at * first);
      // proof: three-valued-sum
      error += ends_.weights[i] * (tail.error * std::fabs(mean) + tail.at * tail.drift * std::fabs(first) +
                                   (tail.above + tail.at + tail.error) * each);
      scale = std::max(scale, tail.scale);
    }
    before = from;
  }
  const double positive = std::max(0.0, offset);
  // proof: three-valued-sum
  const double off = ends_.error + scale + 4 * (static_cast<double>(ends_.weights.size()) + 8) * u;
  // proof: three-valued-sum
  const double left_out =
      (ends_.first * gain + positive) * ends_.below + terms_ * gain * ends_.mean_above + positive * ends_.above;
  const double tiny = 1e-289 * (gain + more);  // proof: three-valued-sum
  const double above = ((value + error) * (1 + off) + left_out * (1 + 8 * u)) / terms_;
  return {std::max(0.0, (value - error) * (1 - off) / terms_ - tiny), above * (1 + 4 * u) + tiny};
}

}  // namespace hockeystick
