// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/gaussian_mgf_line.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

class GaussianLine final : public MgfLine {
 public:
  GaussianLine(double mu, double mu_error, double tilt)
      : half_square_(mu * mu / 2), error_(2.01 * mu_error + 8 * u), tilt_(tilt) {}

  // log M(tilt + i w) = mu^2/2 (tilt (tilt + 1) - w^2 + i w (2 tilt + 1)).
  Ball log_moment() const override {
    const double value = half_square_ * tilt_ * (tilt_ + 1);
    return {value, error_ * std::fabs(value)};  // proof: mgf-rounding
  }

  double log_moment_above(double tilt) const override {
    const double value = half_square_ * tilt * (tilt + 1);
    return value + error_ * std::fabs(value);
  }

  std::vector<MomentSample> samples(double spacing, std::size_t count) const override {
    std::vector<MomentSample> result{{0, 0, 0, 0}};
    for (std::size_t k = 1; k < count; ++k) {
      const double w = spacing * static_cast<double>(k);
      const double fall = half_square_ * w * w, angle = half_square_ * w * (2 * tilt_ + 1);
      // The size of what is left is at most that of the exponent, and 2.
      const double size = fall + std::fabs(angle);
      const double lost = math::expm1(-fall), modulus = 1 + lost, half = math::sin(angle / 2);
      result.push_back({lost * math::cos(angle) - 2 * half * half, modulus * math::sin(angle),  // proof: mgf-rounding
                        1.01 * (modulus * (error_ + 4 * u) * size + 24 * u * std::min(2.0, size)) + 1e-307, 0});
    }
    return result;
  }

  double truncation(double) const override { return 0; }

  double modulus_bound(double frequency) const override {
    return math::exp(-half_square_ * frequency * frequency * (1 - 1e-6)) * (1 + 1e-9) + 1e-307;  // proof: contour-tail
  }

  std::size_t size() const override { return 1; }

 private:
  double half_square_, error_, tilt_;
};

}  // namespace

std::unique_ptr<MgfLine> gaussian_line(double mu, double mu_error, double tilt) {
  return std::make_unique<GaussianLine>(mu, mu_error, tilt);
}

}  // namespace hockeystick
