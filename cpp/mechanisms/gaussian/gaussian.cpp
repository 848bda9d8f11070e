// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/gaussian/gaussian_cells.hpp"
#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

class GaussianLine final : public FormulaLine {
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

  double modulus_bound(double frequency) const override {
    return math::exp(-half_square_ * frequency * frequency * (1 - 1e-6)) * (1 + 1e-9) + 1e-307;  // proof: contour-tail
  }

 private:
  // The size of M(z) / M(tilt) - 1 is at most that of the exponent, and at most 2.
  MomentSample sample(double w) const override {
    const double fall = half_square_ * w * w, angle = half_square_ * w * (2 * tilt_ + 1);
    const double size = fall + std::fabs(angle);
    const double lost = math::expm1(-fall), modulus = 1 + lost, half = math::sin(angle / 2);
    // proof: mgf-rounding
    const double rounding = modulus * (error_ + 4 * u) * size + 24 * u * std::min(2.0, size);
    return {lost * math::cos(angle) - 2 * half * half, modulus * math::sin(angle), 1.01 * rounding + 1e-307, 0};
  }

  double half_square_, error_, tilt_;
};

class GaussianPair final : public DominatingPair {
 public:
  GaussianPair(double mu, double mu_error) : mu_(mu), mu_error_(mu_error) {}

  PairCells integrate(std::span<const double> losses) const override {
    const GaussianEdges edges = carried(losses);
    PairCells result = gaussian_cells(family(), losses, edges);
    add_gaussian_tails(family(), losses, edges, result);
    result.lower_tail_q = normal_tail(-edges.at.front().x) * (1 + 2 * normal_error);
    return result;
  }

  PairCells integrate_inner(std::span<const double> losses) const override {
    return gaussian_cells(family(), losses, carried(losses));
  }

  LossNodes nodes() const override {
    return trapezoid_nodes(0, mu_, 0.5, [&](std::span<double> x, std::span<double> log_density) {
      for (std::size_t i = 0; i < x.size(); ++i) log_density[i] += x[i] = mu_ * (x[i] - mu_ / 2);
    });
  }

  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const override {
    return gaussian_line(mu_, mu_error_, needs.tilt);
  }

  double gaussian_mu() const override { return mu_; }
  std::shared_ptr<const DominatingPair> reverse() const override { return gaussian_pair(mu_, mu_error_); }
  Interval infinity_mass() const override { return {0, 0}; }
  double largest_loss_from_below() const override { return infinity; }

  double tail_moment_bound(double top, double t) const override {
    const double mu = mu_ * (1 + mu_error_ + 4 * u);
    return shifted_tail_moment(mu, top / mu + mu / 2, t);
  }
  double renyi_slope_bound(double) const override { return mu_ * mu_ / 2 * (1 + 2 * mu_error_ + 8 * u); }
  double renyi_slope_limit() const override { return mu_ * mu_ / 2 * (1 - 2 * mu_error_ - 8 * u); }

 private:
  GaussianFamily family() const { return {mu_, 0, 1, 1, 0, mu_}; }

  GaussianEdges carried(std::span<const double> losses) const {
    GaussianEdges edges;
    edges.at.reserve(losses.size());
    for (const double loss : losses) {
      checkpoint_each<1024>(edges.at.size());
      const double x = loss / mu_ + mu_ / 2;
      edges.at.push_back({x, 0.0});
      // Rounding of x (three operations), and |dL| <= mu (|x| + mu) * mu_error for the same noise.
      const double error = 4 * u * (std::fabs(loss) + mu_ * mu_) + mu_error_ * mu_ * (std::fabs(x) + mu_);
      edges.loss_error = std::max(edges.loss_error, error);
    }
    return edges;
  }

  double mu_, mu_error_;
};

// proof: parameter-rounding
const Registration registration("gaussian", {{parameter::noise_multiplier}},
                                [](Parameters p) { return gaussian_pair(1 / p[0], u); });

}  // namespace

std::shared_ptr<const DominatingPair> gaussian_pair(double mu, double mu_error) {
  return std::make_shared<GaussianPair>(mu, mu_error);
}

std::unique_ptr<MgfLine> gaussian_line(double mu, double mu_error, double tilt) {
  return std::make_unique<GaussianLine>(mu, mu_error, tilt);
}

}  // namespace hockeystick
