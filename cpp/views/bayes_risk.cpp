// SPDX-License-Identifier: Apache-2.0
#include "views/bayes_risk.hpp"

#include <algorithm>
#include <optional>

#include "methods/budgeted.hpp"
#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/hockey_stick.hpp"
#include "views/curve_points.hpp"

namespace hockeystick {
namespace {

// The fraction of the prior down to which the width is relative.
constexpr double smallest_risk = 1e-6;

// The dataset that is at most as likely as the other has prior p. Where 1 - prior is used, the difference is exact.
double rarer(double prior) { return std::min(prior, 1 - prior); }

// Encloses delta at the log odds of each prior until each risk is as tight as asked. Where delta is near 1, the risk
// needs a smaller error of delta.
class RiskSolver {
 public:
  RiskSolver(std::span<const Direction> directions, std::vector<double> priors, const Limits& limits)
      : directions_(directions),
        limits_(limits),
        priors_(std::move(priors)),
        wanted_(priors_.size(), limits.tolerance / 4),
        deltas_(priors_.size()),
        open_(positions(priors_.size())) {
    for (Answer& delta : deltas_) delta.upper = 1;
  }

  std::vector<Answer> solve() {
    for (int round = 0; round < most_rounds && !open_.empty(); ++round) ask_round();
    std::vector<Answer> risks;
    for (std::size_t i = 0; i < priors_.size(); ++i) risks.push_back(risk(i));
    return risks;
  }

 private:
  void ask_round() {
    sort_by(open_, [&](std::size_t i) { return wanted_[i]; });
    std::vector<std::size_t> left;
    for (auto from = open_.begin(); from != open_.end();) {
      const auto to =
          std::find_if(from, open_.end(), [&](std::size_t i) { return wanted_[i] > alike * wanted_[*from]; });
      ask({&*from, static_cast<std::size_t>(to - from)}, left);
      from = to;
    }
    open_ = std::move(left);
  }

  void ask(std::span<const std::size_t> which, std::vector<std::size_t>& left) {
    std::vector<double> epsilons;
    for (const std::size_t i : which) epsilons.push_back(log_odds(priors_[i]));
    Limits limits = limits_;
    limits.tolerance = limits.enough = wanted_[which.front()];
    const std::vector<Answer> answers = delta_bounds(directions_, epsilons, limits);
    for (std::size_t k = 0; k < which.size(); ++k)
      if (take(which[k], answers[k])) left.push_back(which[k]);
  }

  // Whether some risk needs a tighter delta.
  bool take(std::size_t i, const Answer& found) {
    Answer& delta = deltas_[i];
    const Interval known = both({delta.lower, delta.upper}, {found.lower, found.upper});
    const double spent = delta.total_cost;
    delta = found;
    delta.lower = known.lower, delta.upper = known.upper, delta.total_cost += spent;
    const double allowed = limits_.tolerance * std::max(smallest_risk, 1 - delta.lower);
    delta.converged = delta.upper - delta.lower <= allowed;
    if (delta.converged || !found.converged) return false;
    wanted_[i] = std::max(least_tolerance, 0.5 * allowed);
    return true;
  }

  Answer risk(std::size_t i) const {
    Answer risk = deltas_[i];
    risk.lower = bayes_risk(priors_[i], deltas_[i].upper, Side::upper);
    risk.upper = bayes_risk(priors_[i], deltas_[i].lower, Side::lower);
    for (double* part : {&risk.discretization, &risk.truncation, &risk.wraparound, &risk.rounding}) *part *= priors_[i];
    if (risk.converged) risk.limited_by = {};
    if (!risk.converged && risk.limited_by.empty()) risk.limited_by = "rounding";
    return risk;
  }

  std::span<const Direction> directions_;
  Limits limits_;
  std::vector<double> priors_, wanted_;  // widths of delta
  std::vector<Answer> deltas_;
  std::vector<std::size_t> open_;
};

}  // namespace

double log_odds(double prior) { return std::max(0.0, math::log1p(-prior) - math::log(prior)); }

// An error of epsilon changes the risk by at most the same relative amount, and so does rounding: 4 u for log1p and for
// log, u for each difference, two roundings of the result. A subnormal product is off by at most half a subnormal
// number. The risk is at most the prior.
double bayes_risk(double prior, double delta, Side side) {
  const double slack = 16 * (1 + log_odds(prior)) * u;  // proof: bayes-risk
  const double risk = prior * (1 - delta);
  if (side == Side::lower) return std::min(prior, risk * (1 + slack) + 2 * smallest_subnormal);
  return std::max(0.0, risk * (1 - slack) - 2 * smallest_subnormal);  // proof: bayes-risk
}

std::vector<Answer> bayes_risk_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                      std::span<const double> priors, const Limits& limits) {
  check_question(directions, limits);
  check_question(reverses, limits);
  check_each("prior", priors, ranges::inner_probability);
  std::vector<Answer> risks(priors.size());
  const auto solve = [&](std::span<const Direction> asked, auto&& is_asked) {
    std::vector<std::size_t> which;
    std::vector<double> rare;
    for (std::size_t i = 0; i < priors.size(); ++i)
      if (is_asked(priors[i])) which.push_back(i), rare.push_back(rarer(priors[i]));
    if (which.empty()) return;
    const std::vector<Answer> found = RiskSolver(asked, std::move(rare), limits).solve();
    for (std::size_t k = 0; k < which.size(); ++k) risks[which[k]] = found[k];
  };
  solve(directions, [&](double prior) { return prior <= 0.5 || reverses.empty(); });
  if (!reverses.empty()) solve(reverses, [](double prior) { return prior > 0.5; });
  return risks;
}

void bayes_risks(const LossPmf& pmf, const LossPmf& reverse, std::span<const double> priors, std::span<double> risks) {
  std::optional<CurveTable> curve, reversed;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    checkpoint_each<64>(i);
    auto& table = priors[i] <= 0.5 ? curve : reversed;
    if (!table) table.emplace(priors[i] <= 0.5 ? pmf : reverse);
    const double prior = rarer(priors[i]);
    risks[i] = bayes_risk(prior, table->delta(log_odds(prior)).value, pmf.side);
  }
}

}  // namespace hockeystick
