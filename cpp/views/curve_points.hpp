// SPDX-License-Identifier: Apache-2.0
// The enclosed hockey-stick curve of a direction at chosen losses, and bounds of the power between them by convexity.
//
// Questions about the whole curve ask for delta at a few hundred losses and share the evaluators that answer deltas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "methods/questions.hpp"
#include "numeric/interval.hpp"
#include "numeric/range.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {

/// The curve h at e^loss, and e^loss.
struct CurvePoint {
  double loss;
  Interval alpha, value;
  double refused = 0;  // the relative width of delta, where it is larger than wanted
};

/// The point from delta at the loss or, at a negative loss, from the reverse's delta at its size; for losses of at most
/// this size.
inline constexpr double farthest_point = 690;
/// The range of tolerances of delta in questions.
inline constexpr double least_tolerance = 2e-12, most_tolerance = 0.1, rough_tolerance = 0.02;
/// The smallest tolerance of delta where 1 - delta is `missed`: contours enclose a small 1 - delta to the doubles next
/// to 1.
inline double least_tolerance_at(double missed) { return std::max(8 * unit_roundoff, least_tolerance * missed); }
/// Points whose tolerances differ by less than this factor share one call and its evaluators.
inline constexpr double alike = 8;
/// The most rounds of a search, and the most of them that may know few of the points that they wanted.
inline constexpr int most_rounds = 16, most_failed = 3;
/// The most points of a curve.
inline constexpr std::size_t most_points = 0x1p14;
CurvePoint curve_point(double loss, const Interval& delta);

/// The number that the tolerance of a point is relative to: delta or, at a negative loss, alpha times that of the
/// reverse.
inline double size_of(const CurvePoint& at) {
  return std::max(at.loss < 0 ? at.value.upper - 1 + at.alpha.upper : at.value.upper, 1e-300);
}

/// An upper bound of 1 - delta there, or of the reverse's 1 - delta at a negative loss.
inline double missed_at(const CurvePoint& at) { return (1 - at.value.lower) / std::min(1.0, at.alpha.lower); }

/// The power at a false positive rate, from h at points.
struct PowerBetween {
  Interval power;
  std::size_t best;      // the point that bounds it above
  bool is_closed_below;  // whether losses below all points are shown not to matter more than those between
  bool is_closed_above;
  std::size_t weakest = 0;  // the point right before the losses that bound it below
};

/// The smallest value of h(alpha) + alpha fpr. It is at most the sum at any point, and at least the sum where the
/// prolonged chords on either side of two neighbours meet. `points` by rising loss; the search begins at `near`.
PowerBetween power_between(std::span<const CurvePoint> points, double fpr, std::size_t near);

/// The width that an answer may have.
using AllowedWidth = std::function<double(const Answer& answer)>;

/// The bounds as an answer. Where they are wider than allowed, only rounding is left as the reason.
Answer settled(const Interval& bounds, const AllowedWidth& allowed);

/// A loss at which the curve is wanted. `tolerance` is relative to delta there, to the reverse's delta if the loss is
/// negative; `enough` is a width of the curve that suffices as well.
struct WantedPoint {
  double loss, tolerance, enough = 0;
};

/// Asks delta of one ordered comparison of neighbours, or of its reverse, at each epsilon.
using AskDeltas = std::function<std::vector<Answer>(bool of_reverse, std::span<const double> epsilons, const Limits&)>;

class CurvePoints {
 public:
  /// `reverse`: the reverse of the direction, which gives the curve at negative losses; null: the reverses of its
  /// pairs. Refers to both. `farthest`: the largest size of losses; beyond `farthest_point` alpha is inf, which gives a
  /// tail and no power.
  CurvePoints(const Direction& direction, const Direction* reverse, const Limits& limits,
              double farthest = farthest_point);

  /// A curve that `deltas` encloses to this tolerance at best. `closes`: whether its upper and lower ends may meet, so
  /// that the curve is that of one pair.
  CurvePoints(AskDeltas deltas, const Limits& limits, double finest, bool closes)
      : deltas_(std::move(deltas)),
        limits_(limits),
        farthest_(ranges::epsilon.high),
        finest_(finest),
        closes_(closes) {}

  /// Encloses the curve at more losses; false if less than half of these are known as closely as wanted.
  bool ask(std::vector<WantedPoint> wanted);

  /// The least loss of a question.
  double least() const { return -farthest_; }

  double finest() const { return finest_; }
  bool closes() const { return closes_; }

  /// Says in an answer that is wider than allowed why deltas were not as close as wanted.
  void explain(Answer& answer) const { answer.limited_by = limited_by_, answer.required_bytes = required_bytes_; }

  /// The points by rising loss.
  std::span<const CurvePoint> points() const { return points_; }

  /// About how fast the curve falls between two losses, -d log delta / d loss; 0 if that takes much work.
  double fall(double from, double to);

 private:
  std::size_t ask(int sign, std::span<WantedPoint> wanted);
  bool take(CurvePoint point, const Answer& found);

  AskDeltas deltas_;
  Limits limits_;
  double farthest_, finest_ = least_tolerance, work_left_ = tuning::most_work_of_deltas;
  bool closes_ = true;
  std::string_view limited_by_ = "passes";
  std::size_t required_bytes_ = 0;
  std::vector<CurvePoint> points_;
};

}  // namespace hockeystick
