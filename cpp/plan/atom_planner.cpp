// SPDX-License-Identifier: Apache-2.0
#include "plan/atom_planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/modulus_bound.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

constexpr int most_closings = 12;  // tries

double largest_loss(const Saddlepoint& saddlepoint) {
  double largest = -infinity;
  for (std::size_t j = 0; j < saddlepoint.terms(); ++j) largest = std::max(largest, saddlepoint.nodes(j).loss.back());
  return largest;
}

}  // namespace

AtomPlanner::AtomPlanner(const Direction& direction, const Question& question, double infinity_mass)
    : direction_(direction),
      question_(question),
      infinity_mass_(infinity_mass),
      plain_(direction, finite_part(question, infinity_mass), 0),
      whole_(plain_.saddlepoint()),
      saddlepoint_(whole_) {
  cut_ = plain_.cut();
  whole_ = saddlepoint_ = plain_.saddlepoint();
  at_ = plain_.at();
  close(question.wants_epsilon() ? std::max(0.0, at_.epsilon) : question.at);
}

// Closes the steps for a lower epsilon while the answer of closed steps lies far below the epsilon that they were
// closed for, and for a higher one if it lies above.
void AtomPlanner::close(double epsilon) {
  double low = 0;
  for (int i = 0; i < most_closings; ++i) {
    const bool fits = close_at(epsilon);
    if (!question_.wants_epsilon() || closing_.top == infinity) return;
    if (!fits) low = epsilon;
    const double next = fits ? std::max(1.2 * at_.epsilon, 1.2 * low) : std::max(1.2 * at_.epsilon, 2 * epsilon);
    if (fits && !(next < 0.6 * epsilon)) return;
    epsilon = next;
  }
}

// Closes the steps for an epsilon. True if the forecast answer does not lie above it.
bool AtomPlanner::close_at(double epsilon) {
  const double log_lost = (question_.wants_epsilon() ? math::log(question_.at) : plain_.at().log_delta) +
                          math::log(1e-6 * question_.tolerance);
  closing_ = closing_at(direction_, whole_, epsilon, log_lost);
  const bool closes = closing_.top < largest_loss(whole_);
  if (!closes) closing_ = {};
  saddlepoint_ = whole_;
  closed_mass_ = closes ? saddlepoint_.close(closing_.top) : 0;
  at_.epsilon = epsilon;
  if (!question_.wants_epsilon()) at_ = saddlepoint_.saddle_for_epsilon(epsilon);
  if (!question_.wants_epsilon()) return true;
  if (!(finite_delta() > 1e-3 * question_.at)) return false;
  if (closes && plain_.is_large_loss()) {
    at_ = saddlepoint_.saddle_for_epsilon(plain_.at().epsilon);
    at_.log_delta = math::log(finite_delta()), at_.slope = plain_.at().slope;
    return at_.epsilon <= epsilon;
  }
  at_ = closes ? saddlepoint_.saddle_for_delta(finite_delta()) : plain_.at();
  if (at_.epsilon <= 0) at_ = saddlepoint_.rough_saddle_for_epsilon(0);  // delta(0) is less
  return at_.epsilon <= epsilon;
}

bool AtomPlanner::is_answerable() const {
  return at_.epsilon >= 0 && at_.log_delta > least_log_delta && !(question_.wants_epsilon() && !(finite_delta() > 0));
}

double AtomPlanner::log_tolerance() const {
  double wide = question_.tolerance * (1 + (infinity_mass_ + closed_mass_) / math::exp(at_.log_delta));
  if (question_.wants_epsilon() && at_.epsilon > 0)
    wide = (at_.regular ? at_.slope : at_.tilt + 1 / at_.epsilon) * question_.tolerance * at_.epsilon;
  else if (question_.wants_epsilon())
    wide = 0.3 * (math::log(finite_delta()) - at_.log_delta);
  return std::clamp(wide, 1e-12, 0.5);
}

bool AtomPlanner::learn(double epsilon, double delta, double slope, bool is_near) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon) || !(delta > 0)) return false;
  if (is_near && closing_.top == infinity) {
    if (!plain_.learn(epsilon, delta, slope)) return false;
    at_ = plain_.at();
    return true;
  }
  const bool fits = close_at(question_.wants_epsilon() ? 1.01 * epsilon : epsilon);
  if (!question_.wants_epsilon() || !(is_near || !fits) || !(finite_delta() > 0)) return true;
  at_ = saddlepoint_.saddle_for_epsilon(epsilon);
  at_.log_delta = math::log(finite_delta());
  if (slope > 0) at_.slope = slope;
  return true;
}

double log_modulus_bound(const Saddlepoint& saddlepoint, double tilt, double from, double to) {
  double result = 0;
  std::vector<double> masses, losses;
  for (std::size_t j = 0; j < saddlepoint.terms(); ++j) {
    const SeenNodes nodes = saddlepoint.nodes(j);
    const double largest = saddlepoint.log_moment(j, tilt);
    masses.clear(), losses.clear();
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double log_mass = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
      if (log_mass > -40) masses.push_back(log_mass), losses.push_back(nodes.loss[k]);
    }
    exponentials(masses);
    result += saddlepoint.count(j) * math::log(modulus_bound(masses, losses, from, to));
  }
  return result;
}

}  // namespace hockeystick
