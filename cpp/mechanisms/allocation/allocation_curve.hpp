// SPDX-License-Identifier: Apache-2.0
// The hockey-stick curve of a Gaussian mechanism that a record joins in 1 of t steps, drawn at random.
//
// In units of the noise, Q = N(0, I_t) and P = mean over i of N(mu e_i, I_t). With Y_i = e^(mu x_i - mu^2 / 2) and
// S = Y_1 + ... + Y_t, dP/dQ = S / t and E_Q S = t, so that with put(K) = E_Q (K - S)_+
//     h(alpha) = E_Q (S / t - alpha)_+ = put(alpha t) / t + 1 - alpha.
//
// The pair dominates the steps of every adaptive run in which each record draws its own step: let T_v take (N(mu, 1),
// N(0, 1)) to the outputs of the next step with and without the record, given the outputs v so far (Blackwell). Draw I
// uniformly, z_I from N(mu, 1) and the other z_i from N(0, 1); z fed through T one by one has the law of the run with
// the record, and z from N(0, I_t) that without it.
#pragma once

#include <complex>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/interval.hpp"
#include "numeric/lognormal_transform.hpp"

namespace hockeystick {

/// put(K) for K - t between two values of one sign, by a damped Fourier series: for x > 0, e^(-lambda x) put(x) has
/// the Fourier transform g(s)^t / s^2, s = lambda + i omega, g(s) = E e^(-s Y), and Poisson's summation gives
///     (1 / W) sum over whole j of e^(s_j K) g(s_j)^t / s_j^2 = sum over whole k of e^(-lambda k W) put(K + k W),
/// s_j = lambda + 2 pi i j / W. Every term on the right is >= 0, and k = 0 is put(K).
class AllocationSeries {
 public:
  /// `from`, `to`: the range of K - t. `accuracy`: of put(K) / t, about.
  AllocationSeries(const LognormalTransform& transform, double t, double from, double to, double accuracy);

  /// Encloses put(t + d) / t, d in the range.
  Interval put(double d) const;

  std::size_t samples() const { return re_.size(); }
  /// Whether the samples reach far enough; if not, put is known by two moments only.
  bool is_complete() const { return tail_ < 1e290; }

  /// The line, and what the samples add to the error of a sum over them, in units of e^log_unit.
  struct Booked {
    double lambda, period, spacing, log_unit, rounding, turning, size, tail;
    double chernoff, log_chernoff;  // the tilt of the aliases from below, and t log E e^(-tilt (Y - 1))
  };
  Booked booked() const {
    return {lambda_, period_, spacing_, log_unit_, rounding_, turning_, size_, tail_, chernoff_, log_chernoff_};
  }

 private:
  double alias_below(double d) const;
  Interval by_moments(double d) const;
  double log_tail(double omega) const;

  const LognormalTransform& transform_;
  double t_, deviation_, lambda_, period_, spacing_ = 0, log_unit_ = 0;
  double chernoff_ = 0, log_chernoff_ = 0;
  std::vector<double> re_, im_;  // (1 + G)^t / s^2 in units of e^log_unit, twice from j = 1 on
  double size_ = 0, rounding_ = 0, turning_ = 0, tail_ = infinity;
};

inline constexpr Parameter allocated_steps{"steps", {2, 1e12, Range::Ends::closed, true}};
inline constexpr Parameter allocated_epochs{"epochs", {1, 1e9, Range::Ends::closed, true}};

struct Allocation {
  double mu;  // 1 / noise multiplier
  double steps;
};

/// In the same place in each of `epochs` the record shifts a mean by sqrt(epochs) / noise multiplier; mu is that within
/// 4 u. Throws std::invalid_argument out of the ranges of steps, epochs and mu.
Allocation checked_allocation(double noise_multiplier, double steps, double epochs);

/// As law_below takes it.
constexpr std::size_t allocation_stride = 4;

/// h at e^x for x in steps of interval / allocation_stride, in longer ones where the upper tail is long, out to where
/// all but `tail` of either mass is inside. The curve of every mu within 4 u of the allocation's is enclosed.
EnclosedCurve allocation_curve(const Allocation& allocation, double interval, double tail);

}  // namespace hockeystick
