// SPDX-License-Identifier: Apache-2.0
#include "plan/place.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/contour_plan.hpp"

namespace hockeystick {
namespace {

constexpr int most_closings = 20;  // tries

double largest_loss(const Saddlepoint& saddlepoint) {
  double largest = -infinity;
  for (std::size_t j = 0; j < saddlepoint.terms(); ++j) largest = std::max(largest, saddlepoint.nodes(j).loss.back());
  return largest;
}

}  // namespace

Place::Place(const Direction& direction, const Question& question, double infinity_mass, Closes closes)
    : direction_(direction),
      question_(question),
      infinity_mass_(infinity_mass),
      closes_(is_off("closing") || (question.log_margin > 0 && closes != Closes::always) ? Closes::never : closes),
      whole_(direction),
      saddlepoint_(whole_) {
  const bool wants_epsilon = question_.wants_epsilon();
  if (closes != Closes::always) whole_.raise(direction, wants_epsilon ? 0 : question_.at);
  look_from(wants_epsilon ? math::log(question_.at) : saddlepoint_.saddle_for_epsilon(question_.at).log_delta);
  // Without the rare huge losses the forecast of delta may be far lower, so that still more losses do not matter.
  for (int i = 0; i < 4 && !wants_epsilon && log_delta() < log_delta_ - 1; ++i) look_from(log_delta());
  close();
  is_zero_ = wants_epsilon && at_.epsilon <= 0;
  if (is_zero_) at_ = saddlepoint_.saddle_for_epsilon(0);
}

void Place::look_from(double log_delta) {
  log_delta_ = log_delta;
  const double log_cut = log_delta - question_.log_margin + math::log(1e-4 * question_.tolerance);
  saddlepoint_ = whole_, closing_ = {}, closed_mass_ = 0;
  saddlepoint_.truncate(log_cut);
  largest_ = closes_ == Closes::always ? largest_loss(saddlepoint_) : infinity;
  cut_ = math::exp(log_cut);
  at_ = question_.wants_epsilon() ? saddlepoint_.saddle_for_delta(finite_delta())
                                  : saddlepoint_.saddle_for_epsilon(question_.at);
}

// The part of the given delta that finite losses may take.
double Place::finite_delta() const {
  return std::max(question_.at - infinity_mass_ - closed_mass_, 1e-3 * question_.at);
}

// Closes the steps for about the lowest epsilon above which the forecast answer of closed steps does not lie.
void Place::close() {
  const bool wants_epsilon = question_.wants_epsilon();
  if (closes_ == Closes::never || (closes_ == Closes::if_irregular && (at_.regular || !wants_epsilon))) return;
  if (!wants_epsilon) {
    close_at(question_.at);
    return;
  }
  double low = 0, high = infinity, epsilon = std::max(0.0, at_.epsilon);
  for (int i = 0; i < most_closings && epsilon > 0 && high > 1.3 * low; ++i) {
    const bool fits = close_at(epsilon);
    (fits ? high : low) = epsilon;
    const double lower = std::max({1.05 * low, epsilon / 4, std::min(1.05 * at_.epsilon, 0.8 * epsilon)});
    epsilon = fits ? lower : std::min(0.9 * high, std::max(1.2 * at_.epsilon, 2 * epsilon));
  }
  if (epsilon != high && high < infinity) close_at(high);
}

// Closes the steps for an epsilon. True if the forecast answer does not lie above it.
bool Place::close_at(double epsilon) {
  const double log_lost = log_delta_ + math::log(1e-6 * question_.tolerance);
  const Closing next = closing_at(direction_, whole_, epsilon, log_lost);
  look_from(log_delta_);
  if (!(next.top < largest_)) return at_.epsilon <= epsilon;
  closing_ = next;
  saddlepoint_ = whole_;
  closed_mass_ = saddlepoint_.close(closing_.top);
  if (!question_.wants_epsilon()) {
    at_ = saddlepoint_.saddle_for_epsilon(epsilon);
    return true;
  }
  if (!(closed_mass_ < 0.5 * (question_.at - infinity_mass_))) return false;
  at_ = saddlepoint_.saddle_for_delta(finite_delta());
  return at_.epsilon <= epsilon;
}

void Place::move(double epsilon, double log_delta, bool is_near, double slope, double curvature) {
  const bool wants_epsilon = question_.wants_epsilon();
  const bool is_nearby = is_near && std::fabs(epsilon - at_.epsilon) < 0.5 * epsilon;
  const bool is_open = closing_.top == infinity && is_nearby && (at_.regular || closes_ == Closes::always);
  if (!wants_epsilon && is_near) return;
  if (!wants_epsilon) look_from(log_delta);
  const bool fits = closes_ == Closes::never || (is_open && wants_epsilon) || close_at(epsilon);
  if (wants_epsilon && fits && !is_near) return;
  if (wants_epsilon) at_ = saddlepoint_.saddle_for_epsilon(epsilon);
  const double finite = wants_epsilon ? finite_delta() : math::exp(log_delta) - infinity_mass_ - closed_mass_;
  if (finite > 0) at_.log_delta = math::log(finite);
  if (slope > 0) at_.slope = slope;
  if (slope > 0 && curvature > 0) at_.curvature = curvature, at_.regular = true;
}

bool Place::see(double log_delta) {
  if (std::fabs(log_delta - this->log_delta()) < 1 || std::exchange(seen_, log_delta) == log_delta) return false;
  move(question_.at, log_delta, false, 0, 0);
  return true;
}

bool Place::is_answerable() const {
  return at_.epsilon >= 0 && at_.log_delta > least_log_delta &&
         !(question_.wants_epsilon() && !(question_.at > infinity_mass_ + closed_mass_));
}

double Place::log_delta() const {
  if (question_.wants_epsilon()) return at_.log_delta;
  return math::log(math::exp(at_.log_delta) + infinity_mass_ + closed_mass_);
}

double Place::log_tolerance() const {
  const double tolerance = question_.tolerance_at(math::exp(log_delta()));
  if (!question_.wants_epsilon())
    return std::min(0.5, tolerance / std::max(math::exp(at_.log_delta - log_delta()), 1e-9));
  if (is_zero_)  // if delta(0) is enclosed to this width, the answer is 0
    return std::clamp(0.3 * (math::log(finite_delta()) - at_.log_delta), 1e-6, 0.5);
  const double slope = at_.regular ? at_.slope : at_.tilt + 1 / at_.epsilon;
  return std::clamp(slope * tolerance * at_.epsilon, 1e-13, 0.5);
}

}  // namespace hockeystick
