// SPDX-License-Identifier: Apache-2.0
// A record of a Poisson subsample replaced: Lebeda, Regehr, Kamath, Steinke (2025), Proposition 13.
#include "mechanisms/gaussian/poisson_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/gaussian/gaussian.hpp"
#include "mechanisms/gaussian/gaussian_cells.hpp"
#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "mechanisms/gaussian/sampling_weight.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {

Interval by_moved_part(const Interval& line, double mu, double q, double t, double log_lost, double log_gained) {
  const auto [value, error] = gaussian_line(mu, u, t)->log_moment();
  const double log_q = (t + 1) * math::log(q), off = error + 12 * u * (value + std::fabs(log_q) + log_gained);
  return {std::max(line.lower, value + log_q + log_lost - off), std::min(line.upper, value + log_gained + off)};
}

namespace {

// ((1-q) N(0,1) + q N(mu,1), (1-q) N(0,1) + q N(-mu,1)); its own reverse.
class Replace final : public DominatingPair {
 public:
  explicit Replace(MixtureLoss loss)
      : loss_(std::move(loss)), mu_(loss_.largest()), q_(loss_.components().front().weight) {}

  SampledGaussian sampled_gaussian() const override { return {mu_, q_, SampledGaussian::Form::replace}; }
  std::shared_ptr<const DominatingPair> reverse() const override { return std::make_shared<Replace>(loss_); }

  PairCells integrate(std::span<const double> losses) const override {
    const GaussianEdges edges = carried(losses);
    PairCells result = gaussian_cells(family(), losses, edges);
    add_gaussian_tails(family(), losses, edges, result);
    const double x = edges.at.front().x;
    result.lower_tail_q = ((1 - q_) * normal_tail(-x) + q_ * normal_tail(-x - mu_)) * (1 + 2 * normal_error);
    return result;
  }
  PairCells integrate_inner(std::span<const double> losses) const override {
    return gaussian_cells(family(), losses, carried(losses));
  }

  LossNodes nodes() const override {
    return trapezoid_nodes(-mu_, mu_, trapezoid_step(mu_), [&](std::span<double> x, std::span<double> log_density) {
      std::vector<double> behind(x.size());
      std::transform(x.begin(), x.end(), behind.begin(), std::negate());
      loss_.to_losses(x), loss_.to_losses(behind);
      for (std::size_t i = 0; i < x.size(); ++i) log_density[i] += x[i], x[i] -= behind[i];
    });
  }

  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const override {
    return smooth_line(loss_, SmoothForm::replace, needs);
  }
  double total_variation_bound() const override { return q_; }

  // As for removal with P / Q <= A(x) / (1 - q); or L <= 2 mu x, with density at most that of N(mu, 1) for x >= mu/2.
  double tail_moment_bound(double top, double t) const override {
    const double x = inverse(top).x - 1e-9, mu = mu_ * (1 + 4 * u);
    if (!(x >= mu / 2)) return infinity;
    const double c = (q_ + (1 - q_) * math::exp(-mu_ * (x - mu_ / 2))) * (1 + 1e-9);
    const double one = shifted_tail_moment(mu, x, t) * math::exp((t + 1) * math::log(c) - t * math::log1p(-q_));
    const double two = math::exp(2 * t * (t + 1) * mu * mu) * (normal_tail(x - (1 + 2 * t) * mu) + 1e-307);
    return (one < two ? one : two) * (1 + 1e-9);
  }
  // As for removal, with P / Q <= A(x) / (1 - q); for x >= 0, more than half of the moved part, Q is at most N(0, 1).
  Interval log_moment_bounds(double t) const override {
    return by_moved_part(DominatingPair::log_moment_bounds(t), mu_, q_, t, -0.7, -t * math::log1p(-q_));
  }
  // As for removal, with shift 2 mu; or with Q >= (1 - q) N(0, 1), so that the moment is at most (1 - q)^-t times that
  // of removal. That is at most e^(t (t + 1) mu^2 / 2), and at most A^(t + 1), A = 1 - q + q e^y, y = t mu^2 / 2, by
  // its norm: log A - y falls with t, and is divided by t. Q is at most N(0, 1) for x >= 0.
  double renyi_slope_bound(double order) const override {
    const double one = mu_ * mu_ / 2, t = order - 1, gained = -math::log1p(-q_);
    double more = gained / order;
    if (t > 0) {
      const double lost = math::log(q_ + (1 - q_) * math::exp(-t * one)), off = 16 * u * (1 + gained - lost);
      more = std::min(more, std::max(0.0, lost + gained + off) / t);  // proof: zcdp
    }
    return std::min(2 * mu_ * mu_, one + more) * (1 + 8 * u);
  }
  double renyi_slope_limit() const override { return mu_ * mu_ / 2 * (1 - 8 * u); }
  Interval infinity_mass() const override { return {0, 0}; }
  double largest_loss_from_below() const override { return infinity; }

 private:
  // The losses' places on the line, in order: cells that overlap would count mass twice.
  GaussianEdges carried(std::span<const double> losses) const {
    GaussianEdges edges;
    edges.at.reserve(losses.size());
    for (const double loss : losses) {
      checkpoint_each<1024>(edges.at.size());
      const auto [x, error] = inverse(loss);
      const bool is_behind = !edges.at.empty() && x < edges.at.back().x;
      edges.at.push_back(is_behind ? edges.at.back() : GaussianEdge{x, kernel(x)});  // proof: loss-coupling
      edges.loss_error = std::max(edges.loss_error, error);
    }
    return edges;
  }

  GaussianFamily family() const { return {mu_, 1 - q_, q_, q_, -mu_, mu_}; }

  // kappa_r = phi(x) q (A(r)/A(-r)) E(-r) + q phi(x - mu). With w = q E(-r) / A(-r), the posterior
  // weight, the constant is A(r) w = (1-q) w + q^2 e^(-mu^2) / A(-r), as E(r) E(-r) = e^(-mu^2).
  double kernel(double x) const {
    const double odds = sampling_odds(mu_, q_, -x);
    const double weight = odds < 1e300 ? odds / (1 + odds) : 1.0;
    const double rest = 1 / (1 + odds) / (1 - q_);  // 1 / A(-r)
    return (1 - q_) * weight + q_ * q_ * exp_product(-mu_, mu_) * rest;
  }

  struct Inverse {
    double x, loss_error;
  };

  // L = log A(x) - log A(-x), A(x) = 1 - q + q E(x). Setting e^L = A(x) / A(-x) and dividing by
  // e^(L/2) gives the inverse without cancellation:
  //     mu x = L/2 + asinh((1-q)/q e^(mu^2/2) sinh(L/2)).
  Inverse inverse(double loss) const {
    const double half = std::fabs(loss) / 2;
    if (half == 0) return {0, std::fabs(loss)};
    const double argument = (1 - q_) / q_ * math::exp(mu_ * mu_ / 2) * math::sinh(half);
    double arc, log_rise = 0;
    if (argument < 1e100) {
      arc = math::asinh(argument);
    } else {                                          // asinh(a) = log(2 a) to 1e-200
      log_rise = math::log(-math::expm1(-2 * half));  // proof: loss-coupling
      arc = math::log((1 - q_) / q_) + mu_ * mu_ / 2 + half + log_rise;
    }
    const double x = std::copysign(half + arc, loss) / mu_;
    // dL/dx = mu (w(x) + w(-x)); in mu x the argument's error (20 + mu^2) u, or that of the logarithms, counts at most
    // min(1, argument), the rest is relative.
    const double slope = posterior(x) + posterior(-x);
    const double t = mu_ * std::fabs(x);
    const double logs = std::fabs(math::log(q_ / (1 - q_))) + std::fabs(log_rise);
    const double error =
        (24 + 2 * mu_ * mu_ + 8 * logs) * std::min(1.0, argument) + 14 * t + 3 * mu_ * (std::fabs(x) + 2 * mu_);
    return {x, 1.01 * slope * u * error + u * std::fabs(loss)};  // proof: loss-coupling
  }

  double posterior(double x) const {
    const double odds = sampling_odds(mu_, q_, x);
    return odds < 1e300 ? odds / (1 + odds) : 1.0;
  }

  MixtureLoss loss_;  // where the record is added
  double mu_, q_;
};

const Registration replace("poisson_gaussian_replace", sample_parameters, &make_sample<Replace>);
const Registration joint_replace("poisson_joint_gaussian_replace", std::nullopt, &make_joint_sample<Replace>);

}  // namespace

}  // namespace hockeystick
