// SPDX-License-Identifier: Apache-2.0
// Sums of independent log-normal variables by a damped Fourier series, with error bounds.
#pragma once

#include <cstddef>

#include "mechanisms/allocation/lognormal_sum.hpp"
#include "numeric/interval.hpp"
#include "numeric/sampled_contour.hpp"

namespace hockeystick {

/// f(K) = P(S <= K), or put(K) = E (K - S)_+, of a sum S. With m = E S and g(s) = E e^(-s (S - m)), e^(-lambda x) f(x)
/// has the Fourier transform e^(-s m) g(s) / s^order, s = lambda + i omega, of order 1 or 2, and Poisson's summation
/// gives
///     (1 / W) sum over whole j of e^(s_j (K - m)) g(s_j) / s_j^order = sum over whole k of e^(-lambda k W) f(K + k W),
/// s_j = lambda + 2 pi i j / W. Every term on the right is >= 0, and k = 0 is f(K).
class LognormalSeries {
 public:
  /// `from`, `to`: the range of K - m, for put of one sign; probabilities hold at all K - m up to `to`. `accuracy`: of
  /// f, about; probabilities are coarser where that takes too many samples.
  LognormalSeries(const LognormalSum& sum, Kind kind, double from, double to, double accuracy);

  /// Encloses f(m + d), d in the range.
  Interval at(double d) const;

  std::size_t samples() const { return samples_.size(); }
  /// Whether the samples reach far enough. If not, put is known by two moments only, and of a probability nothing.
  bool is_complete() const { return tail_ < 1e290; }

  /// The line, and what its samples leave out, in units of e^log_unit.
  struct Booked {
    double lambda, period, spacing, log_unit, tail;
    double chernoff, log_chernoff;  // the tilt of the aliases from below, and the log of g there
  };
  Booked booked() const { return {lambda_, period_, spacing_, log_unit_, tail_, chernoff_, log_chernoff_}; }
  /// The sum over the samples in units of e^(lambda d + log_unit), and its rounding.
  Ball sum_at(double d) const { return samples_.at(d); }

 private:
  bool is_put() const { return kind_ == Kind::put; }
  void plan(double from, double to, double part);
  void take_samples(double to, double part);
  double steepest() const;
  double saddle(double d) const;
  double log_left_out(std::size_t from) const;
  double alias_above(double d) const;
  double alias_below(double d) const;
  Interval by_moments(double d) const;

  const LognormalSum& sum_;
  Kind kind_;
  double lambda_ = 0, period_ = 0, spacing_ = 0, log_unit_ = 0;
  double chernoff_ = 0, log_chernoff_ = 0, tail_ = infinity;
  SampledContour samples_;  // i g / s^order in units of e^log_unit, twice from j = 1 on, at i times their frequencies
};

}  // namespace hockeystick
