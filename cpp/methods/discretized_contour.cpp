// SPDX-License-Identifier: Apache-2.0
#include "methods/discretized_contour.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "methods/atom_mgf_line.hpp"
#include "methods/fft_composition.hpp"
#include "methods/step_mgf_line.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/switches.hpp"
#include "numeric/union_probability.hpp"
#include "plan/atom_planner.hpp"
#include "plan/contour_plan.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"
#include "pld/compose.hpp"

namespace hockeystick {

namespace {

// Smoothing bounds the samples beyond the reach, relative to the first that is left out. The bound is shared by the
// steps: each gets its root as the floor of its modulus.
Decay decay_of(const Direction& direction, const DiscretizedContourPlan& plan) {
  if (!(plan.reach > 0)) return {};
  const auto& [lower, tilt, higher, period, count] = plan.contour;
  const double from = 2 * std::numbers::pi / period * static_cast<double>(count);
  double steps = 0, log_left = -infinity;
  for (const Term& term : direction) steps += static_cast<double>(term.count);
  for (const auto side : {Smoothing::Side::upper, Smoothing::Side::lower}) {
    const Smoothing smoothing(side, plan.smoothing);
    const double falls = smoothing.order(from) * math::log(plan.reach / from);
    log_left = std::max(log_left, math::log(smoothing.bound(tilt, plan.reach) / smoothing.bound(tilt, from)) + falls);
  }
  return {plan.reach, math::exp(std::min(0.0, log_left + 1e-9) / steps) + 4 * u};  // proof: modulus-bound
}

}  // namespace

DiscretizedContour::DiscretizedContour(const Direction& direction, const Saddlepoint& saddlepoint, const Plan& plan,
                                       DiscretizedSteps steps, const DiscretizedContourPlan& contour, double near)
    : contour_(contour.contour),
      smoothing_(contour.smoothing),
      cost_(contour.cost),
      interval_(plan.interval),
      near_(near),
      bytes_(plan.step_bytes + cost::contour_sample_bytes * static_cast<double>(contour_.count)),
      reach_(steps.reach),
      held_(bytes_) {
  const Decay decay = decay_of(direction, contour);
  add(direction, saddlepoint, std::move(steps.upper), decay, upper_);
  add(direction, saddlepoint, std::move(steps.lower), decay, lower_);
}

void DiscretizedContour::add(const Direction& direction, const Saddlepoint& saddlepoint, std::vector<StepPmf> steps,
                             Decay decay, std::optional<Side>& to) const {
  to.emplace(Side{std::move(steps), 0, 0, {}});
  std::vector<ComposedTerm> terms;
  Lines lines;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    terms.push_back(
        {tilted(to->steps[j], contour_.tilt, saddlepoint.log_moment(j, contour_.tilt)), direction[j].count});
    lines.push_back(std::make_unique<StepMgfLine>(terms.back().step, decay));
  }
  to->infinity_mass = composed_infinity_mass(terms);   // proof: infinity-mass
  to->loss_error = 1.01 * composed_loss_error(terms);  // proof: loss-coupling
  const bool above = to->steps.front().side == hockeystick::Side::upper;
  const Smoothing smoothing(above ? Smoothing::Side::upper : Smoothing::Side::lower, smoothing_);
  to->sum.emplace(ContourProduct(direction, kept(lines), contour_), smoothing);
}

namespace {

// By how much closing atoms may raise delta(epsilon), as for closed supports (fft_composition.cpp): by nothing if all
// other losses add up to at least epsilon less the top.
class AtomReach {
 public:
  explicit AtomReach(const Closing& closing) : closing_(closing) {}

  void add(const AtomMgfLine& line, double count) {
    mass_ += count * line.above_top() * (1 + line.closed_error());
    if (line.above_top() > 0) room_ = std::min(room_, closing_.top - line.least());
    least_ += count * line.least();
    size_ += count * std::fabs(line.least());
    if (closing_.tilt > 0) log_moment_ += count * std::max(0.0, line.log_moment_above(-closing_.tilt));
  }

  Reach reach() const {
    if (!(mass_ > 0)) return {};
    const auto& [top, other, tilt] = closing_;
    if (!(tilt >= 1)) return {room_ + least_ - 1e-12 * (size_ + std::fabs(top)), 0};  // proof: closed-support
    const double power = log_moment_ + tilt * other + 1e-12 * (log_moment_ + tilt * std::fabs(other) + 1);
    const double excess = mass_ * math::exp(std::min(700.0, power)) * (1 + 1e-9);
    return {top + other - 1e-12 * (std::fabs(top) + std::fabs(other)), excess};  // proof: closed-support
  }

 private:
  const Closing& closing_;
  double mass_ = 0, room_ = infinity, least_ = 0, size_ = 0, log_moment_ = 0;
};

}  // namespace

DiscretizedContour::DiscretizedContour(const Direction& direction, const DiscretizedContourPlan& contour, double cut,
                                       const Closing& closing, double near)
    : contour_(contour.contour),
      smoothing_(contour.smoothing),
      cost_(contour.cost),
      interval_(0),
      near_(near),
      bytes_(cost::contour_sample_bytes * static_cast<double>(contour_.count)),
      held_(bytes_) {
  UnionProbability infinite;
  AtomReach reach(closing);
  const Decay decay = decay_of(direction, contour);
  double loss_error = 0;
  std::unique_ptr<MgfLine> whole;
  std::unique_ptr<AtomMgfLine> line;
  // Whole lines cannot be closed, so they are used only if no step is closed, or if every step has one.
  const bool none_closes = closing.top == infinity ||
                           std::ranges::all_of(direction, [](const Term& term) { return term.pair->has_whole_line(); });
  const bool may_be_whole = none_closes && contour.reach == 0 && !is_off("whole_line");
  const LineOf line_of = [&](std::size_t j) -> const MgfLine& {
    if (may_be_whole && (whole = direction[j].pair->whole_line(contour_.tilt))) return *whole;
    const FiniteLaw law = *direction[j].pair->finite_law();
    const auto count = static_cast<double>(direction[j].count);
    const double most = cut / (2 * count * static_cast<double>(direction.size()));
    line = std::make_unique<AtomMgfLine>(law, contour_.tilt, most, closing.top, decay);
    const double error = line->closed_error() + 4 * u;
    const double unlisted = law.infinity_mass + law.cut;
    infinite.add(law.infinity_mass_lower + lowered(line->closed(), error),  // proof: atom-moments
                 std::min(1.0, (unlisted + line->closed() * (1 + error)) * (1 + 4 * u)),
                 count);  // proof: infinity-mass
    loss_error += count * law.loss_error;
    reach.add(*line, count);
    return *line;
  };
  const ContourProduct product(direction, line_of, contour_);
  reach_ = reach.reach();
  loss_error *= 1.01;            // proof: loss-coupling
  reach_.epsilon -= loss_error;  // proof: closed-support
  upper_.emplace(Side{{}, infinite.upper(), loss_error, ContourSum(product, {Smoothing::Side::upper, smoothing_})});
  lower_.emplace(Side{{}, infinite.lower(), loss_error, ContourSum(product, {Smoothing::Side::lower, smoothing_})});
}

Interval DiscretizedContour::delta(double epsilon) const {
  const ContourDelta high = upper_->sum->delta(down(epsilon - upper_->loss_error));
  const ContourDelta low = lower_->sum->delta(up(epsilon + lower_->loss_error));
  const double lower = low.lower() * (1 - 4 * u) + lower_->infinity_mass * (1 - 4 * u) - reach_.excess * (1 + 4 * u);
  return {epsilon <= reach_.epsilon ? std::max(0.0, lower * (1 - 4 * u)) : 0.0,  // proof: closed-support
          std::min(1.0, (high.upper() + upper_->infinity_mass) * (1 + 4 * u))};
}

Interval DiscretizedContour::epsilon(double delta, double start) const {
  constexpr double next_to_0 = 1e-9;  // for a smaller epsilon, delta(0) is compared with `delta` first
  Interval result{0, infinity};
  const double above = down(delta - upper_->infinity_mass * (1 + 4 * u));
  if (above > 0) {
    double root = start > 0 ? upper_->sum->solve(above, start) : 0;
    if (!(root > next_to_0)) {
      if (upper_->sum->delta(-upper_->loss_error).upper() <= above) return {0, 0};
      root = upper_->sum->solve(above, start);
    }
    result.upper = up(upper_->sum->enclose(above, root).upper + upper_->loss_error);
  }
  const double below = up(up(delta + reach_.excess) - lower_->infinity_mass * (1 - 4 * u));
  if (below > 0)
    result.lower = down(lower_->sum->enclose(below, lower_->sum->solve(below, start)).lower - lower_->loss_error);
  result.lower = std::clamp(result.lower, 0.0, std::max(0.0, reach_.epsilon));  // proof: closed-support
  return result;
}

ContourDelta DiscretizedContour::losses(double epsilon) const {
  const ContourDelta high = upper_->sum->delta(epsilon), low = lower_->sum->delta(epsilon);
  return {high.value, high.rounding + low.rounding, high.tail + low.tail, low.alias, high.slope};
}

// Slope and curvature of log delta about an epsilon, by differences.
void DiscretizedContour::describe(double epsilon, Answer& result) const {
  const double apart = std::max(4 * interval_, 0.03 * epsilon);
  const double here = upper_->sum->delta(epsilon).value + upper_->infinity_mass,
               next = upper_->sum->delta(epsilon + apart).value + upper_->infinity_mass,
               last = upper_->sum->delta(epsilon + 2 * apart).value + upper_->infinity_mass;
  result.slope = (3 * here - 4 * next + last) / (2 * apart * here);
  result.curvature = (here - 2 * next + last) / (apart * apart * here) + result.slope;
}

Answer DiscretizedContour::answer(Quantity quantity, double at, double near) const {
  const bool wants_epsilon = quantity == Quantity::epsilon;
  const Interval found = wants_epsilon ? epsilon(at, std::isnan(near) ? near_ : near) : delta(at);
  Answer result = enclosed(found, "discretized_contour");
  const double epsilon = wants_epsilon ? found.upper : at;
  if (std::isfinite(epsilon)) {
    const ContourDelta lost = losses(epsilon);
    const Interval there = delta(epsilon);
    result.truncation = lost.tail;
    result.wraparound = lost.alias;
    result.rounding = lost.rounding;
    result.discretization = std::max(0.0, there.upper - there.lower - lost.tail - lost.alias - lost.rounding);
    if (wants_epsilon) describe(epsilon, result);
  }
  result.interval = interval_;
  result.size = contour_.count;
  result.tilt = contour_.tilt;
  result.cost = cost_;
  return result;
}

namespace {

// Contours of discretized steps, cheaper than a long transform of the same steps, and contours of atoms.
class ByDiscretizedContour final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    if (!task_.is_named() && is_of_cheap_grids()) return {.obstacle = "a transform is cheap"};
    const Forecast of_atoms = forecast_atoms();
    is_of_atoms_ = of_atoms.obstacle.empty() && of_atoms.cost <= tuning::cheap_contour_of_atoms;
    if (is_of_atoms_) return of_atoms;
    const GridPlanner& grid = task_.grid();
    const double memory = task_.limits.memory();
    const bool no_transform = !grid.limited_by().empty() || task_.grid().plan().bytes > memory;
    const double transform = no_transform ? tuning::most_for_discretized_contour : task_.grid().cost();
    if (!task_.is_named() && transform < tuning::least_for_discretized_contour)
      return {.obstacle = "a transform is cheap"};
    const Forecast of_steps = forecast_steps();
    const double most_of_atoms =
        of_steps.obstacle.empty() && attempts_ == 0 ? tuning::grid_passes * of_steps.cost : infinity;
    is_of_atoms_ = of_atoms.obstacle.empty() && of_atoms.cost <= most_of_atoms;
    return is_of_atoms_ ? of_atoms : of_steps;
  }

  std::shared_ptr<const Evaluator> prepare() override {
    if (is_of_atoms_) {
      ++atom_attempts_;
      return made_ = std::make_shared<DiscretizedContour>(task_.terms(), atom_plan_, planner_->cut(),
                                                          planner_->closing(), planner_->at().epsilon);
    }
    ++attempts_;
    GridPlanner& grid = task_.grid();
    const Held room(grid.plan().step_bytes);
    DiscretizedSteps steps = discretized(task_.terms(), grid.plan());
    const Saddlepoint* saddlepoint = &grid.saddlepoint();
    std::optional<Saddlepoint> of_steps;
    if (grid.plan().closing.top < infinity) {  // the pair's nodes represent closed steps poorly
      saddlepoint = &of_steps.emplace(steps.upper, task_.terms());
      plan_ =
          plan_discretized_contour(*saddlepoint, grid.plan(), grid.at(), grid.log_tolerance() * smoothing_, decaying());
      if (!(plan_.cost < infinity)) return nullptr;
    }
    return std::make_shared<DiscretizedContour>(task_.terms(), *saddlepoint, grid.plan(), std::move(steps), plan_,
                                                grid.at().epsilon);
  }

  void learn(const Answer& found) override {
    if (is_of_atoms_) return learn_atoms(found);
    const double planned = task_.grid().at().epsilon;
    const bool is_placed = is_near(found, planned, 0.1);
    if (plan_.reach > 0 && is_near(found, planned, 0.5) && !(found.truncation < 0.3 * width_of(found))) {
      undecayed_at_ = task_.grid().attempts();
      return;
    }
    if (!(found.lower > 0 || (found.slope > 0 && !is_placed)) || !std::isfinite(found.upper)) {
      failed_at_ = task_.grid().attempts();
      return;
    }
    smoothing_ *= std::clamp(0.7 / task_.excess(), 0.3, 0.8);
    task_.refine_grid();
  }

 private:
  static constexpr std::size_t many_atoms = 200;

  // Whether a transform takes no longer than planning a contour of the atoms.
  bool is_of_cheap_grids() {
    std::size_t count = 0;
    for (const Term& term : task_.terms())
      if (const auto law = term.pair->finite_law()) count += law->atoms.size();
    if (count == 0 || !task_.grid().limited_by().empty()) return false;
    return task_.grid().cost() < (count > many_atoms ? tuning::cheap_grid_of_many_atoms : tuning::cheap_grid);
  }

  Forecast forecast_steps() {
    GridPlanner& grid = task_.grid();
    if (!(grid.at().tilt > 0)) return {.obstacle = "the saddle point is at tilt 0"};
    if (attempts_ >= tuning::smoothed_attempts || !grid.limited_by().empty())
      return {.obstacle = "finer grids do not help"};
    if (failed_at_ == grid.attempts()) return {.obstacle = "the sum did not come to an answer"};
    if (grid.plan().step_bytes > task_.limits.memory()) return {.obstacle = "memory_limit"};
    plan_ = plan_discretized_contour(grid.saddlepoint(), grid.plan(), grid.at(), grid.log_tolerance() * smoothing_,
                                     decaying());
    return offered(plan_, tuning::most_for_discretized_contour, grid.plan().step_bytes);
  }

  Forecast forecast_atoms() {
    if (is_off("atoms") || no_atoms_ || atom_attempts_ >= tuning::smoothed_attempts)
      return {.obstacle = "finer smoothing does not help"};
    if (!planner_) {
      for (const Term& term : task_.terms()) {
        const auto law = term.pair->finite_law();
        if (!law || law->atoms.empty()) {
          no_atoms_ = true;
          return {.obstacle = "not all losses are atoms"};
        }
        atoms_ += term.pair->has_whole_line() ? 1 : static_cast<double>(law->atoms.size());
      }
      planner_.emplace(task_.terms(), task_.question, infinity_mass(task_.terms()).upper());
    }
    if (!planner_->is_answerable()) return {.obstacle = "the saddle point is at tilt 0"};
    atom_plan_ = plan_contour_of_atoms(planner_->saddlepoint(), atoms_, planner_->at(), planner_->log_tolerance(),
                                       most_smoothing_, may_decay_);
    return offered(atom_plan_, tuning::most_for_contour_of_atoms,
                   cost::contour_sample_bytes * static_cast<double>(atom_plan_.contour.count));
  }

  Forecast offered(const DiscretizedContourPlan& plan, double wanted, double bytes) const {
    if (!(plan.cost < (task_.is_named() ? infinity : wanted))) return {.obstacle = "it needs too many samples"};
    if (bytes > task_.limits.memory()) return {.obstacle = "memory_limit"};
    return {plan.cost, bytes, 0.7, {}};
  }

  // The saddlepoint whose nodes forecast the decay of moments: they are few, and as good for that as the steps.
  const Saddlepoint* decaying() {
    GridPlanner& grid = task_.grid();
    return undecayed_at_ != grid.attempts() ? &grid.saddlepoint() : nullptr;
  }

  static double width_of(const Answer& found) {
    return found.truncation + found.wraparound + found.rounding + found.discretization;
  }

  // Whether the answer lies close to the forecast.
  bool is_near(const Answer& found, double planned, double part) const {
    const double epsilon = task_.question.wants_epsilon() ? found.upper : task_.question.at;
    return std::fabs(epsilon - planned) <= part * epsilon;
  }

  // One end of the answer suffices to move the forecast. Smoothing widens the answer by its width next to an atom,
  // elsewhere by its square.
  void learn_atoms(const Answer& found) {
    const Question& asked = task_.question;
    const double gap = found.upper - found.lower, allowed = asked.tolerance * found.upper;
    const double width = width_of(found);
    const double at = std::isfinite(found.upper) ? found.upper : made_->place(asked.at);
    const double epsilon = asked.wants_epsilon() ? at : asked.at;
    const bool is_tight = found.lower > 0.5 * found.upper;
    const bool is_placed = is_near(found, planner_->at().epsilon, 0.1);
    const bool helps = std::isfinite(epsilon) && !(is_tight && is_placed && found.rounding > 0.5 * width);
    if (atom_plan_.reach > 0 && !(found.truncation < 0.3 * width)) {
      may_decay_ = false;
      if (!is_tight) return;
    }
    if (!is_tight || found.discretization > 0.3 * width)
      most_smoothing_ = atom_plan_.smoothing * (is_tight ? std::clamp(0.7 * allowed / gap, 0.02, 0.7) : 0.3);
    if (!helps ||
        !planner_->learn(epsilon, asked.wants_epsilon() ? asked.at : found.upper, made_->slope(epsilon), is_tight))
      no_atoms_ = true;
  }

  DiscretizedContourPlan plan_{}, atom_plan_{};
  int attempts_ = 0, failed_at_ = -1, undecayed_at_ = -1;
  double smoothing_ = 1;  // factor on its part of the width, lower after each attempt
  std::optional<AtomPlanner> planner_;
  double atoms_ = 0, most_smoothing_ = infinity;
  bool may_decay_ = true;
  int atom_attempts_ = 0;
  bool no_atoms_ = false;  // no further contour of atoms is tried
  bool is_of_atoms_ = false;
  std::shared_ptr<const DiscretizedContour> made_;
};

}  // namespace

std::unique_ptr<Method> discretized_contour(Task& task) { return std::make_unique<ByDiscretizedContour>(task); }

}  // namespace hockeystick
