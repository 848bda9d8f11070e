// SPDX-License-Identifier: Apache-2.0
// One step's curve delta(epsilon - s) as a sum of exponentials of s, and bounds of the difference of the two.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "methods/middle_losses.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The function of epsilon that is fitted for a step: delta, or the tail P(L >= epsilon).
enum class StepCurve { delta, tail };

/// delta of one step at rising losses.
struct CurveKnots {
  std::vector<double> loss;
  std::vector<double> delta;   // of finite losses
  std::vector<double> called;  // e^loss Q(L >= loss)
  std::vector<double> error;   // of both, and of their sum
  Interval infinite;           // the mass at +inf

  double value(StepCurve curve, std::size_t i) const {
    return curve == StepCurve::delta ? delta[i] : delta[i] + called[i];
  }
};

/// The curve at these losses. The cells of `parts` from index `first` on lie between them.
CurveKnots curve_knots(const PairCells& parts, std::size_t first, std::span<const double> losses);

class ExponentialFit {
 public:
  static constexpr std::size_t parts = 5;

  /// The sum of weight[k] e^(exponent(k) (s - centre)) through five points of the curve, at s = epsilon - loss within
  /// `within` of the centre. A guess.
  ExponentialFit(const CurveKnots& knots, double epsilon, double centre, double unit, double within,
                 StepCurve curve = StepCurve::delta);

  /// The exponents are odd multiples of the unit.
  static double exponent(double unit, std::size_t k) { return unit * static_cast<double>(2 * k + 1); }
  const std::array<double, parts>& weights() const { return weights_; }

  /// Upper bounds of curve - sum and of sum - curve where s lies between epsilon - loss[i + 1] and epsilon - loss[i].
  struct Apart {
    double above, below;
  };
  std::vector<Apart> apart(const CurveKnots& knots, double epsilon) const;

  /// Upper bound of the sum's absolute value at s and at all smaller s.
  double largest(double s) const;

 private:
  struct Value {
    // the sum and its second derivative, an error, and a bound of the fourth derivative
    double sum, bent, error, bound;
  };
  Value value(double power, double off) const;
  Apart apart(const CurveKnots& knots, std::size_t i, const Value& from, const Value& middle, const Value& to) const;

  double centre_, unit_;
  StepCurve curve_;
  std::array<double, parts> weights_{};
};

/// Upper bound of E e(S) for a sum S of small losses. e(s) is at most apart[i] between epsilon - loss[i + 1] and
/// epsilon - loss[i]. Above r = epsilon - loss.front() it is at most `right` e^(t (s - r)), t the tilt of any row of
/// `above`; below epsilon - loss.back() it is at most `left`. `centre`: where S is likely to lie.
double average_apart(std::span<const double> loss, std::span<const double> apart, double epsilon, double centre,
                     const ChernoffTable& above, const ChernoffTable& below, double right, double left);

}  // namespace hockeystick
