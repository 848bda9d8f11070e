// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/mean_moments.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Logarithms of coefficients of power series, and of their powers.
class LogSeries {
 public:
  explicit LogSeries(std::size_t size) : size_(size, 0.0) {}

  std::vector<double> power(std::vector<double> base, double times) {
    std::vector<double> all(base.size(), -infinity);
    all[0] = 0;
    for (double left = times; left >= 1; left = std::floor(left / 2)) {
      checkpoint();
      if (left > 2 * std::floor(left / 2)) all = product(all, base);
      if (left >= 2) base = product(base, base);
    }
    return all;
  }

  // The largest logarithm, in size, of any k-th coefficient.
  double size(std::size_t k) const { return size_[k]; }

 private:
  std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      double largest = -infinity;
      for (std::size_t j = 0; j <= k; ++j) largest = std::max(largest, a[j] + b[k - j]);
      all[k] = largest;
      if (std::isinf(largest)) continue;
      double sum = 0;
      for (std::size_t j = 0; j <= k; ++j) sum += math::exp(a[j] + b[k - j] - largest);
      all[k] += math::log(sum);
      size_[k] = std::max(size_[k], std::fabs(all[k]));
    }
    return all;
  }

  std::vector<double> size_;
};

// log k! for k up to `last`, each within 4 k u of the largest.
std::vector<double> log_factorials(std::size_t last) {
  std::vector<double> logs{0, 0};
  while (logs.size() <= last) logs.push_back(logs.back() + math::log(static_cast<double>(logs.size())));
  return logs;
}

// A sum of terms of either sign over e^`scale`, within its ends.
struct SignedSum {
  double scale;
  Interval ends{0, 0};

  Interval term(double factor, const Interval& log_moment, double off) const {
    const double size = std::fabs(factor);
    const double least = size * math::exp(log_moment.lower - scale) * (1 - off);
    const double most = size * math::exp(log_moment.upper - scale) * (1 + off);
    return factor > 0 ? Interval{least, most} : Interval{-most, -least};
  }
  void add(const Interval& one) {
    const double off =
        2 * u * (std::fabs(ends.lower) + std::fabs(ends.upper) + std::fabs(one.upper) + std::fabs(one.lower));
    ends = {ends.lower + one.lower - off, ends.upper + one.upper + off};  // proof: mean-moments
  }
};

// Encloses log (e^a + e^b).
Interval log_of_sum(const Interval& a, const Interval& b) {
  const auto of = [](double one, double other) {
    const double larger = std::max(one, other);
    if (std::isinf(larger)) return larger;
    return larger + math::log1p(math::exp(std::min(one, other) - larger));
  };
  const double low = of(a.lower, b.lower), high = of(a.upper, b.upper);
  return {low - 4 * u * (std::fabs(low) + 1), high + 4 * u * (std::fabs(high) + 1)};
}

}  // namespace

std::vector<Interval> log_moments_of_mean(std::span<const Interval> log_moments, double steps) {
  const std::size_t size = log_moments.size();
  const std::vector<double> factorial = log_factorials(size);
  std::vector<double> low, high;
  for (std::size_t j = 0; j < size; ++j)
    low.push_back(log_moments[j].lower - factorial[j]), high.push_back(log_moments[j].upper - factorial[j]);
  LogSeries series(size);
  low = series.power(std::move(low), steps), high = series.power(std::move(high), steps);
  const double log_steps = math::log(steps), doublings = math::log2(steps) + 2;
  double largest = 1;
  std::vector<Interval> known;
  for (std::size_t j = 0; j < size; ++j) {
    const auto k = static_cast<double>(j);
    const double scale = factorial[j] - k * log_steps;
    largest = std::max({largest, series.size(j), k * log_steps});
    // proof: far-losses
    const double off = 2 * k * u * (doublings * (8 * largest + k + 40) + 2 * k * (factorial[j] + 1));
    known.push_back({low[j] + scale - off, high[j] + scale + off});
  }
  return known;
}

// E (Y - 1)^(j + 1) = E (q Y - 1)^j - E (Y - 1)^j, q = e^(mu^2), as a factor Y moves the mean of x by mu. In powers of
// q (Y - 1) + q - 1 all terms are positive.
std::vector<Interval> log_central_moments(double mu) {
  const std::vector<double> factorial = log_factorials(most_moments);
  const auto log_expm1 = [](double x) { return x < 1 ? math::log(math::expm1(x)) : x + math::log1p(-math::exp(-x)); };
  const double square = mu * mu, excess = log_expm1(square);
  std::vector<double> logs{0, -infinity};
  std::vector<Interval> known{{0, 0}, {-infinity, -infinity}};
  double off = 0;
  for (std::size_t j = 1; j < most_moments; ++j) {
    const auto n = static_cast<double>(j);
    std::vector<double> terms;
    for (std::size_t i = 0; i < j; ++i) {
      const auto k = static_cast<double>(i);
      const double choices = factorial[j] - factorial[i] - factorial[j - i];
      terms.push_back(choices + k * square + (n - k) * excess + logs[i]);
    }
    terms.push_back(log_expm1(n * square) + logs[j]);
    const double largest = *std::max_element(terms.begin(), terms.end());
    double sum = 0;
    for (const double term : terms) sum += math::exp(term - largest);
    logs.push_back(largest + math::log(sum));
    const double size = 3 * factorial[j] + n * (square + std::fabs(excess) + 4) + std::fabs(logs.back());
    off += (16 * size + n * factorial[j] + n + 40) * u;  // proof: mean-moments
    known.push_back({logs.back() - off, logs.back() + off});
  }
  return known;
}

// R^a = sum_i C(a, i) X^i, X = R - 1, for whole a. Else, with n < a < n + 1 and n odd, the sum up to X^(K - 1), K even
// and at least n + 3, is below R^a by at most C(a - 1, K - 1) X^K. With n even, R^a = R R^(a - 1).
Interval log_moment_by_central(std::span<const Interval> central, double s) {
  const double whole = std::floor(s);
  const bool is_whole = s == whole, is_split = !is_whole && std::fmod(whole, 2) == 1;  // n = whole + 1 is even
  const auto moment = [&](std::size_t i) { return is_split ? log_of_sum(central[i], central[i + 1]) : central[i]; };
  const std::size_t first = is_split ? 1 : 2, size = central.size() - (is_split ? 1 : 0);
  const double order = is_split ? s : 1 + s;  // a
  if (is_whole && !(order < static_cast<double>(size))) return {-infinity, infinity};
  SignedSum sum{moment(2).upper};
  for (std::size_t i = 3; is_whole && static_cast<double>(i) <= order; ++i)
    sum.scale = std::max(sum.scale, moment(i).upper);
  if (!std::isfinite(sum.scale)) return {-infinity, infinity};
  // C(a, i), and C(a - 1, K - 1) = C(a, K - 1) (a - K + 1) / a.
  double choices = 1, left_out = infinity;
  Interval best{-infinity, infinity};
  for (std::size_t i = 1; i < size; ++i) {
    const auto k = static_cast<double>(i);
    const double at = is_split ? s - (k - 1) : s - (k - 2);  // a - i + 1
    const double before = choices;
    choices *= (i == 1 ? order : at) / k;
    if (is_whole && choices == 0) break;
    if (i < first) continue;
    const Interval log_moment = moment(i);
    const double off = (8 * k + 32 + 4 * std::fabs(log_moment.upper - sum.scale)) * u;  // proof: mean-moments
    if (!is_whole && i % 2 == 0 && k >= std::floor(order) + 3) {
      const double last = sum.term(std::fabs(before) * std::fabs(at) / order, log_moment, off).upper;
      if (!(last < left_out && std::isfinite(sum.ends.upper))) break;
      left_out = last;
      best = {sum.ends.lower, sum.ends.upper + last * (1 + 1e-12)};  // proof: mean-moments
    }
    sum.add(sum.term(choices, log_moment, off));
  }
  if (is_whole) best = sum.ends;
  const auto logarithm = [&](double excess) {
    if (!(excess > 0)) return 0.0;
    const double log_excess = math::log(excess) + sum.scale;
    return log_excess > 40 ? log_excess + math::exp(-log_excess) : math::log1p(math::exp(log_excess));
  };
  const double low = logarithm(best.lower), high = logarithm(best.upper);
  const double off = 16 * u * (1 + std::fabs(sum.scale));
  return {low * (1 - off), high * (1 + off)};
}

}  // namespace hockeystick
