// SPDX-License-Identifier: Apache-2.0
#include "plan/contour_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/cost.hpp"
#include "plan/large_loss.hpp"
#include "plan/thinned.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double fraction = 0.01;           // of the tolerance on delta, for each of tail and aliases
constexpr double likely_share = 1e-15;      // of a moment that rounding takes, over the root of the steps
constexpr double may_round = 0.1;           // times what rounding takes is at most what each of them may
constexpr double farthest_tilt = 500;       // of losses that deviate by 1 or more
constexpr double farthest_deviations = 50;  // from the mean that a line reaches
constexpr double least_log_delta = -680;
// One large loss may decide where the tilted deviation is so many times the plain one. Its forecast is taken where its
// epsilon is so many times that of the moments, or log delta so much less, and where log delta falls by so much over
// epsilon: else epsilon hardly depends on it.
constexpr double grown_deviation = 4, nearly = 0.8, far_less = -2, least_fall = 1;
// Log of how many times more than it may rounding is forecast to take: roughly, as it is less where rates are tiny.
constexpr double hopeless = 50;
// Where one large loss decides: of the tolerance, what lines may leave out, and of log delta, that of the P-mass of
// what counts as large. Set by hand.
constexpr double most_cut = 0.25, large = 0.8;
constexpr double moved = 0.01;  // of epsilon, from one plan to the next
// A plan that costs less is taken as it is [ns]; one without the largest losses is made if it has so much fewer
// samples.
constexpr double cheap = 300e3, much_fewer = 0.6;
// Of a transform, which is forecast too low where it is cheap and losses are tiny, or epsilon is 0 [ns]: set by hand.
constexpr double least_transform = 250e3, least_at_zero = 3e6;

// Beyond it no line runs. Small losses have their saddle points at large tilts.
double farthest(const Saddle& at) { return farthest_tilt / std::min(1.0, at.deviation); }

double log_count(const Direction& direction) {
  double count = 0;
  for (const Term& term : direction) count += static_cast<double>(term.count);
  return math::log(count);
}

}  // namespace

double likely_rounding(const Saddlepoint& saddlepoint) { return likely_share * std::sqrt(saddlepoint.total_count()); }

ContourFrame contour_frame(const Saddlepoint& saddlepoint, const Saddle& at, double log_fraction, double rounding,
                           double flattest, double highest) {
  ContourFrame frame{};
  Contour& best = frame.contour;
  double nearby = std::numeric_limits<double>::quiet_NaN();
  // Near a tilt at which rare huge losses take over, aliases reach far: below it they do not.
  for (double tilt = at.tilt; tilt > flattest * at.tilt; tilt *= 0.75) {
    const Cumulants k = saddlepoint.cumulants(tilt);
    const double excess = k.value - tilt * at.epsilon - log_fraction - at.log_delta;
    if (best.period > 0 && excess + math::log(may_round * rounding) > 0) break;
    const double wanted = std::max(1.0, excess + log_chernoff_peak(tilt));
    const auto above =
        saddlepoint.chernoff_quantile({tilt, k}, wanted, 1, std::min(farthest(at), highest - tilt), nearby);
    const auto below = saddlepoint.chernoff_quantile({tilt, k}, wanted, -1, tilt);
    nearby = above.tilt;
    // An alias is e^(K(t) - t epsilon + peak(t) - abs(t - tilt) period) at most, and a quantile knows K(t).
    const auto wanted_period = [&](const ChernoffQuantile& quantile) {
      const double rise = (quantile.tilt - tilt) * (quantile.loss - at.epsilon);
      return (rise - wanted + excess + log_chernoff_peak(quantile.tilt)) / std::fabs(quantile.tilt - tilt);
    };
    const double period = 1.02 * std::max(wanted_period(above), wanted_period(below));
    if (best.period == 0 || period < 0.7 * best.period)
      frame = {{std::max(0.0, below.tilt), tilt, above.tilt, period, 0}, k};
    if (period < 4 * std::sqrt(wanted * k.variance)) break;
  }
  return frame;
}

ContourPlanner::ContourPlanner(const Direction& direction, const Question& question, double most_nodes)
    : terms_(static_cast<double>(direction.size())),
      planned_(thinned(direction)),
      saddlepoint_(planned_),
      question_(question),
      most_nodes_(static_cast<std::size_t>(most_nodes)),
      rounding_(likely_rounding(saddlepoint_)) {
  if (question.wants_epsilon()) {
    at_ = near_delta(math::log(question.at));
    if (!(at_.epsilon > 0)) {
      seek(0);
      // Next to 0 forecasts of epsilon and of delta may disagree: by Newton's method from there.
      for (int i = 0; i < 3 && !(above_zero() > 0) && at_.slope > 0; ++i) seek(at_.epsilon - above_zero() / at_.slope);
    }
  } else {
    seek(question.at);
  }
  seek_large_loss();
}

void ContourPlanner::seek(double epsilon) {
  at_ = near_epsilon(saddlepoint_, epsilon);
  for (int i = 0; i < 4; ++i) {
    const double before = at_.log_delta;
    at_ = near_epsilon(near(before), epsilon);
    if (at_.log_delta > before - 1) break;
  }
}

void ContourPlanner::seek_large_loss() {
  if (is_off("large_loss") || saddlepoint_.terms() > 1 || !(at_.deviation > grown_deviation * saddlepoint_.deviation()))
    return;
  const bool wants_epsilon = question_.wants_epsilon() && at_.epsilon > 0;
  const auto found = wants_epsilon ? large_loss_of(saddlepoint_, at_.log_delta)
                                   : large_loss_at(saddlepoint_, at_.epsilon, at_.log_delta + far_less);
  if (!found) return;
  const bool is_steep = found->slope * found->epsilon > least_fall;
  if (wants_epsilon && !(is_steep && found->epsilon < nearly * at_.epsilon)) return;
  is_large_loss_ = true;
  place(found->epsilon, found->log_delta, found->slope);
}

void ContourPlanner::place(double epsilon, double log_delta, double slope) {
  at_ = near_epsilon(near(log_delta), epsilon);
  at_.log_delta = log_delta, at_.slope = slope;
}

bool ContourPlanner::is_answerable() const {
  return at_.epsilon >= 0 && !(question_.wants_epsilon() && at_.epsilon == 0 && !(above_zero() > 0)) &&
         at_.log_delta > least_log_delta;
}

double ContourPlanner::log_tolerance() const {
  const double tolerance = question_.tolerance;
  double wide = tolerance;
  if (question_.wants_epsilon()) wide = at_.epsilon > 0 ? at_.slope * tolerance * at_.epsilon : above_zero() / 2;
  return std::max(std::min(0.5, wide), 1e-12);
}

double ContourPlanner::above_zero() const { return math::log(question_.at) - at_.log_delta; }

double ContourPlanner::cut() {
  const double log_cut = at_.log_delta - question_.log_margin + math::log(1e-3 * log_tolerance());
  saddlepoint_.truncate(log_cut);
  const bool by_delta = question_.wants_epsilon() && at_.epsilon > 0;
  if (is_large_loss_)
    place(at_.epsilon, at_.log_delta, at_.slope);
  else
    at_ = by_delta ? near_delta(at_.log_delta) : near_epsilon(near(at_.log_delta), at_.epsilon);
  return math::exp(log_cut);
}

// Where one large loss decides, steps without any are all but the whole moment, and rounding of that hides delta where
// tilts are low: as much is left out as the tolerance lets be, for the highest tilt at which no loss beyond epsilon
// rules the moment.
double ContourPlanner::cut_for_one() {
  const double log_cut = at_.log_delta - question_.log_margin + math::log(most_cut * log_tolerance());
  saddlepoint_.end_at(log_cut);
  const Saddlepoint small(saddlepoint_, large * at_.log_delta);
  const Saddle found = saddlepoint_.rough_saddle_for_epsilon(at_.epsilon);
  at_.tilt = saddlepoint_.tilt_below_outliers(std::max(found.tilt, 1 / found.deviation), small);
  at_.deviation = found.deviation;
  return math::exp(log_cut);
}

// Losses so rare that they do not matter may rule the moments: then without these, if that can be done.
std::optional<ContourPlan> ContourPlanner::next(Lines& lines, double patience) {
  is_dear_ = false;
  const bool is_ruled = cut_ == 0 && highest_carried(2 * at_.tilt) < 2 * at_.tilt;
  std::optional<ContourPlan> found;
  if (!is_ruled || whole_) found = plan(lines, patience);
  if (!found && cut_ > 0) {
    restore();
    found = plan(lines, patience);
  }
  if (is_off("cut") || cut_ > 0 || whole_ || (found && found->cost < cheap)) return found;
  auto whole = std::pair(saddlepoint_, at_);
  Lines lines_of_whole = std::exchange(lines, {});
  const bool is_dear = is_dear_;
  const double most_samples = found ? much_fewer * samples_wanted_ : infinity;
  is_for_one_ = false;
  cut_ = cut() / saddlepoint_.total_count();
  std::optional<ContourPlan> cut = plan(lines, patience, most_samples);
  if (is_large_loss_ && !question_.wants_epsilon() && math::log(rounding_) - log_sum_ > log_fraction_) {
    std::tie(saddlepoint_, at_) = whole;
    is_for_one_ = true;
    cut_ = cut_for_one() / saddlepoint_.total_count();
    cut = plan(lines, patience, most_samples);
  }
  if (cut && !(found && found->cost <= cut->cost)) {
    whole_ = std::move(whole);
    return cut;
  }
  cut_ = 0;
  std::tie(saddlepoint_, at_) = whole;
  if (is_ruled) return plan(lines, patience);
  lines = std::move(lines_of_whole);
  is_dear_ = is_dear;
  return found;
}

void ContourPlanner::restore() {
  std::tie(saddlepoint_, at_) = *whole_;
  cut_ = 0;
}

std::optional<ContourPlan> ContourPlanner::plan(Lines& lines, double patience, double most_samples) {
  if (!is_answerable()) return {};
  ContourPlan plan{frame(), {}, log_fraction_, 0};
  Contour& contour = plan.contour;
  samples_wanted_ = contour.period / deviation_;
  if (!(contour.period > 0) || !(contour.higher < farthest(at_)) || !(samples_wanted_ < most_samples)) return {};
  if (math::log(rounding_) - log_sum_ > log_fraction_ + hopeless) return {};
  double spacing = 2 * std::numbers::pi / contour.period;
  // Errors are relative to the moment at the tilt, times the weights of the samples, of which delta may be a small
  // part.
  const double log_weights = math::log((1 / (contour.tilt + 1) + contour.period / 2) / contour.tilt);
  const double accuracy =
      log_count(planned_) - log_fraction_ + 2 + std::max(0.0, std::min(-2.0, log_weights) - log_sum_);
  const double shared = terms_ / static_cast<double>(planned_.size());
  Saddle of_transform = at_;
  of_transform.tilt = transform_tilt_;
  const double least_of_other = question_.wants_epsilon() && at_.epsilon == 0 ? least_at_zero : least_transform;
  const double rough = forecast_transform_cost(planned_, saddlepoint_, of_transform, log_tolerance());
  const double of_other = std::max(rough, of_planned_transform_ / shared);
  const double most_of_all = cost::most_for_contour + cost::most_for_contour_term * terms_;
  const double budget = std::min(shared * std::max(patience * of_other, least_of_other), most_of_all);
  // Panels are made for less: where samples are small they may be off by more.
  const double reach = cut_ > 0 ? 0.7 : 1.0;
  double frequency = 2 * reach * std::sqrt(2 * (2 - log_fraction_)) / deviation_ * caution_;
  double least = std::ceil(0.5 * frequency / spacing) + 2;
  if (!(cost::contour(terms_, least, cost::fewest_line_nodes * terms_) < budget)) {
    is_dear_ = true;
    return {};
  }
  for (int i = 0; i < 4; ++i) {
    plan.needs = {contour.lower, contour.tilt, contour.higher, frequency, accuracy, most_nodes_, cut_};
    if (!make_lines(plan.needs, lines)) return {};
    if (is_for_one_ && cut_ > 0 && i == 0) {
      lengthen(lines, contour);
      spacing = 2 * std::numbers::pi / contour.period;
      least = std::ceil(0.5 * frequency / spacing) + 2;
    }
    double nodes = 0, left_out = 0;
    for (const auto& line : lines) nodes += shared * static_cast<double>(line->size()), left_out += line->left_out();
    if (cut_ > 0 && left_out == 0) return {};  // lines of all losses, which the plan does not know of
    const double most = cost::contour_samples(budget, terms_, nodes);
    const double count = samples_needed(lines, spacing, least, most);
    if (!(count < most)) {
      is_dear_ = true;
      return {};
    }
    plan.cost = cost::contour(terms_, count, nodes);
    contour.count = static_cast<std::size_t>(count);
    double truncated = 0;
    for (std::size_t j = 0; j < lines.size(); ++j)
      truncated += saddlepoint_.count(j) * lines[j]->truncation(count * spacing);
    if (truncated < 0.5) {                                          // there the samples are as small as the tail
      plan.needs.frequency = std::max(frequency, count * spacing);  // other lines may tell nothing beyond
      if (shared > 1) lines.clear();
      return plan;
    }
    frequency = caution_ *
                std::max(cut_ > 0 ? 1.3 * frequency : 0.0, reach * count * spacing);  // finer nodes show a faster decay
    least = std::ceil(0.5 * frequency / spacing) + 2;
    // Far losses turn at high frequencies, and need about as many nodes as there are samples.
    if (cut_ > 0 && !(cost::contour(terms_, count, std::max(nodes, terms_ * count)) < budget)) {
      is_dear_ = true;
      return {};
    }
  }
  return {};
}

bool ContourPlanner::make_lines(const LineNeeds& needs, Lines& lines) const {
  lines.clear();
  for (const Term& term : planned_) {
    checkpoint_each<16>(lines.size());
    lines.push_back(term.pair->mgf_line(needs));
    if (!lines.back()) return false;
  }
  return true;
}

// Nodes tell roughly where lines leave losses out, on which moments at the highest tilts depend: these tell themselves.
void ContourPlanner::lengthen(const Lines& lines, Contour& contour) const {
  constexpr int tries = 8;
  const double rise = contour.higher - contour.tilt, allowed = log_fraction_ + at_.log_delta;
  double least = infinity;
  for (int i = 1; i <= tries; ++i) {
    const double further = rise * i / tries, tilt = contour.tilt + further;
    double log_moment = 0;
    for (std::size_t j = 0; j < lines.size(); ++j)
      log_moment += saddlepoint_.count(j) * lines[j]->log_moment_above(tilt);
    const double wanted = (log_moment - tilt * at_.epsilon + log_chernoff_peak(tilt) - allowed) / further;
    if (wanted < least) least = wanted, contour.higher = tilt;
  }
  contour.period = std::max(contour.period, 1.02 * least);
}

bool ContourPlanner::is_elsewhere(double epsilon) const { return std::fabs(epsilon - at_.epsilon) > moved * epsilon; }

bool ContourPlanner::learn(double epsilon, double delta, double slope, double rounding) {
  // Where it was placed well the cut is to blame, or a term that cannot be cut.
  if (cut_ > 0 && whole_ && !is_elsewhere(epsilon)) {
    restore();
    return true;
  }
  if (!(epsilon >= 0) || !(delta > 0)) return false;
  rounding_ = std::max(rounding_, rounding);
  place(epsilon, math::log(delta), slope);
  caution_ *= 1.5;
  return at_.tilt > 0 && at_.slope > 0;
}

// Without what losses far beyond add to the moments: rare huge ones rule these long before they matter to delta.
Saddlepoint ContourPlanner::near(double log_delta) const { return {saddlepoint_, log_delta + math::log(1e-3)}; }

// Without what losses far beyond add to the moments, at a tilt that they hardly move: moments are of all losses.
Saddle ContourPlanner::below_outliers(Saddle at, const Saddlepoint& near) {
  transform_tilt_ = at.tilt;
  at.tilt = saddlepoint_.tilt_below_outliers(std::max(at.tilt, 1 / at.deviation), near);
  return at;
}

Saddle ContourPlanner::near_delta(double log_delta) {
  const Saddlepoint saddlepoint = near(log_delta);
  return below_outliers(saddlepoint.rough_saddle_for_delta(log_delta), saddlepoint);
}

Saddle ContourPlanner::near_epsilon(const Saddlepoint& saddlepoint, double epsilon) {
  return below_outliers(saddlepoint.rough_saddle_for_epsilon(epsilon), saddlepoint);
}

// Where losses have no bound, e^(t L) may be largest where all that is sampled has moved, S t from the mean: too far
// for lines at high tilts, and too far for nodes, which that share of M(t) rules where they tell of less.
double ContourPlanner::highest_carried(double tilt) const {
  double highest = infinity;
  for (std::size_t j = 0; j < planned_.size(); ++j) {
    const double slope = planned_[j].pair->renyi_slope_limit();
    if (!(slope > 0)) continue;
    highest = std::min(highest, farthest_deviations / std::sqrt(2 * slope));
    const double log_moved = math::log(planned_[j].pair->total_variation_bound());
    const double log_far = (tilt + 1) * (tilt * slope + log_moved);
    if (log_far > 0 && log_far > saddlepoint_.log_moment(j, tilt))
      highest = std::min(highest, -0.9 * log_moved / slope);
  }
  return highest;
}

Contour ContourPlanner::frame() {
  log_fraction_ = math::log(fraction * log_tolerance()) - question_.log_margin;
  Saddle at = at_;
  const double highest = cut_ > 0 ? infinity : highest_carried(2 * at.tilt);
  at.tilt = std::min(at.tilt, highest / 2);
  const auto [contour, k] = contour_frame(saddlepoint_, at, log_fraction_, rounding_, flattest_line, highest);
  deviation_ = std::sqrt(k.variance);
  log_sum_ = at_.log_delta - (k.value - contour.tilt * at_.epsilon) + math::log(contour.period);
  return contour;
}

// The log of the tail falls about as the square of the count where samples are few, as the count itself beyond.
double ContourPlanner::samples_needed(const Lines& lines, double spacing, double least, double most) const {
  const double goal = log_fraction_ + log_sum_;
  double count = least;
  while (count < most) {
    const double tail = log_tail(lines, spacing, count);
    if (tail <= goal) break;
    const double short_by = tail < 0 && goal < 0 ? std::sqrt(goal / tail) : 1.5;
    count = std::ceil(std::clamp(short_by, 1.04, 1.5) * count) + 1;
  }
  return count;
}

// log of what the samples from `count` on add to the sum at most.
double ContourPlanner::log_tail(const Lines& lines, double spacing, double count) const {
  double log_modulus = 0;
  for (std::size_t j = 0; j < lines.size(); ++j)
    log_modulus += saddlepoint_.count(j) * math::log(std::max(lines[j]->modulus_bound(spacing * count), 1e-300));
  return log_modulus - math::log(spacing * spacing * count / 2);
}

}  // namespace hockeystick
