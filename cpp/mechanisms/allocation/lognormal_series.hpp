// SPDX-License-Identifier: Apache-2.0
// Sums of independent log-normal variables by a damped Fourier series, with error bounds.
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

/// The standard deviation of a sum, rounded up.
double deviation(const LognormalTransform& transform, const std::vector<LognormalPart>& parts);

/// f(K) = P(S <= K), or put(K) = E (K - S)_+, of a sum S. With m = E S and g(s) = E e^(-s (S - m)), e^(-lambda x) f(x)
/// has the Fourier transform e^(-s m) g(s) / s^order, s = lambda + i omega, of order 1 or 2, and Poisson's summation
/// gives
///     (1 / W) sum over whole j of e^(s_j (K - m)) g(s_j) / s_j^order = sum over whole k of e^(-lambda k W) f(K + k W),
/// s_j = lambda + 2 pi i j / W. Every term on the right is >= 0, and k = 0 is f(K).
class LognormalSeries {
 public:
  enum class Kind { probability, put };

  /// `from`, `to`: the range of K - m, for put of one sign; probabilities hold at all K - m up to `to`. `accuracy`: of
  /// f, about; probabilities are coarser where that takes too many samples.
  LognormalSeries(const LognormalTransform& transform, std::vector<LognormalPart> parts, Kind kind, double from,
                  double to, double accuracy);

  /// Encloses f(m + d), d in the range.
  Interval at(double d) const;

  std::size_t samples() const { return re_.size(); }
  /// Whether the samples reach far enough. If not, put is known by two moments only, and of a probability nothing.
  bool is_complete() const { return tail_ < 1e290; }

  /// The line, and what the samples add to the error of a sum over them, in units of e^log_unit.
  struct Booked {
    double lambda, period, spacing, log_unit, rounding, turning, size, tail;
    double chernoff, log_chernoff;  // the tilt of the aliases from below, and the log of g there
  };
  Booked booked() const {
    return {lambda_, period_, spacing_, log_unit_, rounding_, turning_, size_, tail_, chernoff_, log_chernoff_};
  }

 private:
  struct Sample {
    double log_size, turn, wrong;  // of g: wrong is the error of log g, or log_size an upper bound if not known
    bool is_known;
  };
  bool is_put() const { return kind_ == Kind::put; }
  void plan(double from, double to, double part);
  void take_samples(double to, double part);
  Sample sample(std::complex<double> s) const;
  double steepest() const;
  double saddle(double d) const;
  double log_moment_above(double c) const;
  double log_left_out(std::size_t from) const;
  double log_left_out(double omega, double theta) const;
  double alias_above(double d) const;
  double alias_below(double d) const;
  Interval by_moments(double d) const;

  const LognormalTransform& transform_;
  std::vector<LognormalPart> parts_;
  Kind kind_;
  double mean_ = 0, largest_ = 0, deviation_, lambda_ = 0, period_ = 0, spacing_ = 0, log_unit_ = 0;
  double chernoff_ = 0, log_chernoff_ = 0;
  std::vector<double> re_, im_;  // g / s^order in units of e^log_unit, twice from j = 1 on
  double size_ = 0, rounding_ = 0, turning_ = 0, tail_ = infinity;
};

}  // namespace hockeystick
