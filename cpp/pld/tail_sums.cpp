// SPDX-License-Identifier: Apache-2.0
// Sums over blocks of 64 points.
//
// A block of m points with masses c_0 .. c_(m-1), the lowest first, put before sums `steps` and `curve`:
//     steps' = sum_j c_j (rho sigma)^j + (rho sigma)^m steps,
//     curve' = sum_j c_j rho^j (1 - sigma^j) + rho^m (curve + (1 - sigma^m) steps),
// and likewise for the sums times distance, each term having passed j or m more points.
//
// Rounding (proved), with d <= 1: the weight of point j >= 1 is off by 3 (1 + |tilt|) d j u for its arguments and 8 u
// for e^x (2 u), e^x - 1 (5 u with its argument) and their product; the sum adds j + 6 roundings. All of this is below
// (12 + 3 |tilt| d) (j + 1) u, which Suffix states for j + 1 points; for j = 0 the weights 1 and 0 are exact. The sums
// beyond the block are off by at most 192 (1 + |tilt|) d u + 12 u, below 64 (12 + 3 |tilt| d) u.
#include "pld/tail_sums.hpp"

#include <algorithm>

#include "numeric/simd/cpu.hpp"

namespace hockeystick {

SuffixBlock::SuffixBlock(double tilt, double interval) {
  constexpr std::size_t all = points + 8;  // one more than points, padded
  const SimdKernels& kernel = default_fft_kernel();
  double rho[all], rho_sigma[all], sigma_less_1[all];
  for (std::size_t j = 0; j < all; ++j) {
    const auto index = static_cast<double>(std::min(j, points));
    rho[j] = -tilt * interval * index;
    rho_sigma[j] = -(1 + tilt) * interval * index;
    sigma_less_1[j] = -interval * index;
  }
  kernel.exponentials(rho, all), kernel.exponentials(rho_sigma, all), kernel.exponentials_less_1(sigma_less_1, all);
  for (std::size_t j = 0; j < points; ++j) {
    weights_[0][j] = rho_sigma[j];
    weights_[1][j] = rho[j] * -sigma_less_1[j];
    weights_[2][j] = static_cast<double>(j) * weights_[0][j];
    weights_[3][j] = static_cast<double>(j) * weights_[1][j];
  }
  rho_ = rho[points], rho_sigma_ = rho_sigma[points], fall_ = -sigma_less_1[points];  // proof: tail-sums
}

void Suffix::extend_by(const SuffixBlock& block) {
  constexpr auto m = static_cast<double>(SuffixBlock::points);
  next_ -= SuffixBlock::points;
  double sums[4];
  default_fft_kernel().weigh(mass_.data() + next_, block.weights_, SuffixBlock::points, sums);
  const double steps_beyond = steps_distance_ + m * steps_, curve_beyond = curve_distance_ + m * curve_;
  curve_distance_ = sums[3] + block.rho_ * (curve_beyond + block.fall_ * steps_beyond);
  steps_distance_ = sums[2] + block.rho_sigma_ * steps_beyond;
  curve_ = sums[1] + block.rho_ * (curve_ + block.fall_ * steps_);
  steps_ = sums[0] + block.rho_sigma_ * steps_;
}

}  // namespace hockeystick
