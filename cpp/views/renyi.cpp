// SPDX-License-Identifier: Apache-2.0
#include "views/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/largest_loss.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/order.hpp"
#include "numeric/outward.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/moment_edges.hpp"
#include "plan/tuning.hpp"
#include "views/loss_cells.hpp"
#include "views/zcdp.hpp"

namespace hockeystick {
namespace {

constexpr double most_cells = 0x1p21;

// One step's moment, by the pair's own bounds and by its cells, and the closed form for a Gaussian with that mu.
struct Moment {
  std::function<Interval(const DominatingPair&)> known;
  std::function<Interval(const LossCells&)> of_step;
  double gaussian_factor;  // times mu^2
};

Interval not_known(const DominatingPair&) { return anything; }

// The divergence of order 1 is at most that of a larger order.
Interval mean_known(const DominatingPair& pair) {
  constexpr double t = 0x1p-14;  // below every order above 1 that may be asked
  const double by_moment = pair.log_moment_bounds(t).upper / t;
  return Interval{0, std::min(by_moment, pair.renyi_slope_bound(1))};  // proof: zcdp
}

struct Tally {
  Interval bounds{0, 0};
  double cells = 0;      // the most cells of a pair
  double gap = 0;        // the width that the cells alone leave
  bool stopped = false;  // for lack of work: some pair that needs cells has none
};

// One direction and the cells of its pairs so far: many orders share the cells.
class CutDirection {
 public:
  explicit CutDirection(const Direction& asked) : merged_(merge_gaussians(asked)) {}

  /// A moment's sum over the steps. A pair that knows its moment within `tolerance` of itself gets no cells.
  Tally total(const Moment& moment, double tolerance, int fineness) {
    Tally tally;
    auto& [sum, cells, gap, stopped] = tally;
    for (std::size_t j = 0; j < merged_.terms.size(); ++j) {
      const Term& term = merged_.terms[j];
      const auto count = static_cast<double>(term.count);
      Interval step;
      if (const double mu = term.pair->gaussian_mu(); mu > 0) {
        const double value = mu * mu * moment.gaussian_factor;
        const double error = 2 * merged_.mu_error + 16 * u;
        step = {value * (1 - error), value * (1 + error)};
      } else {
        step = moment.known(*term.pair);
        if (!(std::isfinite(step.upper) && step.upper - step.lower <= tolerance * step.upper)) {
          const auto pair = stopped ? nullptr : cut(j, fineness);
          if (pair) {
            cells = std::max(cells, pair->cells());
            const Interval by_cells = moment.of_step(*pair);
            gap += count * (by_cells.upper - by_cells.lower);
            step = both(step, by_cells);
          } else {
            stopped = true;
            step.lower = std::max(step.lower, 0.0);  // as all of these moments are
          }
        }
      }
      sum.lower += step.lower * count * (1 - 8 * u * (step.lower > 0 ? 1 : -1));
      sum.upper += step.upper * count * (1 + 8 * u);
    }
    const double error = 4 * u * static_cast<double>(merged_.terms.size());
    sum = std::isinf(sum.lower)
              ? Interval{sum.lower, infinity}
              : Interval{sum.lower - error * std::fabs(sum.lower), sum.upper + error * std::fabs(sum.upper)};
    return tally;
  }

 private:
  static constexpr double most_kept = 0x1p20;  // cells in all

  // Null if less work is left than they take.
  std::shared_ptr<const LossCells> cut(std::size_t term, int fineness) {
    const auto found = cut_.find({term, fineness});
    const DominatingPair& whole = *merged_.terms[term].pair;
    const bool kept = found != cut_.end();
    if (!WorkLimit::take(kept ? tuning::point * found->second->cells() : moment_cells_cost(whole, fineness)))
      return nullptr;
    if (kept) return found->second;
    auto pair = std::make_shared<const LossCells>(whole, fineness);
    if (kept_ + pair->cells() > most_kept) return pair;
    kept_ += pair->cells();
    return cut_[{term, fineness}] = std::move(pair);
  }

  MergedDirection merged_;
  std::map<std::pair<std::size_t, int>, std::shared_ptr<const LossCells>> cut_;
  double kept_ = 0;
};

// Whether even the largest number of cells is too few, if each refinement gains as much as the last one.
bool is_hopeless(const Tally& tally, double previous, double allowed) {
  const double left = std::floor(math::log(most_cells / tally.cells) / math::log(4.0));
  return math::log(tally.gap / allowed) > (left + 1) * math::log(previous / tally.gap);
}

// Refines the cells until the sum is as tight as asked.
void refine(Answer& answer, CutDirection& direction, const Moment& moment, const Limits& limits) {
  double previous = infinity;
  for (int fineness = 8; !answer.converged && answer.limited_by.empty(); fineness *= 4) {
    checkpoint();
    const Tally tally = direction.total(moment, 0.5 * limits.tolerance, fineness);
    answer.lower = std::max(answer.lower, tally.bounds.lower);
    answer.upper = std::min(answer.upper, tally.bounds.upper);
    answer.passes += 1;
    answer.converged = is_within(answer, limits.tolerance);
    if (answer.converged) break;
    if (tally.stopped) {
      answer.limited_by = "passes";
      break;
    }
    if (!(tally.gap < 0.9 * previous) && fineness > 8) answer.limited_by = "rounding";
    if (answer.limited_by.empty() && 4 * tally.cells > most_cells) answer.limited_by = "passes";
    if (answer.limited_by.empty() && fineness > 32 && is_hopeless(tally, previous, limits.tolerance * answer.upper))
      answer.limited_by = "passes";
    if (!std::isfinite(answer.upper)) answer.limited_by = "rounding";
    previous = tally.gap;
  }
}

Answer refined(CutDirection& direction, const Moment& moment, const Limits& limits) {
  Answer answer;
  answer.upper = infinity;
  answer.converged = false;
  try {
    refine(answer, direction, moment, limits);
  } catch (const OverBudget& over) {
    refuse(answer, over);
  }
  return answer;
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
  if (!(t > 0)) return {&mean_known, [](const LossCells& cut) { return cut.mean(); }, 0.5};
  const auto divergence = [t](double lower, double upper) {
    return Interval{outward::quotient(lower, t, false), outward::quotient(upper, t, true)};
  };
  return {[=](const DominatingPair& pair) {
            const auto [lower, upper] = pair.log_moment_bounds(t);
            Interval step = divergence(lower, upper);
            step.upper =
                std::min(step.upper, outward::product(order, pair.renyi_slope_bound(order), true));  // proof: zcdp
            return step;
          },
          [=](const LossCells& cut) {
            const auto [lower, upper] = cut.log_moment(t);
            return divergence(lower, upper);
          },
          order / 2};
}

Answer zcdp(const Direction& direction, CutDirection& cut, double largest, double known, const Limits& limits) {
  const Limits finer{0.3 * limits.tolerance, limits.memory_limit};
  const auto renyi = [&](double order) { return refined(cut, renyi_moment(order), finer); };
  const auto beyond = [&](double order) { return slopes_beyond(direction, order); };
  double fewest = infinity;
  for (const Term& term : direction) fewest = std::min(fewest, static_cast<double>(term.count));
  return largest_renyi_slope(renyi, beyond, largest, limits.tolerance, known, fewest);
}

}  // namespace

Interval slopes_beyond(const Direction& direction, double order) {
  Interval sum{0, 0};
  for (const Term& term : direction) {
    const auto count = static_cast<double>(term.count);
    // proof: zcdp
    sum.lower = outward::sum(sum.lower, outward::product(count, term.pair->renyi_slope_limit(), false), false);
    // proof: zcdp
    sum.upper = outward::sum(sum.upper, outward::product(count, term.pair->renyi_slope_bound(order), true), true);
  }
  return sum;
}

std::vector<Answer> renyi_bounds(std::span<const Direction> directions, std::span<const double> orders,
                                 const Limits& limits) {
  check_each("order", orders, ranges::order);
  return renyi_bounds_of_any_order(directions, orders, limits);
}

std::vector<Answer> renyi_bounds_of_any_order(std::span<const Direction> directions, std::span<const double> orders,
                                              const Limits& limits) {
  check_floating_point_environment();
  return budgeted(directions, orders, limits, {0, infinity}, [&](std::span<const double> at, const Limits& within) {
    std::vector<CutDirection> cut = cut_later(directions);
    std::vector<Answer> answers;
    for (const double order : at) answers.push_back(worst(cut, renyi_moment(order), within));
    if (std::all_of(answers.begin(), answers.end(), [](const Answer& each) { return each.converged; })) return answers;
    double largest = 0;  // no divergence is above the largest loss
    for (const Direction& direction : directions) largest = std::max(largest, largest_loss(direction));
    for (Answer& each : answers) {
      each.upper = std::min(each.upper, largest);
      if (!each.converged && is_within(each, within.tolerance)) each.converged = true, each.limited_by = {};
    }
    return answers;
  });
}

std::vector<Answer> loss_variance_bounds(std::span<const Direction> directions, std::span<const double> unused,
                                         const Limits& limits) {
  check_floating_point_environment();
  const Moment variance{&not_known, [](const LossCells& cut) { return cut.variance(); }, 1};
  return budgeted(directions, unused, limits, {0, infinity}, [&](std::span<const double> at, const Limits& within) {
    std::vector<CutDirection> cut = cut_later(directions);
    return std::vector<Answer>(at.size(), worst(cut, variance, within));
  });
}

std::vector<Answer> zcdp_bounds(std::span<const Direction> directions, std::span<const double> largest_orders,
                                const Limits& limits) {
  check_floating_point_environment();
  check_each("largest_order", largest_orders, ranges::largest_order);
  return budgeted(
      directions, largest_orders, limits, {0, infinity}, [&](std::span<const double> at, const Limits& within) {
        std::vector<Answer> answers(at.size());
        std::vector<CutDirection> cut = cut_later(directions);
        // The direction whose slopes are known to be largest far out usually needs the most.
        const auto order =
            positions_by(directions.size(), [&](std::size_t j) { return -slopes_beyond(directions[j], 1).lower; });
        for (std::size_t i = 0; i < answers.size(); ++i)
          for (const std::size_t j : order)
            if (const double known = answers[i].lower; slopes_beyond(directions[j], 1).upper > known)
              answers[i] = worse(answers[i], zcdp(directions[j], cut[j], at[i], known, within), within.tolerance);
        return answers;
      });
}

}  // namespace hockeystick
