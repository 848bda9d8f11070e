// SPDX-License-Identifier: Apache-2.0
// Characteristic functions of point masses at equally spaced frequencies: from one frequency to the next, every mass
// turns by its place times the spacing.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

class PointMassTransform {
 public:
  /// Masses are >= 0, not all 0.
  PointMassTransform(std::span<const double> masses, std::span<const double> places, double spacing)
      : padded_((masses.size() + 7) / 8 * 8), room_(4 * padded_) {
    double size = 0;
    CompensatedSum sum;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const double angle = spacing * places[i];
      room_[i] = masses[i];
      room_[2 * padded_ + i] = math::cos(angle);
      room_[3 * padded_ + i] = math::sin(angle);
      sum.add(masses[i]);
      size += masses[i] * std::fabs(angle);
    }
    sum_ = sum.value();
    turn_ = 1.01 * unit_roundoff * (size / sum_ + 8);
  }

  /// sum m_i e^(i k spacing x_i) / sum m_i at k = 1, 2, ... in turn, and its rounding. A turn is off by u times the
  /// angle, and by 8 u for sine, cosine and the product; a sum meets at most n/4 + 8 roundings, and the sum at
  /// frequency 0 is compensated.
  struct Sample {
    double re, im, rounding;
  };
  Sample next() {
    double* const re = room_.data();
    if (next_ == sums_.size()) {
      default_fft_kernel().rotate(re, re + padded_, re + 2 * padded_, re + 3 * padded_, padded_, sums_.data());
      next_ = 0;
    }
    const double x = sums_[next_++], y = sums_[next_++];
    turns_ += 1;
    const double summing = (static_cast<double>(padded_) / 4 + 14) * unit_roundoff;
    return {x / sum_, y / sum_, turns_ * turn_ + summing};  // proof: mgf-rounding, smoothing-rounding
  }

 private:
  std::size_t padded_;
  std::vector<double> room_;         // real and imaginary parts, cosines, sines
  std::array<double, 8> sums_;       // of four frequencies
  std::size_t next_ = sums_.size();  // index of the next of them
  double sum_ = 0, turn_ = 0, turns_ = 0;
};

}  // namespace hockeystick
