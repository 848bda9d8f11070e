// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/matrix_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double most_work = 1e9;               // additions of one dynamic program, about a second
constexpr std::int64_t most_listed = 20000000;  // additions of a listing of sets of steps, about 0.1 s

using Steps = std::vector<std::size_t>;

// X_ij and |X_ij|, i <= j: `value` within `error` of X_ij.
class Gram {
 public:
  explicit Gram(const Matrix& matrix) : size_(matrix.columns), value_(size_ * size_), error_(size_ * size_) {
    std::vector<double> absolute(size_ * size_);
    for (std::size_t r = 0; r < matrix.rows; ++r)
      for (std::size_t i = 0; i < size_; ++i) {
        const double left = matrix(r, i);
        if (left == 0) continue;
        checkpoint_each<64>(i);
        for (std::size_t j = i; j < size_; ++j) {
          const double right = matrix(r, j), product = left * right;
          value_[i * size_ + j] += product;
          if (right != 0) absolute[i * size_ + j] += std::fabs(product) + smallest_subnormal;
        }
      }
    const double relative = gamma(static_cast<double>(matrix.rows) + 2);
    const double underflow = 2 * smallest_subnormal * static_cast<double>(matrix.rows);
    for (std::size_t k = 0; k < absolute.size(); ++k)
      error_[k] = absolute[k] == 0
                      ? 0
                      : up(up(absolute[k] * (1 + relative)) * relative) + underflow;  // proof: matrix-sensitivity
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        value_[i * size_ + j] = value_[j * size_ + i];
        error_[i * size_ + j] = error_[j * size_ + i];
      }
  }

  std::size_t size() const { return size_; }
  Interval at(std::size_t i, std::size_t j) const {
    const std::size_t k = i * size_ + j;
    return {down(value_[k] - error_[k]), up(value_[k] + error_[k])};  // proof: matrix-sensitivity
  }
  double above(std::size_t i, std::size_t j) const {
    const std::size_t k = i * size_ + j;
    return value_[k] == 0 && error_[k] == 0 ? 0 : up(std::fabs(value_[k]) + error_[k]);  // proof: matrix-sensitivity
  }
  bool is_zero(std::size_t i, std::size_t j) const { return value_[i * size_ + j] == 0 && error_[i * size_ + j] == 0; }

 private:
  std::size_t size_;
  std::vector<double> value_, error_;
};

// The largest sum of values >= 0 at steps that are `separation` apart, one for each participation, rounded up or down.
// `limited`: whether the number of participations counts.
double best_sum(std::span<const double> value, const Participation& schedule, bool is_upper) {
  const std::size_t n = value.size(), b = static_cast<std::size_t>(schedule.separation);
  const std::int64_t fits = static_cast<std::int64_t>((n + b - 1) / std::min(b, std::max<std::size_t>(n, 1)));
  const bool limited = schedule.participations < fits &&
                       (!is_upper || static_cast<double>(n) * static_cast<double>(schedule.participations) < most_work);
  const auto plus = [&](double a, double x) {
    const double sum = a + x;
    return sum == a || sum == x ? sum : is_upper ? up(sum) : down(sum);  // proof: matrix-sensitivity
  };
  std::vector<double> before(n + 1, 0.0), best(n + 1, 0.0);
  const std::int64_t rounds = limited || !is_upper ? std::min(schedule.participations, fits) : 1;
  for (std::int64_t round = 0; round < rounds; ++round) {
    checkpoint_each<64>(static_cast<std::size_t>(round));
    const bool once = !limited && (is_upper || schedule.participations >= fits);
    for (std::size_t i = n; i-- > 0;) {
      const std::size_t next = std::min(n, i + b);
      best[i] = std::max(best[i + 1], plus(value[i], once ? best[next] : before[next]));
    }
    if (once) break;
    before = best;
  }
  return best[0];
}

// Steps apart that a greedy choice takes: each time the step that adds most.
Steps greedy(const Gram& gram, const Participation& schedule) {
  const std::size_t n = gram.size(), b = static_cast<std::size_t>(schedule.separation);
  std::vector<double> gain(n);
  for (std::size_t i = 0; i < n; ++i) gain[i] = gram.above(i, i);
  std::vector<bool> is_free(n, true);
  Steps chosen;
  while (static_cast<std::int64_t>(chosen.size()) < schedule.participations) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i)
      if (is_free[i] && (best == n || gain[i] > gain[best])) best = i;
    if (best == n) break;
    chosen.push_back(best);
    for (std::size_t i = 0; i < n; ++i) {
      if ((i > best ? i - best : best - i) < b) is_free[i] = false;
      gain[i] += 2 * gram.above(i, best);
    }
  }
  return chosen;
}

// A lower bound of the sum that these steps reach with signs, which are chosen one by one and then turned while that
// helps.
double reached(const Gram& gram, const Steps& steps) {
  std::vector<double> sign(steps.size(), 1.0);
  const auto pull = [&](std::size_t a) {
    double sum = 0;
    for (std::size_t c = 0; c < steps.size(); ++c)
      if (c != a) sum += sign[c] * gram.at(steps[a], steps[c]).lower;
    return sum;
  };
  for (int round = 0; round < 20; ++round) {
    bool turned = false;
    for (std::size_t a = 0; a < steps.size(); ++a)
      if (sign[a] * pull(a) < 0) sign[a] = -sign[a], turned = true;
    if (!turned) break;
  }
  CompensatedSum sum;
  for (std::size_t a = 0; a < steps.size(); ++a)
    for (std::size_t c = 0; c < steps.size(); ++c) {
      const Interval x = gram.at(steps[a], steps[c]);
      sum.add(sign[a] * sign[c] > 0 ? x.lower : -x.upper);  // proof: matrix-sensitivity
    }
  return std::max(0.0, down(sum.value() - sum.error_bound()));
}

// All sets of steps apart, depth first, with |X_ij|; false where there are too many.
class Listing {
 public:
  Listing(const Gram& gram, const Participation& schedule, std::span<const double> most)
      : gram_(gram), schedule_(schedule), most_(most) {}

  bool run() {
    next(0, 0);
    return work_ <= most_listed;
  }
  double value() const { return best_; }
  const Steps& steps() const { return best_steps_; }

 private:
  void next(std::size_t from, double value) {
    checkpoint_each<4096>(static_cast<std::size_t>(++nodes_));
    if (value > best_) best_ = value, best_steps_ = chosen_;
    work_ += static_cast<std::int64_t>(chosen_.size()) + 1;
    if (work_ > most_listed || static_cast<std::int64_t>(chosen_.size()) == schedule_.participations) return;
    // The sum of the terms at i and after it is at most `most` of i.
    for (std::size_t i = from; i < gram_.size() && up(value + most_[i]) > best_; ++i) {
      double more = value;
      for (const std::size_t j : chosen_) more = up(more + 2 * gram_.above(i, j));  // proof: matrix-sensitivity
      more = up(more + gram_.above(i, i));                                          // proof: matrix-sensitivity
      chosen_.push_back(i);
      next(std::min(gram_.size(), i + static_cast<std::size_t>(schedule_.separation)), more);
      chosen_.pop_back();
    }
  }

  const Gram& gram_;
  const Participation& schedule_;
  std::span<const double> most_;
  Steps chosen_, best_steps_;
  double best_ = 0;
  std::int64_t nodes_ = 0, work_ = 0;
};

// For each step, |X_ii| and the best sum of |X_ij| over other steps apart from it.
std::vector<double> best_rows(const Gram& gram, const Participation& schedule) {
  const std::size_t n = gram.size(), b = static_cast<std::size_t>(schedule.separation);
  std::vector<double> rows(n), other(n);
  for (std::size_t i = 0; i < n; ++i) {
    checkpoint_each<8>(i);
    for (std::size_t j = 0; j < n; ++j) other[j] = (i > j ? i - j : j - i) < b ? 0.0 : gram.above(i, j);
    Participation rest = schedule;
    --rest.participations;
    if (static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(rest.participations) > most_work)
      rest.participations = static_cast<std::int64_t>(n);
    rows[i] = up(gram.above(i, i) +
                 (rest.participations == 0 ? 0 : best_sum(other, rest, true)));  // proof: matrix-sensitivity
  }
  return rows;
}

bool may_meet(const Gram& gram, std::size_t separation) {
  for (std::size_t i = 0; i < gram.size(); ++i)
    for (std::size_t j = i + separation; j < gram.size(); ++j)
      if (!gram.is_zero(i, j)) return true;
  return false;
}

}  // namespace

Interval root(const Interval& squared) {
  return {std::max(0.0, down(std::sqrt(std::max(0.0, squared.lower)))),
          squared.upper == 0 ? 0 : up(std::sqrt(squared.upper))};  // proof: matrix-sensitivity
}

std::vector<Interval> column_squares(const Matrix& matrix) {
  std::vector<Interval> squares;
  for (std::size_t j = 0; j < matrix.columns; ++j) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      const double x = matrix(i, j);
      if (std::fabs(x) < 0x1p-480) {  // whose square two doubles do not hold
        sum.add(x == 0 ? 0.0 : 0x1p-960);
        continue;
      }
      const TwoParts square = two_product(x, x);
      sum.add(square.value);
      sum.add(square.error);
    }
    const double error = sum.error_bound() + static_cast<double>(matrix.rows) * 0x1p-960;
    squares.push_back({std::max(0.0, down(sum.value() - error)),
                       sum.value() == 0 ? 0 : up(sum.value() + error)});  // proof: matrix-sensitivity
  }
  return squares;
}

Interval matrix_sensitivity_squared(const Matrix& matrix, const Participation& schedule) {
  const Gram gram(matrix);
  const std::size_t n = gram.size(), b = static_cast<std::size_t>(
                                         std::min<std::int64_t>(schedule.separation, static_cast<std::int64_t>(n)));
  const Participation own{static_cast<std::int64_t>(b), schedule.participations};
  if (!may_meet(gram, b) || schedule.participations == 1) {
    std::vector<double> low, high;
    for (const Interval& square : column_squares(matrix)) low.push_back(square.lower), high.push_back(square.upper);
    return {best_sum(low, own, false), best_sum(high, own, true)};
  }
  const std::vector<double> rows = best_rows(gram, own);
  double upper = best_sum(rows, own, true), lower = reached(gram, greedy(gram, own));
  // The most that a step and all later ones add: 2 R_j for each, in the best sum of at most the given number of them.
  std::vector<double> most(n + 1, 0.0);
  for (std::size_t i = n; i-- > 0;)
    most[i] = std::max(most[i + 1], up(2 * rows[i] + most[std::min(n, i + b)]));  // proof: matrix-sensitivity
  Listing listing(gram, own, most);
  const bool is_listed = listing.run();
  if (is_listed) upper = std::min(upper, listing.value());
  lower = std::max(lower, reached(gram, listing.steps()));
  return {std::min(lower, upper), upper};
}

}  // namespace hockeystick
