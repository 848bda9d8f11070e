// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive/laplace_line.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

// M(z) is M(-1 - z), so that tilts below -1/2 are asked above it, where samples are conjugate. Next to -1/2 weights of
// opposite signs are too large.
bool is_turned(double tilt) { return tilt < -0.5; }
double above_half(double tilt) { return is_turned(tilt) ? -1 - tilt : tilt; }
bool is_too_close(double tilt) { return !(above_half(tilt) + 0.5 > 0x1p-20); }

class LaplaceLine final : public FormulaLine {
 public:
  LaplaceLine(double m, double m_error, double tilt)
      : m_(m),
        m_error_(m_error),
        tilt_(above_half(tilt)),
        sign_(is_turned(tilt) ? -1 : 1),
        sigma_(tilt_ + 0.5),
        below_(-math::expm1(-2 * m * sigma_)),
        up_(2 * sigma_ / (2 * sigma_ - tilt_ * below_)) {}

  Ball log_moment() const override { return log_moment(tilt_); }

  double log_moment_above(double tilt) const override {
    if (is_too_close(tilt)) return 0;  // M is at most 1 between -1 and 0
    const auto [value, error] = log_moment(above_half(tilt));
    return value + error;
  }

  // The decay of the two atoms and of the densities: abs(z + 1) / abs(2 z + 1) falls with the frequency, and abs(z) /
  // abs(2 z + 1) rises or falls to 1/2.
  double modulus_bound(double frequency) const override {
    const double all = math::hypot(2 * sigma_, 2 * frequency);
    const double high = math::hypot(tilt_ + 1, frequency) / all, low = math::hypot(tilt_, frequency) / all;
    return std::min(1.0, up_ * (high + (1 - below_) * std::max(low, 0.5)) * (1 + 1e-9));  // proof: laplace-moments
  }

 private:
  // log((t + 1) e^(m t) / (2 t + 1) + t e^(-m (t + 1)) / (2 t + 1)), of weights that add up to 1.
  Ball log_moment(double t) const {
    const double all = 2 * t + 1;
    if (m_ * std::fabs(t) > 1 && m_ * all > 1) {
      const double rest = math::log((t + 1 + t * math::exp(-m_ * all)) / all), size = m_ * std::fabs(t);
      // proof: laplace-moments
      return {m_ * t + rest, u * (2 * size + 5 * std::fabs(rest) + 16) + std::fabs(t) * m_error_};
    }
    const double high = (t + 1) / all * math::expm1(m_ * t), low = t / all * math::expm1(-m_ * (t + 1));
    const double value = math::log1p(high + low), least = std::min(1.0, 1 + (high + low));
    // proof: laplace-moments
    const double error = u * (12 * (std::fabs(high) + std::fabs(low)) / least + 4 * std::fabs(value));
    if (!(least > 0 && error < 0.01)) return {0, infinity};
    return {value, error + std::fabs(t) * m_error_};
  }

  // M(z) / M(tilt) - 1 with the masses `up_` and `up_` (1 - below_) of both atoms over their weights, in terms of the
  // size of the angle m w.
  MomentSample sample(double w) const override {
    const double angle = m_ * w, sine = math::sin(angle), cosine = math::cos(angle), half = math::sin(angle / 2);
    const double of_both = up_ * (2 - below_), apart = up_ * below_;
    const double turn = up_ * (1 + tilt_ * below_) / (2 * sigma_), turned = turn * sine, lost = 2 * half * half;
    const double im = w / (4 * (sigma_ * sigma_ + w * w)), re = im * w / sigma_;
    const double evaluated = lost + std::fabs(turned) + (re + im) * (of_both * std::fabs(sine) + apart);
    // proof: laplace-moments
    const double rounding = u * (40 * evaluated + 3 * angle * (std::max(1.0, turn) + (re + im) * of_both)) +
                            m_error_ * (w + 2.1 * std::fabs(tilt_) * std::min(2.0, angle));
    return {im * of_both * sine - re * apart * cosine - lost,
            sign_ * (turned - re * of_both * sine - im * apart * cosine), 1.01 * rounding + 1e-300, 0};
  }

  double m_, m_error_, tilt_, sign_;
  double sigma_;  // tilt + 1/2
  double below_;  // 1 - e^(-m (2 tilt + 1))
  double up_;     // e^(m tilt) / M(tilt)
};

}  // namespace

std::unique_ptr<MgfLine> laplace_line(double m, double m_error, double tilt) {
  if (is_too_close(tilt)) return nullptr;
  return std::make_unique<LaplaceLine>(m, m_error, tilt);
}

}  // namespace hockeystick
