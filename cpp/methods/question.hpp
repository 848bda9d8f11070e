// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "mechanisms/composition.hpp"
#include "numeric/interval.hpp"
#include "numeric/runtime/budget.hpp"
#include "plan/question.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {

/// Deltas below this are certified to be smaller, and not enclosed to a relative tolerance: doubles end at 1e-308.
inline constexpr double smallest_delta = 1e-300;

/// Limits of the cost of certified answers.
struct Limits {
  double tolerance;              // upper - lower <= tolerance * upper
  std::size_t memory_limit;      // bytes, charged before they are touched (numeric/runtime/budget.hpp)
  std::string_view method = {};  // the only method that may answer; empty: any
  double smallest = 0;           // a smaller probability need not be enclosed to the tolerance if that takes long
  double enough = 0;             // a delta need not be enclosed to less than this width

  /// Bytes that plans may use now.
  double memory() const { return std::min(static_cast<double>(memory_limit), Budget::left()); }
  /// The delta or tail probability below which an answer may be certified to be smaller only.
  double floor() const { return std::max({smallest, enough, smallest_delta}); }
};

/// If the distance from epsilon to the largest loss is less than this times 1 + epsilon, delta is smaller than the
/// distance, and is only certified to be smaller: it depends on the rounding of the mechanism's own parameters.
inline constexpr double largest_loss_rounding = 0x1p-45;

/// Whether the question is of pure differential privacy: epsilon at delta = 0, which is the largest loss.
inline bool is_pure(Quantity quantity, double at) { return quantity == Quantity::epsilon && at == 0; }

/// Whether an enclosure meets the tolerance. `is_delta`: whether it encloses a delta, not an epsilon.
inline bool is_tight(double lower, double upper, double tolerance, bool is_delta) {
  if (!std::isfinite(upper)) return lower == upper;
  return upper - lower <= tolerance * upper || (is_delta && upper <= smallest_delta);
}

/// A certified interval, whether it meets the tolerance, and the parts of its width.
struct Answer {
  double lower = 0, upper = 0;
  bool converged = true;
  std::string_view limited_by;     // "", "memory_limit", "rounding", "passes" or "theory"
  std::size_t required_bytes = 0;  // memory that the refused grid needs
  // Error budget: parts of the width of delta at the answer.
  double discretization = 0, truncation = 0, wraparound = 0, rounding = 0;
  double interval = 0;   // discretization interval of the last pass [nats]; 0: no grid
  std::size_t size = 0;  // length of its transform, or number of samples of the contour
  double tilt = 0;
  double slope = 0, curvature = 0;  // forecasts at the answer, as in `Saddle`; 0: not known
  int passes = 0;
  double cost = 0, total_cost = 0;  // forecasts, of the last pass and of all [ns]
  std::string_view method;          // the method that found the bounds
};

/// An interval of a method; the engine decides whether it meets the tolerance.
inline Answer enclosed(const Interval& found, std::string_view method) {
  Answer answer;
  answer.lower = found.lower, answer.upper = found.upper;
  answer.converged = false;
  answer.method = method;
  return answer;
}

/// States the slope and curvature of log delta about an epsilon, by differences. `delta_at`: about delta.
template <class DeltaAt>
void describe(const DeltaAt& delta_at, double interval, double epsilon, Answer& result) {
  const double apart = std::max(4 * interval, 0.03 * epsilon);
  const double here = delta_at(epsilon), next = delta_at(epsilon + apart), last = delta_at(epsilon + 2 * apart);
  result.slope = (3 * here - 4 * next + last) / (2 * apart * here);
  result.curvature = (here - 2 * next + last) / (apart * apart * here) + result.slope;
}

inline bool is_tight(const Answer& found, const Question& question) {
  const bool is_enough = !question.wants_epsilon() && found.upper - found.lower <= question.enough;
  return is_enough || is_tight(found.lower, found.upper, question.tolerance, !question.wants_epsilon());
}
/// Whether an answer closes a question. A point of a curve may be twice as wide where another attempt costs `next`
/// [ns].
inline bool is_closed(const Answer& found, Question question, double next) {
  if (question.is_point && next > tuning::cheap) question.tolerance *= 2, question.enough *= 2;
  return is_tight(found, question);
}

/// Encloses the larger of two enclosed numbers, such as the worse of two directions. `is_enough`: whether an answer
/// meets the tolerance.
template <class IsEnough>
Answer worse(const Answer& a, const Answer& b, const IsEnough& is_enough) {
  Answer result = b.upper > a.upper ? b : a;
  result.lower = std::max(a.lower, b.lower);
  result.converged = (a.converged && b.converged) || is_enough(result);
  if (result.converged)
    result.limited_by = {};
  else if (result.limited_by.empty())
    result.limited_by = a.limited_by.empty() ? b.limited_by : a.limited_by;
  return result;
}
inline Answer worse(const Answer& a, const Answer& b, double tolerance) {
  return worse(a, b, [=](const Answer& found) { return is_tight(found.lower, found.upper, tolerance, false); });
}

}  // namespace hockeystick
