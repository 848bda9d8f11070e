// SPDX-License-Identifier: Apache-2.0
// The functions of a noise that the user gives, with the errors of their values, and tails where the functions are not
// trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mechanisms/additive/additive_noise.hpp"
#include "mechanisms/additive/noise_side.hpp"

namespace hockeystick {

/// Bound of the mass of the noise beyond its reach, which is counted without integration.
inline constexpr double negligible_noise = 1e-306;

/// g = log_density and F = distribution of a `Noise`. Throws std::invalid_argument where their values contradict it.
class NoiseFunctions {
 public:
  explicit NoiseFunctions(Noise noise);

  /// g(0), and the distance beyond which the mass of the noise is negligible.
  double peak() const { return peak_; }
  double reach() const { return reach_; }
  double accuracy() const { return noise_.accuracy; }
  const std::optional<double>& steepest() const { return noise_.steepest; }

  std::vector<double> log_density(const std::vector<double>& x) const;
  /// F(-distance).
  std::vector<double> tails(std::vector<double> distance) const;
  /// Bound of the error of a value of log_density: accuracy (1 + |g|), |g| from the value itself.
  double off(double g) const;

  /// Sides of thresholds at x, which may be rounded. The errors contain the functions' own accuracy.
  std::vector<NoiseSide> sides(const std::vector<double>& x, bool rounded) const;
  /// The error that the rounding of x, u |x|, makes in masses times e^shift.
  double displaced(const NoiseSide& side, double shift) const;

 private:
  bool is_negligible(double x) const;
  void bound_tails(std::vector<NoiseSide>& of, const std::vector<std::size_t>& listed) const;

  Noise noise_;
  double peak_ = 0, reach_ = 0;
};

}  // namespace hockeystick
