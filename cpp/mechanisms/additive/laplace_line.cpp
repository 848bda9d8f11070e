// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive/laplace_line.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

class LaplaceLine final : public MgfLine {
 public:
  LaplaceLine(double m, double m_error, double tilt)
      : m_(m),
        m_error_(m_error),
        tilt_(tilt),
        sigma_(tilt + 0.5),
        below_(-math::expm1(-2 * m * sigma_)),
        up_(2 * sigma_ / (2 * sigma_ - tilt * below_)) {}

  Ball log_moment() const override { return log_moment(tilt_); }

  double log_moment_above(double tilt) const override {
    const auto [value, error] = log_moment(tilt);
    return value + error;
  }

  std::vector<MomentSample> samples(double spacing, std::size_t count) const override {
    std::vector<MomentSample> result{{0, 0, 0, 0}};
    result.reserve(count);
    for (std::size_t k = 1; k < count; ++k) {
      checkpoint_each<4096>(k);
      result.push_back(sample(static_cast<double>(k) * spacing));
    }
    return result;
  }

  double truncation(double) const override { return 0; }

  // Of the two atoms with their densities: abs(z + 1) / abs(2 z + 1) falls with the frequency, abs(z) / abs(2 z + 1)
  // rises to 1/2.
  double modulus_bound(double frequency) const override {
    const double high = math::hypot(tilt_ + 1, frequency) / math::hypot(2 * sigma_, 2 * frequency);
    return std::min(1.0, up_ * (high + (1 - below_) / 2) * (1 + 1e-9));  // proof: laplace-moments
  }

  std::size_t size() const override { return 1; }

 private:
  // log((t + 1) e^(m t) / (2 t + 1) + t e^(-m (t + 1)) / (2 t + 1)), of weights that add up to 1.
  Ball log_moment(double t) const {
    const double all = 2 * t + 1;
    if (m_ * t > 1) {
      const double value = m_ * t + math::log((t + 1 + t * math::exp(-m_ * all)) / all);
      return {value, u * (2 * std::fabs(value) + 16) + t * m_error_};  // proof: laplace-moments
    }
    const double high = (t + 1) / all * math::expm1(m_ * t), low = t / all * math::expm1(-m_ * (t + 1));
    const double value = math::log1p(high + low);
    return {value, u * (12 * (high - low) + 4 * std::fabs(value)) + t * m_error_};  // proof: laplace-moments
  }

  // M(z) / M(tilt) - 1 with the masses `up_` and `up_` (1 - below_) of both atoms over their weights, in terms of the
  // size of the angle m w.
  MomentSample sample(double w) const {
    const double angle = m_ * w, sine = math::sin(angle), cosine = math::cos(angle), half = math::sin(angle / 2);
    const double of_both = up_ * (2 - below_), apart = up_ * below_;
    const double turned = up_ * (1 + tilt_ * below_) / (2 * sigma_) * sine, lost = 2 * half * half;
    const double im = w / (4 * (sigma_ * sigma_ + w * w)), re = im * w / sigma_;
    const double evaluated = lost + std::fabs(turned) + (re + im) * (of_both * std::fabs(sine) + apart);
    // proof: laplace-moments
    const double rounding = u * (40 * evaluated + 3 * angle * (1 + (re + im) * of_both)) +
                            m_error_ * (w + 2.1 * tilt_ * std::min(2.0, angle));
    return {im * of_both * sine - re * apart * cosine - lost, turned - re * of_both * sine - im * apart * cosine,
            1.01 * rounding + 1e-300, 0};
  }

  double m_, m_error_, tilt_;
  double sigma_;  // tilt + 1/2
  double below_;  // 1 - e^(-m (2 tilt + 1))
  double up_;     // e^(m tilt) / M(tilt)
};

}  // namespace

std::unique_ptr<MgfLine> laplace_line(double m, double m_error, double tilt) {
  return std::make_unique<LaplaceLine>(m, m_error, tilt);
}

}  // namespace hockeystick
