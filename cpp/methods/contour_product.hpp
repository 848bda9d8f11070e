// SPDX-License-Identifier: Apache-2.0
// What a contour sum multiplies: the moments of the steps of a composition on the samples of a line, with all errors.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "methods/question.hpp"
#include "plan/contour_plan.hpp"

namespace hockeystick {

/// The line of each term in turn, good until the next is asked for.
using LineOf = std::function<const MgfLine&(std::size_t)>;

/// Made one after the other; throws NoLine where a term has none.
LineOf made_in_turn(const Direction& direction, const LineNeeds& needs);
struct NoLine {};

inline LineOf kept(const Lines& lines) {
  return [&lines](std::size_t j) -> const MgfLine& { return *lines[j]; };
}

/// Chernoff's bound of a composition at one tilt >= 0, term by term.
class ChernoffBound {
 public:
  explicit ChernoffBound(double tilt) : tilt_(tilt) {}
  void add(const MgfLine& line, std::int64_t count);

  /// log of an upper bound of delta(epsilon): e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y).
  double log_delta(double epsilon) const;

 private:
  double tilt_, value_ = 0, size_ = 1, terms_ = 0;
};

/// Of the terms multiplied so far. Where a sample is all but lost in its error the product counts as 0, within what it
/// may be at most.
class ContourProduct {
 public:
  ContourProduct(const Direction& direction, const LineOf& line_of, const Contour& contour);

  /// By more terms.
  void multiply(const Direction& more, const LineOf& line_of);

  /// The product at a sample, relative to the moment at the tilt, and its error.
  std::pair<std::complex<double>, double> at(std::size_t k) const;

  Ball log_moment() const;                           // at the tilt
  double log_beyond() const { return log_beyond_; }  // bounds the product from the last sample on
  double left_out() const { return left_out_; }      // upper bound of the mass of the losses that no moment counts
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
