// SPDX-License-Identifier: Apache-2.0
// Sums over samples of a transform on a contour, by the vector kernel, with their rounding.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "numeric/interval.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {

/// Points s of a contour with values there.
class SampledContour {
 public:
  explicit SampledContour(const SimdKernels& kernel) : kernel_(kernel) {}

  /// The value is off by `off`, and s by so much that e^(s d) value is off by `off_by_d` d e^(Re s d).
  void add(std::complex<double> s, std::complex<double> value, double off, double off_by_d = 0) {
    if (size_ % 8 == 0)
      for (std::vector<double>& of : columns_) of.resize(size_ + 8);  // by 0
    const std::array all{s.real(), s.imag(), value.real(), value.imag(), off, off_by_d};
    for (std::size_t i = 0; i < all.size(); ++i) columns_[i][size_] = all[i];
    ++size_;
  }

  std::size_t size() const { return size_; }

  /// The sum of Im(e^(s d) value), |Im s d| <= 2^20.
  Ball at(double d) const {
    const auto& [s_re, s_im, value_re, value_im, off, off_by_d] = columns_;
    double sums[2];
    kernel_.contour_sums(
        {s_re.data(), s_im.data(), value_re.data(), value_im.data(), off.data(), off_by_d.data(), s_re.size()}, d,
        sums);
    return {sums[0], sums[1]};
  }

 private:
  const SimdKernels& kernel_;
  std::size_t size_ = 0;
  std::array<std::vector<double>, 6> columns_;
};

}  // namespace hockeystick
