// SPDX-License-Identifier: Apache-2.0
// The product of the moments of all steps of a composition at the samples of a line, with its errors.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "methods/question.hpp"
#include "plan/contour_plan.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Returns the line of term j, valid until the next call.
using LineOf = std::function<const MgfLine&(std::size_t)>;

/// Makes each line when it is asked for; throws NoLine if a term has none. `whole`: the moments of all losses by a
/// formula if there is one.
LineOf made_in_turn(const Direction& direction, const LineNeeds& needs, bool whole = false);
struct NoLine {};

/// The line of a discretized step, whose points are its atoms; null if no mass is large enough for moments.
std::unique_ptr<MgfLine> line_of(const StepPmf& step, double tilt, const Decay& decay = {});
/// Makes each of these lines when it is asked for; throws NoLine if there is none.
LineOf made_in_turn(const std::vector<StepPmf>& steps, double tilt, const Decay& decay);

inline LineOf kept(const Lines& lines) {
  return [&lines](std::size_t j) -> const MgfLine& { return *lines[j]; };
}

/// Chernoff's bound of a composition at one tilt, term by term.
class ChernoffBound {
 public:
  explicit ChernoffBound(double tilt) : tilt_(tilt) {}
  void add(const MgfLine& line, std::int64_t count);

  /// The log of an upper bound of delta(epsilon): e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y). At tilts in
  /// [-1, 0] it bounds 1 - delta(epsilon): the maximum is then that of e^(-tilt y) min(1, e^-y), which is 1.
  double log_delta(double epsilon) const;

 private:
  double tilt_, value_ = 0, size_ = 1, terms_ = 0;
};

/// The product over the terms multiplied so far. A sample that is smaller than its error counts as 0, with its largest
/// possible modulus as error.
class ContourProduct {
 public:
  ContourProduct(const Direction& direction, const LineOf& line_of, const Contour& contour);

  /// Multiplies by more terms.
  void multiply(const Direction& more, const LineOf& line_of);

  /// The product at a sample, relative to the moment at the tilt, and its error.
  std::pair<std::complex<double>, double> at(std::size_t k) const;

  Ball log_moment() const;                           // at the tilt
  double log_beyond() const { return log_beyond_; }  // log of a bound of the product beyond the last sample
  double left_out() const { return left_out_; }      // upper bound of the mass of losses that the lines leave out
  const ChernoffBound& higher() const { return higher_; }
  const ChernoffBound& lower() const { return lower_; }
  const Contour& contour() const { return contour_; }

 private:
  void multiply(const MgfLine& line, std::int64_t count);
  void multiply_samples(const std::vector<MomentSample>& samples, std::int64_t count);

  Contour contour_;
  std::vector<double> re_, im_, relative_, lost_;
  double log_moment_ = 0, error_ = 0, size_ = 0, terms_ = 0;  // at the tilt
  double log_beyond_ = 0, left_out_ = 0;
  ChernoffBound higher_, lower_;
};

}  // namespace hockeystick
