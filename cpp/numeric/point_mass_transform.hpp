// SPDX-License-Identifier: Apache-2.0
// Characteristic functions of point masses at equally spaced frequencies, less 1, so that masses next to 0 lose
// nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

/// A mass at a place, with bounds of the relative error of the mass and of the error of the place.
struct PointMass {
  double mass, place;
  double mass_error = 0, place_error = 0;
};

class PointMassTransform {
 public:
  /// Masses are >= 0, not all 0; relative to their sum they may also be off by 1e-290.
  PointMassTransform(std::span<const PointMass> points, double spacing)
      : PointMassTransform(points.size(), [=](std::size_t i) { return points[i]; }, spacing) {}
  /// The same of point_at(0), .. point_at(size - 1).
  template <class PointAt>
  PointMassTransform(std::size_t size, const PointAt& point_at, double spacing)
      : spacing_(spacing), padded_((size + 7) / 8 * 8), room_(5 * padded_) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < size; ++i) {
      const PointMass at = point_at(i);
      const double far = std::fabs(at.place), off = at.mass * at.mass_error;
      room_[i] = at.mass, room_[padded_ + i] = at.place;
      farthest_ = std::max(farthest_, far);
      sum.add(at.mass);
      spread_ += at.mass * far, off_ += off, off_spread_ += off * far, moved_ += at.mass * at.place_error;
    }
    sum_ = sum.value();
    spread_ /= sum_, off_ /= sum_, off_spread_ /= sum_, moved_ /= sum_;
    double* const angle = room_.data() + 2 * padded_;
    turn_to(1);
    default_fft_kernel().turns_less_1(angle, angle + padded_, angle + 2 * padded_, padded_);
  }

  /// sum m_i (e^(i k spacing x_i) - 1) / sum m_i at k = 1, 2, ... in turn, and a bound of its error. With w = k
  /// spacing, the mean of abs(e^(i w x) - 1) is at most D = min(2, w E|x|). Masses enter both sums: off by e_i they
  /// move their quotient R by m_i e_i (e^(i w x_i) - R). An angle is off by 2.4 u of itself: two products, and 0.4 for
  /// what a double is off pi. The first of four turns is off by 16 u D, three more products by 2 u D each; F = min(2,
  /// spacing E|x|) bounds the turn by the spacing, which they are off by 16 u of, and by 7 u for its product. Sums of n
  /// terms n / 4 + 8, the products with masses, the sum of these and the quotient 6.
  struct Sample {
    double re_less_1, im, rounding;
  };
  Sample next() {
    const double* const mass = room_.data();
    if (next_ == sums_.size()) {
      const double* const angle = mass + 2 * padded_;
      turn_to(turns_ + 1);
      default_fft_kernel().rotate(mass, angle, angle + padded_, angle + 2 * padded_, padded_, sums_.data());
      next_ = 0;
    }
    const double x = sums_[next_++], y = sums_[next_++];
    turns_ += 1;
    const double w = turns_ * spacing_, size = std::min(2.0, w * spread_);
    const double of_masses = std::min(2 * off_, w * off_spread_ + size * off_);
    const double turned = (static_cast<double>(padded_) / 4 + 36) * size + 70 * std::min(2.0, spacing_ * spread_);
    // proof: mgf-rounding, smoothing-rounding
    const double rounding = of_masses + w * moved_ + unit_roundoff * (turned + 2.4 * w * spread_) + 1e-280;
    return {x / sum_, y / sum_, 1.01 * rounding};
  }

 private:
  static constexpr double farthest_turn = 0x1p20;  // that kernels take

  // The remainder by the double next to 2 pi is exact.
  void turn_to(double turns) {
    const double w = turns * spacing_;
    const double* const place = room_.data() + padded_;
    double* const angle = room_.data() + 2 * padded_;
    for (std::size_t i = 0; i < padded_; ++i) angle[i] = w * place[i];
    if (!(w * farthest_ >= farthest_turn)) return;
    for (std::size_t i = 0; i < padded_; ++i)
      if (std::fabs(angle[i]) >= farthest_turn) angle[i] = std::remainder(angle[i], 2 * std::numbers::pi);
  }

  double spacing_;
  std::size_t padded_;
  std::vector<double> room_;         // masses, places, angles, turns by the spacing less 1: real and imaginary parts
  std::array<double, 8> sums_{};     // of four frequencies
  std::size_t next_ = sums_.size();  // index of the next of them
  double sum_ = 0, turns_ = 0, farthest_ = 0;
  double spread_ = 0, off_ = 0, off_spread_ = 0,
         moved_ = 0;  // means of |x|, of errors of masses, these times |x|, of places
};

}  // namespace hockeystick
