// SPDX-License-Identifier: Apache-2.0
#include "run/audit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/binomial.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// log((1 - miss - delta) / alarm), rounded down.
double log_odds(double miss, double alarm, double delta) {
  const double hit = down(down(1 - miss) - delta);  // proof: audit-counts
  if (!(hit > alarm)) return 0;
  const double value = math::log(down(hit / alarm));  // proof: audit-counts
  return std::max(0.0, value * (1 - 4 * u));          // proof: audit-counts
}

// The largest of (1/i) P[v - i <= X < v] over 1 <= i <= v, rounded up. Probabilities rise to the mode and then fall:
// once a falling probability is below the mean so far, the mean falls as well.
double largest_mean(const OneRun& run, const Chance& chance) {
  double k = run.correct - 1;
  const double mode = std::min(run.guesses, std::floor((run.guesses + 1) * chance.p));
  double low = std::min(k, mode);  // beyond the first place whose probability is a double, no place counts
  for (double high = k; log_binomial(k, run.guesses, chance).value < -650 && k > low;) {
    const double middle = std::floor((low + high) / 2);
    const bool is_small = log_binomial(middle, run.guesses, chance).value < -600;
    (is_small ? high : low) = middle;
    if (high - low <= 1) k = low;
  }
  const double skipped = run.correct - 1 - k;
  const Ball first = log_binomial(k, run.guesses, chance);
  double term = math::exp(first.value), sum = term, largest = sum / (skipped + 1), steps = 0;
  for (double i = skipped + 2; k > 0; ++i) {
    checkpoint_each<4096>(static_cast<std::size_t>(++steps));
    const double ratio = k / (run.guesses - k + 1) * (chance.q / chance.p);
    term *= ratio;
    sum += term;
    --k;
    if (ratio < 1 && term <= 0.5 * largest) break;  // or both are 0
    largest = std::max(largest, sum / i);
  }
  const double error = first.error + (14 * steps + 16) * u;  // proof: audit-one-run
  return largest * (1 + 2 * error) + 1e-250;                 // proof: audit-one-run
}

// A lower bound of F(y) = inf {x: g(x) >= y}, g the concave hull of the power curves of both directions: g(x) <= a x +
// H(a) for every a > 0, H the larger of both hockey-stick curves. H(e^-epsilon) = 1 - e^-epsilon + e^-epsilon
// H(e^epsilon).
class InversePower {
 public:
  InversePower(std::span<const double> epsilon, std::span<const double> delta) {
    for (std::size_t j = epsilon.size(); j-- > 0;) add({epsilon[j], delta[j], false});
    for (std::size_t j = 0; j < epsilon.size(); ++j) add({epsilon[j], delta[j], true});
  }

  /// For y that do not fall from one call to the next.
  double operator()(double y) {
    while (at_ + 1 < lines_.size() && lines_[at_ + 1].value(y) >= lines_[at_].value(y)) ++at_;
    return lines_.empty() ? 0 : std::max(0.0, lines_[at_].below(y));
  }

 private:
  // (y - H(a)) / a at a = e^epsilon, or at e^-epsilon where `steep`: 1 - H - (1 - y) e^epsilon.
  struct Line {
    double epsilon, delta;
    bool steep;

    double slope() const { return math::exp(steep ? epsilon : -epsilon); }
    double value(double y) const { return steep ? 1 - delta - (1 - y) * slope() : (y - delta) * slope(); }
    double below(double y) const {
      const double lost = 4 * u;
      if (!steep) return y <= delta ? 0 : down(down(y - delta) * slope()) * (1 - lost);  // proof: audit-one-run
      const double falls = up(up(1 - y) * slope()) * (y <= 1 ? 1 + lost : 1 - lost);     // proof: audit-one-run
      return down(down(1 - delta) - falls);                                              // proof: audit-one-run
    }
  };

  // Lines by their slope. Lines that are nowhere the largest are left out by rounded numbers: any choice of lines is
  // valid.
  void add(const Line& line) {
    if (!lines_.empty() && !(line.slope() > lines_.back().slope())) return;
    while (lines_.size() > 1 &&
           crossing(lines_[lines_.size() - 2], line) <= crossing(lines_[lines_.size() - 2], lines_.back()))
      lines_.pop_back();
    lines_.push_back(line);
  }
  static double crossing(const Line& a, const Line& b) { return (a.value(0) - b.value(0)) / (b.slope() - a.slope()); }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

AttackRates attack_rates(const AttackCounts& counts, double alpha) {
  const double with = counts.true_positives + counts.false_negatives;
  const double without = counts.false_positives + counts.true_negatives;
  return {with == 0 ? 0 : rate_below(counts.true_positives, with, alpha / 2),
          without == 0 ? 1 : rate_above(counts.false_positives, without, alpha / 2),
          with == 0 ? 1 : rate_above(counts.false_negatives, with, alpha / 2)};
}

double audited_epsilon(const AttackRates& rates, double delta) {
  return std::max(log_odds(rates.false_negatives, rates.false_positives, delta),
                  log_odds(rates.false_positives, rates.false_negatives, delta));
}

double audited_mu(const AttackRates& rates) {
  if (rates.false_negatives >= 1 || rates.false_positives >= 1) return 0;
  const double miss = upper_normal_quantile(rates.false_negatives).lower;
  return std::max(0.0, down(miss + upper_normal_quantile(rates.false_positives).lower));  // proof: audit-counts
}

double one_run_p_value(const OneRun& run, double epsilon, double delta) {
  const Chance chance = Chance::of_odds(epsilon);
  const double right = binomial_at_least(run.correct, run.guesses, chance).upper;
  if (delta == 0 || run.correct == 0) return right;
  const double failing = 2 * run.canaries * delta * largest_mean(run, chance) * (1 + 8 * u);  // proof: audit-one-run
  return std::min(1.0, up(right + failing));                                                  // proof: audit-one-run
}

double one_run_epsilon(const OneRun& run, double delta, double alpha) {
  const auto is_refuted = [&](double epsilon) { return one_run_p_value(run, epsilon, delta) < alpha; };
  if (!is_refuted(0)) return 0;
  double low = 0, high = 1;
  while (high < 700 && is_refuted(high)) low = high, high *= 2;
  return halved(low, high, 100, 0x1p-48, is_refuted).lower;
}

bool one_run_refutes(const OneRun& run, std::span<const double> epsilon, std::span<const double> delta, double alpha) {
  InversePower inverse(epsilon, delta);
  const double m = run.canaries, w = run.guesses, v = run.correct;
  const bool all = v == w;
  double c = all ? 0 : down(down(alpha * (w - v)) / m);                                     // proof: audit-one-run
  double r = all ? down(down(alpha * v) / m) : std::max(0.0, down(down(c * v) / (w - v)));  // proof: audit-one-run
  c = std::max(c, 0.0);
  r = std::max(r, 0.0);
  const double most = up(w / m);
  for (double i = v - 1; i >= 0; --i) {
    checkpoint_each<1024>(static_cast<std::size_t>(i));
    const double next = std::max(c, inverse(r));
    if (next == c) break;                                                 // from here on nothing changes
    r = std::max(r, down(r + down(down(i / (w - i)) * down(next - c))));  // proof: audit-one-run
    c = next;
    if (down(r + c) > most) return true;
  }
  return down(r + c) > most;
}

}  // namespace hockeystick
