// SPDX-License-Identifier: Apache-2.0
// Toeplitz matrices, whose columns are shifts of the first one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanisms/gaussian/matrix_sensitivity.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

constexpr double least = 0x1p-120;     // smaller coefficients count as that above, as 0 below
constexpr std::int64_t few = 512;      // steps of which all pairs of columns are looked at, about 0.1 s
constexpr double most_products = 4e8;  // twice those of correlations, about 0.3 s
constexpr double twofold_error = 0x1p-97;

// The sum over t of (c_t + c_(t - b) + ...)^2, of at most `count` terms each: the columns 0, b, 2 b, ... added up. c
// has no negative entry. In two doubles, by sums of blocks of `count` from their ends, so that nothing cancels.
Interval of_equal_shifts(std::span<const double> column, std::int64_t steps, std::int64_t b, std::int64_t count) {
  const auto at = [&](std::int64_t t) {
    return t < static_cast<std::int64_t>(column.size()) ? Twofold{column[static_cast<std::size_t>(t)], 0}
                                                        : Twofold{0, 0};
  };
  Twofold total{0, 0};
  std::vector<Twofold> chain, before, after;
  for (std::int64_t first = 0; first < std::min(b, steps); ++first) {
    checkpoint_each<64>(static_cast<std::size_t>(first));
    chain.clear();
    for (std::int64_t t = first; t < steps; t += b) chain.push_back(at(t));
    const auto n = static_cast<std::int64_t>(chain.size());
    before.assign(chain.size(), {0, 0});
    after.assign(chain.size(), {0, 0});
    for (std::int64_t i = 0; i < n; ++i)
      before[static_cast<std::size_t>(i)] =
          i % count == 0 ? chain[static_cast<std::size_t>(i)]
                         : add(before[static_cast<std::size_t>(i - 1)], chain[static_cast<std::size_t>(i)]);
    for (std::int64_t i = n - 1; i >= 0; --i)
      after[static_cast<std::size_t>(i)] =
          i == n - 1 || (i + 1) % count == 0
              ? chain[static_cast<std::size_t>(i)]
              : add(chain[static_cast<std::size_t>(i)], after[static_cast<std::size_t>(i + 1)]);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t from = i - count + 1;
      Twofold sum = before[static_cast<std::size_t>(i)];
      if (from > 0 && from % count != 0) sum = add(sum, after[static_cast<std::size_t>(from)]);
      total = add(total, multiply(sum, sum));
    }
  }
  if (total.hi == 0) return {0, 0};
  const double error = (static_cast<double>(steps) + 4.0 * static_cast<double>(count) + 16) *
                       twofold_error;  // proof: matrix-sensitivity
  return {std::max(0.0, down(total.hi * (1 - error - unit_roundoff))),
          up(total.hi * (1 + error + 2 * unit_roundoff))};  // proof: matrix-sensitivity
}

std::vector<double> magnitudes(std::span<const double> lower, std::span<const double> upper, bool above) {
  std::vector<double> result;
  for (std::size_t t = 0; t < lower.size(); ++t) {
    const double larger = std::max(std::fabs(lower[t]), std::fabs(upper[t]));
    const double smaller = lower[t] > 0 ? lower[t] : upper[t] < 0 ? -upper[t] : 0.0;
    const double x = above ? larger : smaller;
    result.push_back(x >= least || x == 0 ? x : above ? least : 0.0);
  }
  return result;
}

bool falls_by_itself(std::span<const double> lower, std::span<const double> upper) {
  for (std::size_t t = 0; t < lower.size(); ++t)
    if (lower[t] < 0 || (t > 0 && upper[t] > lower[t - 1])) return false;
  return true;
}

// All columns written out, between the ends of their entries.
Interval written_out(std::span<const double> column, std::int64_t steps, const Participation& schedule) {
  const auto n = static_cast<std::size_t>(steps);
  std::vector<double> entries(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n && i - j < column.size(); ++i) entries[i * n + j] = column[i - j];
  return matrix_sensitivity_squared({entries, n, n}, schedule);
}

// Lower bound of the sum of X_ii over columns 0, b, 2 b, ...: the mean over all signs.
double of_squares(std::span<const double> column, std::int64_t steps, std::int64_t b, std::int64_t count) {
  std::vector<double> sums{0};
  for (const double x : column) sums.push_back(std::max(sums.back(), down(sums.back() + down(x * x))));
  double total = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const auto length = std::min(sums.size() - 1, static_cast<std::size_t>(steps - j * b));
    total = std::max(total, down(total + sums[length]));  // proof: matrix-sensitivity
  }
  return total;
}

// Upper bound of |X_ij| of columns d apart. Each is a sum of c_t c_(t + d) up to some t.
double correlation(std::span<const double> column, std::size_t d) {
  double sum = 0, absolute = 0, most = 0;
  for (std::size_t t = 0; t + d < column.size(); ++t) {
    const double product = column[t] * column[t + d];
    sum += product, absolute += std::fabs(product);
    most = std::max(most, std::fabs(sum));
  }
  const auto terms = static_cast<double>(column.size());
  const double error = absolute * (1 + gamma(terms + 4)) * gamma(terms + 4);
  return up(up(most + up(error)) + 4 * terms * smallest_subnormal);  // proof: matrix-sensitivity
}

// Of `count` steps b apart: pairs that are the g-th next of each other are g b or more apart, and count - g of them.
double by_correlations(std::span<const double> column, std::int64_t b, std::int64_t count) {
  std::vector<double> most(static_cast<std::size_t>(count) + 1, 0.0);
  for (auto d = static_cast<std::size_t>(b); d < column.size(); ++d) {
    checkpoint_each<8>(d);
    double& largest = most[static_cast<std::size_t>(std::min(static_cast<std::int64_t>(d) / b, count - 1))];
    largest = std::max(largest, correlation(column, d));
  }
  double sum = up(static_cast<double>(count) * correlation(column, 0)), farther = 0;
  for (std::int64_t g = count - 1; g > 0; --g) {
    farther = std::max(farther, most[static_cast<std::size_t>(g)]);
    sum = up(sum + up(2 * static_cast<double>(count - g) * farther));  // proof: matrix-sensitivity
  }
  return sum;
}

}  // namespace

Interval toeplitz_sensitivity_squared(std::span<const double> lower, std::span<const double> upper, std::int64_t steps,
                                      const Participation& schedule, bool falls) {
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(steps, static_cast<std::int64_t>(lower.size())));
  lower = lower.first(length), upper = upper.first(length);
  const std::int64_t b = std::min(schedule.separation, steps);
  const std::int64_t count = std::min(schedule.participations, (steps + b - 1) / b);
  std::vector<double> above = magnitudes(lower, upper, true);
  const std::vector<double> below = magnitudes(lower, upper, false);
  const bool is_exact = falls || falls_by_itself(lower, upper);
  // Columns b apart that do not meet are orthogonal, whatever their signs, and the first ones are the longest.
  const bool is_apart = static_cast<std::int64_t>(length) <= b || count == 1;
  if (is_exact || is_apart)
    return {of_equal_shifts(below, steps, b, count).lower, of_equal_shifts(above, steps, b, count).upper};
  bool is_positive = true;
  for (const double x : lower) is_positive = is_positive && x >= 0;
  double least_of_all =
      is_positive ? of_equal_shifts(below, steps, b, count).lower : of_squares(below, steps, b, count);
  for (std::size_t t = above.size(); t-- > 1;)
    above[t - 1] = std::max(above[t - 1], above[t]);  // proof: matrix-sensitivity
  double most = of_equal_shifts(above, steps, b, count).upper;
  const bool is_given = std::equal(lower.begin(), lower.end(), upper.begin());
  const auto apart = static_cast<double>(static_cast<std::int64_t>(length) - b);
  if (is_given && apart * apart <= most_products) most = std::min(most, by_correlations(lower, b, count));
  if (steps <= few && is_given) {
    const Interval known = written_out(lower, steps, {b, count});
    most = std::min(most, known.upper);
    least_of_all = std::max(least_of_all, known.lower);
  }
  return {std::min(least_of_all, most), most};
}

// Powers of theta in two doubles; powers below `least` count as `least` above, and as 0 below.
Column buffered_column(std::span<const double> omega, std::span<const double> theta, std::int64_t steps) {
  const auto n = static_cast<std::size_t>(steps);
  std::vector<Twofold> power(theta.size(), {1, 0});
  Column column{{1}, {1}};
  for (std::size_t t = 1; t < n; ++t) {
    checkpoint_each<1024>(t);
    const double error = (4 * static_cast<double>(t) + 4 * static_cast<double>(theta.size()) + 16) *
                         twofold_error;  // proof: matrix-sensitivity
    double low = 0, high = 0;
    for (std::size_t l = 0; l < theta.size(); ++l) {
      const bool is_gone = power[l].hi < least;
      const double weight = std::fabs(omega[l]);
      const double up_to = is_gone ? (power[l].hi == 0 ? 0 : up(weight * least))
                                   : up(up(weight * up(power[l].hi)) * (1 + error));  // proof: matrix-sensitivity
      const double from =
          is_gone ? 0 : down(down(weight * down(power[l].hi)) * (1 - error));  // proof: matrix-sensitivity
      high = omega[l] > 0 ? up(high + up_to) : up(high - from);
      low = omega[l] > 0 ? down(low + from) : down(low - up_to);
      if (!is_gone) power[l] = multiply(power[l], {theta[l], 0});
    }
    column.lower.push_back(low);
    column.upper.push_back(high);
  }
  return column;
}

}  // namespace hockeystick
