// SPDX-License-Identifier: Apache-2.0
// Moment generating functions, along a line, of pairs made of a normal density and a mixture of its shifts: every
// sampled Gaussian and every Gaussian of random sensitivity, in every direction.
//
// With lambda(x) = log sum_i p_i e^(s_i x - s_i^2/2), s_i >= 0, P = phi e^(own lambda(x)) and L(x) = ahead lambda(x) +
// behind lambda(-x), monotone in x. M(z) is the integral of P e^(z L) over the line, which the trapezoid rule
// approximates; cpp/proofs/mgf-trapezoid.md bounds its error.
#pragma once

#include <memory>
#include <span>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// lambda at a point, its slope in [0, steepest], and a bound of the error of the value.
struct LocalLog {
  double value, slope, error;
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

/// Null if the needs ask for too many nodes.
std::unique_ptr<MgfLine> smooth_line(const LogMixture& mixture, SmoothForm form, const LineNeeds& needs);

}  // namespace hockeystick
