// SPDX-License-Identifier: Apache-2.0
// Moment generating functions, along a line, of pairs made of a normal density and a mixture of its shifts: every
// sampled Gaussian and every Gaussian of random sensitivity, in every direction.
//
// With lambda(x) = log sum_i p_i e^(s_i x - s_i^2/2), s_i >= 0, P = phi e^(own lambda(x)) and L(x) = ahead lambda(x) +
// behind lambda(-x), monotone in x. M(z) is the integral of P e^(z L) over the line, which the trapezoid rule
// approximates; cpp/proofs/mgf-trapezoid.md bounds its error.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// lambda at a point, its slope in [0, steepest], and a bound of the error of the value.
struct LocalLog {
  double value, slope, error;
};

/// lambda at x, and at -x where a form needs it.
struct SidedLog {
  LocalLog here, behind;
};

/// Most points per call.
constexpr std::size_t smooth_line_block = 64;

class LogMixture {
 public:
  virtual ~LogMixture() = default;
  /// Evaluates at most smooth_line_block points.
  virtual void log_mixtures(std::span<const double> x, std::span<LocalLog> to) const = 0;
  virtual double steepest() const = 0;  // the largest shift, rounded up
};

enum class SmoothForm { remove, add, replace };  // (own, ahead, behind) = (1, 1, 0), (0, -1, 0), (1, 1, -1)

/// P = phi e^(own lambda(x)), L(x) = ahead lambda(x) + behind lambda(-x).
struct SmoothWeights {
  double own, ahead, behind;

  /// lambda at most smooth_line_block points.
  void evaluate(const LogMixture& mixture, std::span<const double> x, std::span<SidedLog> to) const;

  /// log(P e^(tilt L) / phi), by how much of lambda(x) and how much of lambda(-x), and a bound of its error by theirs.
  double growth(double tilt) const { return own + tilt * ahead; }
  double growth_behind(double tilt) const { return tilt * behind; }
  double grown(const SidedLog& at, double tilt) const {
    return growth(tilt) * at.here.value + growth_behind(tilt) * at.behind.value;
  }
  double grown_error(const SidedLog& at, double tilt) const {
    return std::fabs(growth(tilt)) * at.here.error + std::fabs(growth_behind(tilt)) * at.behind.error;
  }

  /// The size of the negative exponent of e^lambda at a tilt, 0 if there is none.
  double bends(double tilt) const { return std::max({0.0, -growth(tilt), -growth_behind(tilt)}); }

  /// Where both exponents are positive, log(P e^(tilt L) / phi) is not monotone: how steep it is at most, by the
  /// largest slopes of lambda at x and at -x; 0 elsewhere.
  double steepest_growth(double tilt, double here, double far) const {
    return behind > 0 ? std::max(growth(tilt) * here, growth_behind(tilt) * far) : 0.0;
  }
};

/// Null if the needs ask for too many nodes, or for tilts below 0 such that 1 + tilt is rounded.
std::unique_ptr<MgfLine> smooth_line(const LogMixture& mixture, SmoothForm form, const LineNeeds& needs);

}  // namespace hockeystick
