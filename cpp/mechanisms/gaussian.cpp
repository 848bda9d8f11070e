// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian_cells.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;

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
    const auto loss = [](double x, const void* pair) {
      const double mu = static_cast<const GaussianPair*>(pair)->mu_;
      return mu * (x - mu / 2);
    };
    return gaussian_nodes(family(), loss, this, true);
  }

  double gaussian_mu() const override { return mu_; }

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

// Parameter: noise multiplier.
const Registration registration("gaussian", 1, [](Parameters p) { return gaussian_pair(1 / p[0], u); });

// The smallest positive double: what underflow may have hidden.
constexpr double tiny = 1e-307;

}  // namespace

std::shared_ptr<const DominatingPair> gaussian_pair(double mu, double mu_error) {
  return std::make_shared<GaussianPair>(mu, mu_error);
}

CertifiedInterval gaussian_delta(double mu, double mu_error, double epsilon) {
  const GaussianPair pair(mu, mu_error);
  const auto at = [&](double loss) { return pair.integrate(std::array{loss}); };
  const double shift = at(epsilon).loss_error;
  const auto above = at(epsilon - shift), below = at(epsilon + shift);
  const double upper = above.upper_tail_above * (1 + 2 * above.share_error) + tiny;
  const double lower = below.upper_tail_above * (1 - 2 * below.share_error) - tiny;
  return {std::max(0.0, lower), std::min(1.0, upper)};
}

CertifiedInterval gaussian_epsilon(double mu, double mu_error, double delta) {
  // delta(epsilon) falls. Each end of the answer is certified by the enclosure it was tested with.
  const auto exceeds = [&](double epsilon) {
    const auto [lower, upper] = gaussian_delta(mu, mu_error, epsilon);
    return lower > delta ? 1 : upper <= delta ? -1 : 0;
  };
  if (exceeds(0.0) < 0) return {0.0, 0.0};
  // P(L > epsilon) <= delta at this many deviations: e^(-t^2/2) <= delta.
  const double top = mu * mu / 2 + mu * (std::sqrt(-2 * std::log(delta)) + 1e-3);
  double lower = 0, upper = top;
  for (int i = 0; i < 200 && upper - lower > 1e-14 * upper; ++i) {
    const double middle = lower + (upper - lower) / 2;
    if (!(middle > lower && middle < upper)) break;
    const int sign = exceeds(middle);
    if (sign > 0) {
      lower = middle;
    } else if (sign < 0) {
      upper = middle;
    } else {
      double inside = middle, outside = middle;  // not certified above; not certified below
      double low = lower, high = upper;
      for (int j = 0; j < 60 && inside - low > 1e-15 * upper; ++j) {
        const double m = low + (inside - low) / 2;
        (exceeds(m) > 0 ? low : inside) = m;
      }
      for (int j = 0; j < 60 && high - outside > 1e-15 * upper; ++j) {
        const double m = outside + (high - outside) / 2;
        (exceeds(m) < 0 ? high : outside) = m;
      }
      return {low, high};
    }
  }
  return {lower, upper};
}

}  // namespace hockeystick
