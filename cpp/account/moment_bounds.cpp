// SPDX-License-Identifier: Apache-2.0
#include "account/moment_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "account/merge.hpp"
#include "account/renyi_slope.hpp"
#include "discretize/loss_integral.hpp"
#include "numeric/checkpoint.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_cells = 0x1p21;
constexpr IntegralBounds unknown{-infinity, infinity};

IntegralBounds both(const IntegralBounds& a, const IntegralBounds& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

// One pair cut finely where its loss has mass; `fineness` cells between two nodes.
class CutPair {
 public:
  CutPair(const DominatingPair& pair, int fineness) : pair_(pair), law_(pair.finite_law()), nodes_(pair.nodes()) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < nodes_.loss.size(); ++i) {
      const double loss = nodes_.loss[i], log_mass = nodes_.log_mass[i];
      // So small a P-mass is lost in binary64; of losses below 0 only the Q-mass counts.
      const bool matters = loss > 0 ? log_mass > -690 : log_mass - loss > -90;
      if (matters && (kept.empty() || loss > kept.back() + 1e-9 * (1 + std::fabs(loss)))) kept.push_back(loss);
    }
    if (kept.empty()) kept.push_back(0);  // no finite loss has mass
    // Strictly beyond a bounded loss.
    const double pad = 1e-6 * (1 + std::fabs(kept.front()) + std::fabs(kept.back()));
    kept.insert(kept.begin(), std::max(kept.front() - 1, pair.loss_infimum() - pad));
    kept.push_back(std::min(kept.back() + 1, pair.loss_supremum() + pad));
    if (!(kept.back() > kept[kept.size() - 2])) kept.pop_back();
    edges_.push_back(kept.front());
    for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
      const double gap = kept[i + 1] - kept[i];
      const int parts = static_cast<int>(std::clamp(std::ceil(gap * 1.01), 1.0 * fineness, 1e6));
      for (int j = 1; j <= parts; ++j) {
        const double edge = j < parts ? kept[i] + gap * j / parts : kept[i + 1];
        if (edge > edges_.back()) edges_.push_back(edge);
      }
    }
    cells_ = pair.integrate(edges_);
  }

  double cells() const { return static_cast<double>(edges_.size()); }

  /// log E_P[e^(t L)], t > 0.
  IntegralBounds log_moment(double t) const {
    if (std::isinf(unlisted(t))) return {cells_.infinity_mass_lower > 0 ? infinity : -infinity, infinity};
    // In units of e^scale, so that nothing overflows.
    const double scale = log_scale(t), beyond = beyond_top(t) + unlisted(t);
    const LossFunction plain{[=](double l) { return std::exp(t * l - scale); },
                             [=](double l) { return t * std::exp(t * l - scale); }, -infinity,
                             [](double) { return 0.0; }, [=](double l) { return std::exp((t + 1) * l - scale); }};
    const double off = law_ ? law_->loss_error : 0;
    const IntegralBounds direct = integral(plain, [&](double l) { return plain.value(l) * std::expm1(t * off); });
    const double low = std::log(direct.lower), high = std::log(direct.upper + beyond * std::exp(-scale) * (1 + 8 * u));
    // The exponents t l - scale are rounded: by 4 u of the largest in all.
    const double largest = t * std::max(std::fabs(top()), std::fabs(edges_.front())) + std::fabs(scale);
    IntegralBounds result{direct.lower > 0 ? scale + low - 8 * u * (largest + std::fabs(low) + 1) : -infinity,
                          scale + high + 8 * u * (largest + std::fabs(high) + 1)};
    if (t * top() > 300) return result;
    // x^a - 1 - a (x - 1), a = t + 1, of which E_Q is one less: nothing cancels where t is small.
    const LossFunction centred{[=](double l) { return exp_excess(t * l) + t * exp_excess(-l); },
                               [=](double l) { return std::fabs(t * (std::exp(t * l) - std::exp(-l))) + tiny_slope; },
                               -infinity, [](double) { return 0.0; },
                               [=](double l) { return std::max(t, std::exp((t + 1) * std::max(0.0, l))); }};
    const IntegralBounds rest = loss_integral(cells_, edges_, centred);
    return both(result,
                {std::log1p(std::max(0.0, rest.lower)) * (1 - 8 * u), std::log1p(rest.upper + beyond) * (1 + 8 * u)});
  }

  /// E_P[L]: the Kullback-Leibler divergence.
  IntegralBounds mean() const {
    if (std::isinf(unlisted(1))) return {cells_.infinity_mass_lower > 0 ? infinity : -infinity, infinity};
    const double beyond = beyond_top(1) + unlisted(1);  // L <= e^L
    const LossFunction plain{[](double l) { return l; }, [](double) { return 1.0; }, -infinity,
                             [](double e) { return e < -1 ? e * std::exp(e) : -0.3679; },
                             [](double e) { return std::max(0.0, e * std::exp(e)); }};
    const LossFunction centred{[](double l) { return exp_excess(-l); },
                               [=](double l) { return std::fabs(std::expm1(-l)) + tiny_slope; }, -infinity,
                               [](double) { return 0.0; }, [](double e) { return std::max(1.0, e * std::exp(e)); }};
    const IntegralBounds direct = integral(plain, [&](double) { return law_->loss_error; });
    const IntegralBounds rest = loss_integral(cells_, edges_, centred);
    // x log x >= -1 / e.
    return both({direct.lower - 0.3679 * unlisted(1), direct.upper + beyond},
                {std::max(0.0, rest.lower), rest.upper + beyond});
  }

  /// E_P[(L - mean)^2] by way of (L - c)^2, c in the middle of the mean's bounds. x (log x - c)^2 is convex
  /// for log x > c - 1, and it peaks below at 4 e^(c - 2) where log x = c - 2.
  IntegralBounds variance() const {
    const IntegralBounds average = mean();
    if (average.lower == infinity) return average;
    if (!(std::isfinite(average.lower) && std::isfinite(average.upper))) return unknown;
    const double c = average.lower + (average.upper - average.lower) / 2;
    const LossFunction square{[=](double l) { return (l - c) * (l - c); },
                              [=](double l) { return 2 * std::fabs(l - c) + tiny_slope; }, c - 1,
                              [](double) { return 0.0; },
                              [=](double e) {
                                const double at = std::exp(e) * (e - c) * (e - c);
                                return e < c - 2 ? at : std::max(at, 4 * std::exp(c - 2));
                              }};
    const IntegralBounds around = integral(square, [&](double l) {
      const double error = law_->loss_error;
      return error * (2 * std::fabs(l - c) + error) * (1 + 4 * u);
    });
    const double off = (average.upper - average.lower) / 2 * (1 + 1e-9);
    // y^2 <= 2 e^y for y >= 0.
    const double beyond = top() >= c ? 2 * std::exp(-c) * beyond_top(1) * (1 + 1e-12) : infinity;
    const double hidden = (2 * std::exp(-c) + 4 * std::exp(c - 2)) * unlisted(1) * (1 + 1e-12);
    return {std::max(0.0, around.lower - off * off), around.upper + beyond + hidden};
  }

 private:
  // By cells, and by the sum where the law is a list: that knows the Q-mass at -inf from that of finite losses.
  IntegralBounds integral(const LossFunction& function, const std::function<double(double)>& change) const {
    const IntegralBounds by_cells = loss_integral(cells_, edges_, function);
    return law_ ? both(by_cells, listed_integral(*law_, function.value, change)) : by_cells;
  }

  // So that a slope that vanishes at an edge is not taken to be exactly 0.
  static constexpr double tiny_slope = 1e-300;
  double top() const { return edges_.back(); }

  // Where e^(t L) is largest by mass.
  double log_scale(double t) const {
    double scale = -infinity;
    for (std::size_t i = 0; i < nodes_.loss.size(); ++i)
      scale = std::max(scale, nodes_.log_mass[i] + t * nodes_.loss[i]);
    return scale;
  }

  // What the outcomes that the cells count at +inf, though their losses are finite, add to an integral at most.
  double unlisted(double t) const { return cells_.infinity_mass > 0 ? pair_.unlisted_moment_bound(t) : 0; }

  // Upper bound of E_P[e^(t L); top < L < inf], for a top >= 0.
  double beyond_top(double t) const {
    if (top() < 0) return infinity;
    const double mass = cells_.upper_tail_p * (1 + cells_.mass_error) + 1e-300;
    const double by_supremum =
        std::isfinite(pair_.loss_supremum()) ? mass * std::exp(t * pair_.loss_supremum()) : infinity;
    return std::min(pair_.tail_moment_bound(top(), t), by_supremum * (1 + 1e-12));
  }
  const DominatingPair& pair_;
  std::optional<FiniteLaw> law_;
  LossNodes nodes_;
  std::vector<double> edges_;
  PairCells cells_;
};

// One step's moment from a pair cut up, and the closed form of a Gaussian of that mu.
struct Moment {
  std::function<IntegralBounds(const CutPair&)> of_step;
  double gaussian_factor;  // times mu^2
};

// One direction, and its pairs as far as they have been cut: many orders share the cells.
class CutDirection {
 public:
  explicit CutDirection(const Direction& asked) : merged_(merge_gaussians(asked)) {}

  /// A moment's sum over the steps; `cells`: the most that a pair was cut into.
  IntegralBounds total(const Moment& moment, int fineness, double& cells) {
    IntegralBounds sum{0, 0};
    cells = 0;
    for (std::size_t j = 0; j < merged_.terms.size(); ++j) {
      const Term& term = merged_.terms[j];
      const auto count = static_cast<double>(term.count);
      IntegralBounds step;
      if (const double mu = term.pair->gaussian_mu(); mu > 0) {
        const double value = mu * mu * moment.gaussian_factor;
        const double error = 2 * merged_.mu_error + 16 * u;
        step = {value * (1 - error), value * (1 + error)};
      } else {
        const auto pair = cut(j, fineness);
        cells = std::max(cells, pair->cells());
        step = moment.of_step(*pair);
      }
      sum.lower += step.lower * count * (1 - 8 * u * (step.lower > 0 ? 1 : -1));
      sum.upper += step.upper * count * (1 + 8 * u);
    }
    const double error = 4 * u * static_cast<double>(merged_.terms.size());
    if (std::isinf(sum.lower)) return {sum.lower, infinity};
    return {sum.lower - error * std::fabs(sum.lower), sum.upper + error * std::fabs(sum.upper)};
  }

 private:
  static constexpr double most_kept = 0x1p20;  // cells in all

  std::shared_ptr<const CutPair> cut(std::size_t term, int fineness) {
    const auto found = cut_.find({term, fineness});
    if (found != cut_.end()) return found->second;
    auto pair = std::make_shared<const CutPair>(*merged_.terms[term].pair, fineness);
    if (kept_ + pair->cells() > most_kept) return pair;
    kept_ += pair->cells();
    return cut_[{term, fineness}] = std::move(pair);
  }

  MergedDirection merged_;
  std::map<std::pair<std::size_t, int>, std::shared_ptr<const CutPair>> cut_;
  double kept_ = 0;
};

// Finer and finer cells until the sum is as tight as asked.
Answer refined(CutDirection& direction, const Moment& moment, const Limits& limits) {
  Answer answer;
  answer.upper = infinity;
  answer.met = false;
  double previous = infinity;
  for (int fineness = 8; !answer.met; fineness *= 4) {
    checkpoint();
    double cells = 0;
    const IntegralBounds bounds = direction.total(moment, fineness, cells);
    answer.lower = std::max(answer.lower, bounds.lower);
    answer.upper = std::max(answer.lower, std::min(answer.upper, bounds.upper));
    answer.passes += 1;
    answer.met = is_within(answer, limits.tolerance);
    if (answer.met) break;
    const double gap = answer.upper - answer.lower;
    if (!(gap < 0.9 * previous) && fineness > 8) answer.obstacle = "rounding";
    if (answer.obstacle.empty() && 4 * cells > most_cells) answer.obstacle = "passes";
    if (!std::isfinite(answer.upper)) answer.obstacle = "rounding";
    if (!answer.obstacle.empty()) break;
    previous = gap;
  }
  return answer;
}

Answer worse(const Answer& a, const Answer& b, double tolerance) {
  Answer result = b.upper > a.upper ? b : a;
  result.lower = std::max(a.lower, b.lower);
  result.met = (a.met && b.met) || is_within(result, tolerance);
  result.obstacle = result.met ? "" : a.obstacle.empty() ? b.obstacle : a.obstacle;
  return result;
}

std::vector<CutDirection> cut_later(std::span<const Direction> directions) {
  return {directions.begin(), directions.end()};
}

Answer worst(std::span<CutDirection> directions, const Moment& moment, const Limits& limits) {
  Answer result;
  for (CutDirection& direction : directions)
    result = worse(result, refined(direction, moment, limits), limits.tolerance);
  return result;
}

Moment renyi_moment(double order) {
  const double t = order - 1;
  if (!(t > 0)) return {[](const CutPair& cut) { return cut.mean(); }, 0.5};
  return {[t](const CutPair& cut) {
            const IntegralBounds log = cut.log_moment(t);
            return IntegralBounds{log.lower / t * (1 - 4 * u * (log.lower > 0 ? 1 : -1)), log.upper / t * (1 + 4 * u)};
          },
          order / 2};
}

// Sums of the pairs' own bounds of D_a / a.
IntegralBounds slopes_beyond(const Direction& direction, double order) {
  IntegralBounds sum{0, 0};
  for (const Term& term : direction) {
    const auto count = static_cast<double>(term.count);
    sum.lower += count * term.pair->renyi_slope_limit() * (1 - 8 * u);
    sum.upper += count * term.pair->renyi_slope_bound(order) * (1 + 8 * u);
  }
  return sum;
}

Answer zcdp(const Direction& direction, CutDirection& cut, double largest, const Limits& limits) {
  const Limits finer{0.3 * limits.tolerance, limits.memory_limit};
  const auto renyi = [&](double order) { return refined(cut, renyi_moment(order), finer); };
  const auto beyond = [&](double order) {
    const IntegralBounds slope = slopes_beyond(direction, order);
    return CertifiedInterval{slope.lower, slope.upper};
  };
  return largest_renyi_slope(renyi, beyond, largest, limits.tolerance);
}

}  // namespace

std::vector<Answer> renyi_bounds(std::span<const Direction> directions, std::span<const double> orders,
                                 const Limits& limits) {
  check_floating_point_environment();
  std::vector<CutDirection> cut = cut_later(directions);
  std::vector<Answer> answers;
  for (const double order : orders) answers.push_back(worst(cut, renyi_moment(order), limits));
  return answers;
}

std::vector<Answer> loss_variance_bounds(std::span<const Direction> directions, std::span<const double> unused,
                                         const Limits& limits) {
  check_floating_point_environment();
  const Moment variance{[](const CutPair& cut) { return cut.variance(); }, 1};
  std::vector<CutDirection> cut = cut_later(directions);
  return std::vector<Answer>(unused.size(), worst(cut, variance, limits));
}

std::vector<Answer> zcdp_bounds(std::span<const Direction> directions, std::span<const double> largest_orders,
                                const Limits& limits) {
  check_floating_point_environment();
  std::vector<Answer> answers(largest_orders.size());
  std::vector<CutDirection> cut = cut_later(directions);
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (std::size_t j = 0; j < directions.size(); ++j)
      if (slopes_beyond(directions[j], 1).upper > answers[i].lower)
        answers[i] = worse(answers[i], zcdp(directions[j], cut[j], largest_orders[i], limits), limits.tolerance);
  return answers;
}

}  // namespace hockeystick
