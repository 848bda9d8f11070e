// SPDX-License-Identifier: Apache-2.0
// Characteristic functions of point masses at equally spaced frequencies, less 1, so that masses next to 0 keep their
// precision.
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

/// Sums over all masses, relative to their sum, from which the errors of samples follow.
class PointMassSums {
 public:
  void add(const PointMass& at) {
    const double far = std::fabs(at.place), off = at.mass * at.mass_error;
    sum_.add(at.mass);
    spread_ += at.mass * far, off_ += off, off_spread_ += off * far, moved_ += at.mass * at.place_error;
  }
  void close() {
    total_ = sum_.value();
    spread_ /= total_, off_ /= total_, off_spread_ /= total_, moved_ /= total_;
  }

  double total() const { return total_; }
  double spread() const { return spread_; }  // E|x|

  /// What the errors of masses and places take of sum m_i (e^(i w x_i) - 1) / sum m_i, a mean R of sizes of at most
  /// D = min(2, w E|x|): masses enter both sums and move R by m_i e_i (e^(i w x_i) - 1 - R).
  double off(double w) const {
    const double size = std::min(2.0, w * spread_);
    return std::min(2 * off_, w * off_spread_ + size * off_) + w * moved_;
  }

 private:
  CompensatedSum sum_;
  double total_ = 0, spread_ = 0, off_ = 0, off_spread_ = 0, moved_ = 0;
};

/// A sample of a transform less 1, and a bound of its error.
struct PointMassSample {
  double re_less_1, im, rounding;
};

class PointMassTransform {
 public:
  /// Masses are >= 0, not all 0; relative to their sum they may also be off by 1e-290.
  PointMassTransform(std::span<const PointMass> points, double spacing)
      : PointMassTransform(points.size(), [=](std::size_t i) { return points[i]; }, spacing) {}
  /// The same of point_at(0), .. point_at(size - 1).
  template <class PointAt>
  PointMassTransform(std::size_t size, const PointAt& point_at, double spacing)
      : spacing_(spacing), size_(size), padded_((size + 7) / 8 * 8), room_(5 * padded_) {
    for (std::size_t i = 0; i < size; ++i) {
      const PointMass at = point_at(i);
      room_[i] = at.mass, room_[padded_ + i] = at.place;
      farthest_ = std::max(farthest_, std::fabs(at.place));
      points_.add(at);
    }
    points_.close();
    double* const angle = room_.data() + 2 * padded_;
    turn_to(1);
    default_fft_kernel().turns_less_1(angle, angle + padded_, angle + 2 * padded_, padded_);
  }

  double spacing() const { return spacing_; }
  std::span<const double> masses() const { return {room_.data(), size_}; }
  std::span<const double> places() const { return {room_.data() + padded_, size_}; }
  const PointMassSums& sums() const { return points_; }

  /// sum m_i (e^(i k spacing x_i) - 1) / sum m_i at k = 1, 2, ... in turn, and a bound of its error. With w = k
  /// spacing, the mean of abs(e^(i w x) - 1) is at most D = min(2, w E|x|). An angle is off by 2.4 u of itself: two
  /// products, and 0.4 for what a double is off pi. The first of four turns is off by 16 u D, three more products by 2
  /// u D each; F = min(2, spacing E|x|) bounds the turn by the spacing, which they are off by 16 u of, and by 7 u for
  /// its product. Sums of n terms `turned_roundings(n)`, the products with masses, the sum of these and the quotient 6.
  PointMassSample next() {
    const double* const mass = room_.data();
    if (next_ == sums_.size()) {
      const double* const angle = mass + 2 * padded_;
      turn_to(turns_ + 1);
      default_fft_kernel().rotate(mass, angle, angle + padded_, angle + 2 * padded_, padded_, sums_.data());
      next_ = 0;
    }
    const double x = sums_[next_++], y = sums_[next_++];
    turns_ += 1;
    const double w = turns_ * spacing_, size = std::min(2.0, w * points_.spread());
    const double turned = (turned_roundings(padded_) + 28) * size + 70 * std::min(2.0, spacing_ * points_.spread());
    // proof: mgf-rounding, smoothing-rounding
    const double rounding = points_.off(w) + unit_roundoff * (turned + 2.4 * w * points_.spread()) + 1e-280;
    return {x / points_.total(), y / points_.total(), 1.01 * rounding};
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
      while (std::fabs(angle[i]) >= farthest_turn) angle[i] = nearest_remainder(angle[i], 2 * std::numbers::pi);
  }

  double spacing_;
  std::size_t size_, padded_;
  std::vector<double> room_;         // masses, places, angles, turns by the spacing less 1: real and imaginary parts
  std::array<double, 8> sums_{};     // of four frequencies
  std::size_t next_ = sums_.size();  // index of the next of them
  PointMassSums points_;
  double turns_ = 0, farthest_ = 0;
};

}  // namespace hockeystick
