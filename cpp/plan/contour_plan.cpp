// SPDX-License-Identifier: Apache-2.0
#include "plan/contour_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "mechanisms/discrete/atom_mgf_line.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/cost.hpp"
#include "plan/large_loss.hpp"
#include "plan/normal_tail.hpp"
#include "plan/thinned.hpp"
#include "plan/tuning.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

// The error of samples beyond the frequency of the lines, over the tail: a tenth of the tolerance.
constexpr double missed_allowed = 2.3;

double on_grid(double tilt) { return std::nearbyint(tilt * 0x1p30) * 0x1p-30; }

double log_count(const Direction& direction) {
  double count = 0;
  for (const Term& term : direction) count += static_cast<double>(term.count);
  return math::log(count);
}

}  // namespace

ContourPlanner::ContourPlanner(const Direction& direction, const Question& question, double most_nodes)
    : terms_(static_cast<double>(direction.size())),
      planned_(thinned(direction)),
      saddlepoint_(planned_),
      question_(question),
      most_nodes_(static_cast<std::size_t>(most_nodes)),
      rounding_(likely_rounding(saddlepoint_)) {
  if (question.wants_epsilon()) {
    at_ = near_delta(math::log(question.at));
    if (!(at_.epsilon > 0)) seek(0);
  } else {
    seek(question.at);
  }
  seek_large_loss();
  seek_complement();
}

// A line keeps its distance from both poles, at tilts to which 1 is added without rounding. Where 1 - delta is next to
// nothing, a tilt closer to 0 resolves it.
void ContourPlanner::seek_complement() {
  if (question_.wants_epsilon() || is_large_loss_ || is_off("complement")) return;
  if (!(at_.epsilon < saddlepoint_.cumulants(0).mean)) return;
  const Saddle at = saddlepoint_.rough_saddle_for_epsilon(at_.epsilon);
  const double nothing = math::log(0.01 * question_.tolerance_at(1));
  const auto log_unit = [&](double tilt) { return saddlepoint_.cumulants(tilt).value - tilt * at_.epsilon; };
  double tilt = std::clamp(at.tilt, -0.9, -std::min(0.5, 1 / at.deviation));
  // Finite losses may be next to nothing, whatever the tilt: at most 30 halvings.
  while (tilt < -1e-9 && log_unit(tilt / 2) < nothing) tilt /= 2;
  tilt = on_grid(tilt);
  const double deviation = std::sqrt(saddlepoint_.cumulants(tilt).variance);
  const double share = scaled_normal_tail(-tilt * deviation) + scaled_normal_tail((1 + tilt) * deviation);
  const double log_missed = log_unit(tilt) + math::log(share);
  if (!(tilt < 0 && log_missed < math::log(0.1))) return;
  right_ = at_;
  at_.tilt = tilt, at_.deviation = deviation, at_.log_delta = std::max(log_missed, least_log_delta + 1);
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
  if (is_off("large_loss") || !(at_.deviation > tuning::far_apart * saddlepoint_.deviation())) return;
  const bool wants_epsilon = question_.wants_epsilon() && at_.epsilon > 0;
  const auto found = wants_epsilon ? large_loss_of(saddlepoint_, at_.log_delta)
                                   : large_loss_at(saddlepoint_, at_.epsilon, at_.log_delta + tuning::far_less);
  if (!found) return;
  const bool is_steep = found->slope * found->epsilon > tuning::least_fall;
  if (wants_epsilon && !(is_steep && found->epsilon < tuning::nearly * at_.epsilon)) return;
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
  const double size = math::exp(at_.log_delta);
  double wide = right_ ? question_.tolerance_at(1 - size) * (1 - size) / size : question_.tolerance_at(size);
  if (question_.wants_epsilon()) wide = at_.epsilon > 0 ? at_.slope * wide * at_.epsilon : above_zero() / 2;
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

// If one large loss determines delta, steps without a large loss make up nearly the whole moment at low tilts, and the
// rounding of that moment hides delta. So the lines leave out as much of the largest losses as the tolerance allows:
// then no loss beyond epsilon dominates the moment at a higher tilt, where the line runs.
double ContourPlanner::cut_for_one() {
  const double log_cut = at_.log_delta - question_.log_margin + math::log(tuning::missed_share * log_tolerance());
  saddlepoint_.end_at(log_cut);
  const Saddlepoint small(saddlepoint_, tuning::nearly * at_.log_delta);
  const Saddle found = saddlepoint_.rough_saddle_for_epsilon(at_.epsilon);
  at_.tilt = saddlepoint_.tilt_below_outliers(std::max(found.tilt, 1 / found.deviation), small);
  at_.deviation = found.deviation;
  return math::exp(log_cut);
}

// Losses that are too rare to affect delta may still dominate the moments. If the plan with all losses is expensive,
// a plan whose lines leave the largest losses out is made too, and the cheaper one is returned.
std::optional<ContourPlan> ContourPlanner::next(Lines& lines, double rival) {
  is_dear_ = false;
  if (right_) {
    if (auto found = plan(lines, rival)) return found;
    at_ = *std::exchange(right_, {});
    lines.clear();
  }
  const bool is_ruled = cut_ == 0 && highest_carried(2 * at_.tilt) < 2 * at_.tilt;
  std::optional<ContourPlan> found;
  if (!is_ruled) found = plan(lines, rival);
  if (is_off("cut") || cut_ > 0 || (found && found->cost < tuning::least_transform)) return found;
  const auto whole = std::pair(saddlepoint_, at_);
  Lines lines_of_whole = std::exchange(lines, {});
  const bool is_dear = is_dear_;
  const double most_samples = found ? tuning::much_fewer_samples * samples_wanted_ : infinity;
  cut_ = cut() / saddlepoint_.total_count();
  std::optional<ContourPlan> cut = plan(lines, rival, most_samples);
  if (is_large_loss_ && !question_.wants_epsilon() && math::log(rounding_) - log_sum_ > log_fraction_) {
    std::tie(saddlepoint_, at_) = whole;
    cut_ = cut_for_one() / saddlepoint_.total_count();
    cut = plan(lines, rival, most_samples);
  }
  if (cut && !(found && found->cost <= cut->cost)) return cut;
  cut_ = 0;
  std::tie(saddlepoint_, at_) = whole;
  if (is_ruled) return plan(lines, rival);
  lines = std::move(lines_of_whole);
  is_dear_ = is_dear;
  return found;
}

std::optional<ContourPlan> ContourPlanner::plan(Lines& lines, double rival, double most_samples) {
  if (!is_answerable()) return {};
  ContourPlan plan{frame(), {}, log_fraction_, 0};
  Contour& contour = plan.contour;
  samples_wanted_ = contour.period / deviation_;
  if (!(contour.period > 0) || !(samples_wanted_ < most_samples)) return {};
  if (!(cut_ > 0 || contour.higher < highest_tilt(at_))) return {};  // lines with a cut lower it
  if (math::log(rounding_) - log_sum_ > log_fraction_ + tuning::hopeless_rounding) return {};
  double spacing = 2 * std::numbers::pi / contour.period;
  // Errors of samples are relative to the moment at the tilt. Delta may be a small part of the weighted samples' sum.
  const double log_weights = math::log((1 / (contour.tilt + 1) + contour.period / 2) / std::fabs(contour.tilt));
  const double accuracy =
      log_count(planned_) - log_fraction_ + 2 + std::max(0.0, std::min(-2.0, log_weights) - log_sum_);
  const double shared = terms_ / static_cast<double>(planned_.size());
  Saddle of_transform = right_.value_or(at_);
  of_transform.tilt = transform_tilt_;
  const double of_delta = right_ ? question_.tolerance_at(1) : log_tolerance();
  const double rough = forecast_transform_cost(planned_, saddlepoint_, of_transform, of_delta);
  budget_ = std::max(rival > 0 ? rival : rough, tuning::least_transform);
  const double budget = std::min(shared * budget_, tuning::most_for_contour);
  // Lines with a cut are made for a lower frequency: where samples are small their errors may be larger.
  const double reach = cut_ > 0 ? 0.7 : 1.0;
  double frequency = 2 * reach * std::sqrt(2 * (2 - log_fraction_)) / deviation_ * caution_;
  double least = std::ceil(0.5 * frequency / spacing) + 2;
  if (!(cost::contour(terms_, least, cost::fewest_line_nodes * terms_) < budget)) {
    is_dear_ = true;
    return {};
  }
  // Lines with more nodes cost more than the budget.
  const auto most_nodes = static_cast<std::size_t>(
      std::min(static_cast<double>(most_nodes_), (budget - cost::contour(terms_, least, 0)) / (shared * tuning::node)));
  for (int i = 0; i < 4; ++i) {
    plan.needs = {contour.lower, contour.tilt, contour.higher, frequency, accuracy, most_nodes, cut_};
    if (!make_lines(plan.needs, lines)) {
      is_dear_ = is_dear_ || most_nodes < most_nodes_;
      return {};
    }
    if (cut_ > 0 && i == 0) {
      lengthen(lines, contour);
      spacing = 2 * std::numbers::pi / contour.period;
      least = std::ceil(0.5 * frequency / spacing) + 2;
    }
    double nodes = 0, left_out = 0;
    for (const auto& line : lines) nodes += shared * static_cast<double>(line->size()), left_out += line->left_out();
    if (cut_ > 0 && left_out == 0) return {};  // the lines count all losses, but the plan was made without the largest
    const double most = cost::contour_samples(budget, terms_, nodes);
    const double count = samples_needed(lines, spacing, least, most);
    if (!(count < most)) {
      is_dear_ = true;
      return {};
    }
    plan.cost = cost::contour(terms_, count, nodes);
    contour.count = static_cast<std::size_t>(count);
    const double truncated = truncation(lines, count * spacing);
    // At that frequency the samples are as small as the tail, but not at lower ones.
    const bool is_fine = truncated < math::exp(log_count(planned_) - accuracy) ||
                         log_missed(lines, spacing, frequency, count) < log_fraction_ + log_sum_ + missed_allowed;
    if (truncated < 0.5 && is_fine) {
      plan.needs.frequency = std::max(frequency, count * spacing);  // lines certify nothing at higher frequencies
      if (shared > 1) lines.clear();
      return plan;
    }
    frequency = caution_ * std::max(cut_ > 0 ? 1.3 * frequency : 0.0,
                                    reach * count * spacing);  // finer nodes certify a faster decay
    least = std::ceil(0.5 * frequency / spacing) + 2;
  }
  return {};
}

bool ContourPlanner::make_lines(const LineNeeds& needs, Lines& lines) const {
  lines.clear();
  for (const Term& term : planned_) {
    checkpoint_each<16>(lines.size());
    lines.push_back(line_of(*term.pair, needs));
    if (!lines.back()) return false;
  }
  return true;
}

// The saddlepoint's nodes know only roughly where the lines end, and moments at the highest tilts depend on that. So
// the lines' own bounds choose the tilt of the upper aliases, and lengthen the period where they have to.
void ContourPlanner::lengthen(const Lines& lines, Contour& contour) const {
  constexpr double most = 200;  // as far to the highest tilt tried as to the lowest
  const double rise = contour.higher - contour.tilt, allowed = log_fraction_ + at_.log_delta;
  double least = infinity;
  for (double further = rise; further > rise / most && !(least < contour.period); further /= 2) {
    const double tilt = contour.tilt + further;
    double log_moment = 0;
    for (std::size_t j = 0; j < lines.size(); ++j)
      log_moment += saddlepoint_.count(j) * lines[j]->log_moment_above(tilt);
    const double wanted = (log_moment - tilt * at_.epsilon + log_chernoff_peak(tilt) - allowed) / further;
    if (wanted < least) least = wanted, contour.higher = tilt;
  }
  contour.period = std::max(contour.period, 1.02 * least);
}

bool ContourPlanner::learn(double epsilon, double delta, double slope, double rounding) {
  if (!(epsilon >= 0) || !(delta > 0)) return false;
  rounding_ = std::max(rounding_, rounding);
  if (right_) {
    at_.log_delta = math::log(delta), caution_ *= 1.5;
    return true;
  }
  place(epsilon, math::log(delta), slope);
  caution_ *= 1.5;
  return at_.tilt > 0 && at_.slope > 0;
}

// The saddlepoint without losses so rare that they do not affect delta, which may dominate the moments.
Saddlepoint ContourPlanner::near(double log_delta) const { return {saddlepoint_, log_delta + math::log(1e-3)}; }

// Moments count all losses, so the tilt is lowered until the rare huge ones hardly change the moment.
Saddle ContourPlanner::below_outliers(Saddle at, const Saddlepoint& near) {
  transform_tilt_ = at.tilt;
  at.tilt = saddlepoint_.tilt_below_outliers(saddlepoint_.tilt_right_of_zero(at), near);
  return at;
}

Saddle ContourPlanner::near_delta(double log_delta) {
  const Saddlepoint saddlepoint = near(log_delta);
  return below_outliers(saddlepoint.rough_saddle_for_delta(log_delta), saddlepoint);
}

Saddle ContourPlanner::near_epsilon(const Saddlepoint& saddlepoint, double epsilon) {
  return below_outliers(saddlepoint.rough_saddle_for_epsilon(epsilon), saddlepoint);
}

// Highest tilt at which M(t) is not dominated by the event that all sampled records moved. Beyond it nodes would have
// to lie more than `farthest_deviations` from the mean.
double ContourPlanner::highest_carried(double tilt) const {
  double highest = infinity;
  for (std::size_t j = 0; j < planned_.size(); ++j) {
    const double slope = planned_[j].pair->renyi_slope_limit();
    if (!(slope > 0)) continue;
    highest = std::min(highest, tuning::farthest_deviations / std::sqrt(2 * slope));
    const double log_moved = math::log(planned_[j].pair->total_variation_bound());
    const double log_far = (tilt + 1) * (tilt * slope + log_moved);
    if (log_far > 0 && log_far > saddlepoint_.log_moment(j, tilt))
      highest = std::min(highest, -0.9 * log_moved / slope);
  }
  return highest;
}

Contour ContourPlanner::frame() {
  log_fraction_ = math::log(tuning::contour_share * log_tolerance()) - question_.log_margin;
  Saddle at = at_;
  const double highest = right_ ? 0 : cut_ > 0 ? infinity : highest_carried(2 * at.tilt);
  at.tilt = std::min(at.tilt, highest / 2);
  auto [contour, k] = contour_frame(saddlepoint_, at, log_fraction_, rounding_, tuning::flattest_line, highest);
  if (right_) contour.lower = on_grid(contour.lower), contour.higher = on_grid(contour.higher);
  deviation_ = std::sqrt(k.variance);
  log_sum_ = at_.log_delta - (k.value - contour.tilt * at_.epsilon) + math::log(contour.period);
  return contour;
}

// The log of the tail is about proportional to the square of the count if samples are few, and to the count beyond.
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

double ContourPlanner::truncation(const Lines& lines, double frequency) const {
  double sum = 0;
  for (std::size_t j = 0; j < lines.size(); ++j) sum += saddlepoint_.count(j) * lines[j]->truncation(frequency);
  return sum;
}

double ContourPlanner::log_modulus(const Lines& lines, double frequency) const {
  double sum = 0;
  for (std::size_t j = 0; j < lines.size(); ++j)
    sum += saddlepoint_.count(j) * math::log(std::max(lines[j]->modulus_bound(frequency), 1e-300));
  return sum;
}

// log of about the total error of samples beyond the frequency for which the lines were made.
double ContourPlanner::log_missed(const Lines& lines, double spacing, double frequency, double count) const {
  double sum = 0, before = frequency;
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    const double at = part * count * spacing;
    if (!(at > before)) continue;
    sum += truncation(lines, at) * math::exp(log_modulus(lines, before)) * 2 / spacing * (1 / before - 1 / at);
    before = at;
  }
  return math::log(sum);
}

// log of an upper bound of the part of the sum from the samples from `count` on.
double ContourPlanner::log_tail(const Lines& lines, double spacing, double count) const {
  return log_modulus(lines, spacing * count) - math::log(spacing * spacing * count / 2);
}

}  // namespace hockeystick
