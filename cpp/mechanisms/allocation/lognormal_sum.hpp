// SPDX-License-Identifier: Apache-2.0
// The distribution function of a sum of independent log-normal variables, with error bounds.
#pragma once

#include <complex>
#include <vector>

#include "numeric/interval.hpp"
#include "numeric/lognormal_transform.hpp"

namespace hockeystick {

/// `count` independent copies of scale * Y, Y = e^(mu x - mu^2 / 2), x standard normal.
struct LognormalPart {
  double scale, count;
};

/// P(S <= K) by a damped Fourier series. With m = E S and g(s) = E e^(-s (S - m)), e^(-lambda x) P(S <= x) has the
/// Fourier transform e^(-s m) g(s) / s, s = lambda + i omega, and Poisson's summation gives
///     (1 / W) sum over whole j of e^(s_j (K - m)) g(s_j) / s_j = sum over whole k of e^(-lambda k W) P(S <= K + k W),
/// s_j = lambda + 2 pi i j / W. Every term on the right is >= 0, and k = 0 is P(S <= K).
class LognormalSum {
 public:
  /// `to`: the largest K - m asked for. `accuracy`: of probabilities, about, or coarser
  /// if it takes too many samples.
  LognormalSum(const LognormalTransform& transform, std::vector<LognormalPart> parts, double to, double accuracy);

  /// Encloses P(S - m <= d), d at most `to`.
  Interval up_to(double d) const;

  std::size_t samples() const { return re_.size(); }

  /// The line, and what the samples add to the error of a sum over them.
  struct Booked {
    double lambda, period, spacing, rounding, turning, size, tail;
    double chernoff, log_chernoff;  // the tilt of the aliases from below, and the log of g there
  };
  Booked booked() const {
    return {lambda_, period_, spacing_, rounding_, turning_, size_, tail_, chernoff_, log_chernoff_};
  }

 private:
  struct Sample {
    double log_size, turn, wrong;  // of g: wrong is the error of log g, or log_size an upper bound if not known
    bool is_known;
  };
  void plan(double to, double part);
  std::size_t samples_for(double log_part) const;
  Sample sample(std::complex<double> s) const;
  double log_moment_above(double c) const;
  double log_tail(double omega) const;
  double alias_below(double d) const;

  const LognormalTransform& transform_;
  std::vector<LognormalPart> parts_;
  double mean_ = 0, largest_ = 0, lambda_, period_, spacing_;
  double chernoff_ = 0, log_chernoff_ = 0;
  std::vector<double> re_, im_;  // g / s, twice from j = 1 on
  double size_ = 0, rounding_ = 0, turning_ = 0, tail_ = infinity;
};

/// The standard deviation of a sum, rounded up.
double deviation(const LognormalTransform& transform, const std::vector<LognormalPart>& parts);

}  // namespace hockeystick
