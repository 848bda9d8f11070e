// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/gaussian/gaussian_cells.hpp"
#include "mechanisms/gaussian/gaussian_mgf_line.hpp"
#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "mechanisms/gaussian/joint_gaussian.hpp"
#include "mechanisms/gaussian/sampling_weight.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

// One step of DP-SGD: the Gaussian mechanism on a Poisson subsample, in noise units, with
// mu = 1 / noise multiplier (relative error at most 1.01 u) and sampling probability 0 < q < 1.
// Zhu, Dong, Wang (2022), Theorem 11, for removal and addition; Lebeda, Regehr, Kamath,
// Steinke (2025), Proposition 13, for replacement.

// The loss moves by at most |dL/dx| times: three roundings of x = t / mu + mu / 2, and the error
// u of mu at the same noise, mu (|x| + mu) u in t.
double carried_error(double mu, double t, double slope) {
  const double size = std::fabs(t) + mu * mu;
  return slope * u * (3 * size + 2 * size + mu * mu);
}

// log(1 - q + q E(x)), E(x) = e^t, t = mu (x - mu/2): two roundings of t, and u mu (|x| + mu) for mu's own.
class SampledLog final : public LogMixture {
 public:
  SampledLog(double mu, double q) : mu_(mu), q_(q) {}

  void log_mixtures(std::span<const double> x, std::span<LocalLog> to) const override {
    double values[smooth_line_block], posteriors[smooth_line_block];
    for (std::size_t i = 0; i < x.size(); ++i) values[i] = at(x[i]);
    sampled_losses(q_, {values, x.size()}, {posteriors, x.size()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = at(x[i]), carried = u * (2 * std::fabs(t) + mu_ * (std::fabs(x[i]) + mu_));
      const double error = posteriors[i] * carried + sampled_loss_error(q_, t, values[i]);
      to[i] = {values[i], mu_ * posteriors[i], 1.01 * error};
    }
  }

  double steepest() const override { return mu_ * (1 + 4 * u); }

 private:
  double at(double x) const { return mu_ * (x - mu_ / 2); }

  double mu_, q_;
};

void node_losses(double q, std::span<double> t) {
  std::vector<double> weights(t.size());
  sampled_losses(q, t, weights);
}

// The tighter of what a line tells and of the moved part alone, at large t nearly all: P >= q N(mu,1), so that the
// moment is at least e^log_lost q^(t+1) M, and at most e^log_gained M, M that without sampling.
Interval by_moved_part(const Interval& line, double mu, double q, double t, double log_lost, double log_gained) {
  const auto [value, error] = gaussian_line(mu, u, t)->log_moment();
  const double log_q = (t + 1) * math::log(q), off = error + 12 * u * (value + std::fabs(log_q) + log_gained);
  return {std::max(line.lower, value + log_q + log_lost - off), std::min(line.upper, value + log_gained + off)};
}

// A normal distribution on a Poisson subsample against one without the record, or with it elsewhere.
class Sampled : public DominatingPair {
 public:
  Sampled(double mu, double q, SampledGaussian::Form form, SmoothForm smooth)
      : mu_(mu), q_(q), form_(form), smooth_(smooth) {}

  SampledGaussian sampled_gaussian() const final { return {mu_, q_, form_}; }

  PairCells integrate(std::span<const double> losses) const final {
    const GaussianEdges edges = ordered(losses);
    PairCells result = gaussian_cells(family(), losses, edges);
    add_gaussian_tails(family(), losses, edges, result);
    const double x = edges.at.front().x, moved = form_ == SampledGaussian::Form::remove ? 0 : q_;  // of Q
    result.lower_tail_q = ((1 - moved) * normal_tail(-x) + moved * normal_tail(-x - mu_)) * (1 + 2 * normal_error);
    return result;
  }
  PairCells integrate_inner(std::span<const double> losses) const final {
    return gaussian_cells(family(), losses, ordered(losses));
  }

  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const final {
    return smooth_line(SampledLog(mu_, q_), smooth_, needs);
  }
  double total_variation_bound() const final { return q_; }

 protected:
  // The losses' places on the line, each within the error of its own loss.
  virtual GaussianEdges carried(std::span<const double> losses) const = 0;
  virtual GaussianFamily family() const = 0;

  double mu_, q_;

 private:
  // The same in order: cells that overlap would count mass twice.
  GaussianEdges ordered(std::span<const double> losses) const {
    GaussianEdges edges = carried(losses);
    for (std::size_t i = 1; i < edges.at.size(); ++i)
      if (edges.at[i].x < edges.at[i - 1].x) edges.at[i] = edges.at[i - 1];  // proof: loss-coupling
    return edges;
  }

  SampledGaussian::Form form_;
  SmoothForm smooth_;
};

// ((1-q) N(0,1) + q N(mu,1), N(0,1)).
class Remove final : public Sampled {
 public:
  Remove(double mu, double q) : Sampled(mu, q, SampledGaussian::Form::remove, SmoothForm::remove) {}

  std::shared_ptr<const DominatingPair> reverse() const override;

  LossNodes nodes() const override {
    return trapezoid_nodes(0, mu_, trapezoid_step(mu_), [&](std::span<double> x, std::span<double> log_density) {
      for (double& at : x) at = mu_ * (at - mu_ / 2);
      node_losses(q_, x);
      for (std::size_t i = 0; i < x.size(); ++i) log_density[i] += x[i];
    });
  }

  double loss_infimum() const override { return math::log1p(-q_); }
  double largest_loss_from_below() const override { return infinity; }
  Interval infinity_mass() const override { return {0, 0}; }

  // For y > x both e^L and the density are at most c times those without sampling, c = q + (1 - q) / E(x).
  double tail_moment_bound(double top, double t) const override {
    const double inner = sampled_inverse(q_, top).t;
    const double c = (q_ + (1 - q_) * math::exp(-inner)) * (1 + 1e-9);
    // proof: tail-moments
    return shifted_tail_moment(mu_ * (1 + 4 * u), inner / mu_ + mu_ / 2 - 1e-9, t) * math::exp((t + 1) * math::log(c));
  }
  // The divergence is convex in the pair, and at least q^a times that without sampling. The norm of order t + 1 of
  // 1 - q + q R under Q is at most 1 - q and q times that of R, e^(t mu^2 / 2).
  Interval log_moment_bounds(double t) const override {
    const auto [lower, upper] = by_moved_part(DominatingPair::log_moment_bounds(t), mu_, q_, t, 0, 0);
    const double norm = mu_ * mu_ / 2 * t, mean = sampled_loss(q_, norm);
    const double off = sampled_loss_error(q_, norm, mean) + 5 * u * norm;
    return {lower, std::min(upper, (t + 1) * (mean + off) * (1 + 4 * u))};  // proof: log-moments
  }
  double renyi_slope_bound(double) const override { return mu_ * mu_ / 2 * (1 + 8 * u); }
  double renyi_slope_limit() const override { return mu_ * mu_ / 2 * (1 - 8 * u); }

 private:
  GaussianEdges carried(std::span<const double> losses) const override {
    GaussianEdges edges;
    edges.at.reserve(losses.size());
    const std::vector<SampledEdge> inverses = sampled_inverses(q_, losses, 1);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      checkpoint_each<1024>(i);
      const auto [t, weight, error] = inverses[i];
      const bool finite = t > -infinity;
      const double carried = finite ? u * std::fabs(losses[i]) + 1.01 * carried_error(mu_, t, weight) : 0;
      edges.at.push_back({finite ? t / mu_ + mu_ / 2 : -infinity, 0});
      edges.loss_error = std::max(edges.loss_error, error + carried);
    }
    return edges;
  }

  GaussianFamily family() const override { return {mu_, 1 - q_, q_, q_, 0, mu_}; }
};

// (N(0,1), (1-q) N(0,1) + q N(mu,1)), reflected so that the loss increases.
class Add final : public Sampled {
 public:
  Add(double mu, double q) : Sampled(mu, q, SampledGaussian::Form::add, SmoothForm::add) {}

  std::shared_ptr<const DominatingPair> reverse() const override { return std::make_shared<Remove>(mu_, q_); }

  // With x reflected, L(x) = -log(1 - q + q e^t), t = -mu x - mu^2/2: the mirror image of Remove.
  LossNodes nodes() const override {
    return trapezoid_nodes(-mu_, 0, trapezoid_step(mu_), [&](std::span<double> x, std::span<double>) {
      for (double& at : x) at = -mu_ * (at + mu_ / 2);
      node_losses(q_, x);
      for (double& at : x) at = -at;
    });
  }

  // log1p is within 4 u.
  double loss_supremum() const override { return -math::log1p(-q_); }
  double finite_loss_bound() const override { return up(loss_supremum() * (1 + 5 * u)); }  // proof: largest-loss
  // proof: largest-loss
  double largest_loss_from_below() const override { return down(loss_supremum() * (1 - 5 * u)); }
  double renyi_slope_bound(double order) const override {
    return std::min(mu_ * mu_ / 2 * (1 + 8 * u), loss_supremum() / order * (1 + 8 * u));
  }

 private:
  GaussianEdges carried(std::span<const double> losses) const override {
    GaussianEdges edges;
    edges.at.reserve(losses.size());
    const std::vector<SampledEdge> inverses = sampled_inverses(q_, losses, -1);
    std::vector<double> odds(losses.size()), low(losses.size());  // exponents in two doubles, as sampling_odds
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const double x = inverses[i].t > -infinity ? -inverses[i].t / mu_ - mu_ / 2 : infinity;
      edges.at.push_back({x, 0});
      const auto [high, rest] = two_sum(x < infinity ? -x : 0.0, -mu_ / 2);
      const auto [product, error] = two_product(mu_, high);
      odds[i] = product;
      low[i] = error + mu_ * rest;
    }
    exponentials(odds);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const auto [t, weight, error] = inverses[i];
      edges.loss_error = std::max(edges.loss_error, error);
      if (t == -infinity) continue;
      const double at_x = odds[i] * (1 + low[i]) * (q_ / (1 - q_));
      edges.at[i].k0 = at_x < 1e300 ? at_x / (1 + at_x) : 1.0;
      const double carried = u * std::fabs(losses[i]) + 1.01 * carried_error(mu_, t, weight);
      edges.loss_error = std::max(edges.loss_error, error + carried);
    }
    return edges;
  }

  // P = N(0,1); the kernel is weight(r) phi(x); Q reaches down to centre -mu.
  GaussianFamily family() const override { return {mu_, 1, 0, 0, -mu_, 0}; }
};

std::shared_ptr<const DominatingPair> Remove::reverse() const { return std::make_shared<Add>(mu_, q_); }

// ((1-q) N(0,1) + q N(mu,1), (1-q) N(0,1) + q N(-mu,1)); its own reverse.
class Replace final : public Sampled {
 public:
  Replace(double mu, double q) : Sampled(mu, q, SampledGaussian::Form::replace, SmoothForm::replace) {}

  std::shared_ptr<const DominatingPair> reverse() const override { return std::make_shared<Replace>(mu_, q_); }

  LossNodes nodes() const override {
    return trapezoid_nodes(-mu_, mu_, trapezoid_step(mu_), [&](std::span<double> x, std::span<double> log_density) {
      std::vector<double> mirrored;
      for (double& at : x) {
        mirrored.push_back(-mu_ * (at + mu_ / 2));
        at = mu_ * (at - mu_ / 2);
      }
      node_losses(q_, x);
      node_losses(q_, mirrored);
      for (std::size_t i = 0; i < x.size(); ++i) {
        log_density[i] += x[i];
        x[i] -= mirrored[i];
      }
    });
  }

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
  // As for removal, with shift 2 mu; or P / Q <= A(x) / (1 - q). Q is at most N(0, 1) for x >= 0.
  double renyi_slope_bound(double order) const override {
    return std::min(2 * mu_ * mu_, mu_ * mu_ / 2 - math::log1p(-q_) / order) * (1 + 8 * u);
  }
  double renyi_slope_limit() const override { return mu_ * mu_ / 2 * (1 - 8 * u); }
  Interval infinity_mass() const override { return {0, 0}; }
  double largest_loss_from_below() const override { return infinity; }

 private:
  GaussianEdges carried(std::span<const double> losses) const override {
    GaussianEdges edges;
    edges.at.reserve(losses.size());
    for (const double loss : losses) {
      checkpoint_each<1024>(edges.at.size());
      const auto [x, error] = inverse(loss);
      edges.at.push_back({x, kernel(x)});
      edges.loss_error = std::max(edges.loss_error, error);
    }
    return edges;
  }

  GaussianFamily family() const override { return {mu_, 1 - q_, q_, q_, -mu_, mu_}; }

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
};

template <class Pair>
std::shared_ptr<const DominatingPair> make(Parameters p) {
  return std::make_shared<Pair>(1 / p[0], p[1]);
}

// Gaussians released together from one sample: as for `joint_mu`, then the sampling probability.
template <class Pair>
std::shared_ptr<const DominatingPair> make_joint(Parameters p) {
  if (p.empty()) throw std::invalid_argument("parameters must end with a sampling probability, got none");
  const auto& [name, range] = parameter::sampling_probability;
  return std::make_shared<Pair>(joint_mu(p.first(p.size() - 1)), checked(name, p.back(), range));
}

const std::vector<Parameter> parameters{parameter::noise_multiplier, parameter::sampling_probability};

const Registration remove("poisson_gaussian_remove", parameters, &make<Remove>);
const Registration add("poisson_gaussian_add", parameters, &make<Add>);
const Registration replace("poisson_gaussian_replace", parameters, &make<Replace>);
const Registration joint_remove("poisson_joint_gaussian_remove", std::nullopt, &make_joint<Remove>);
const Registration joint_add("poisson_joint_gaussian_add", std::nullopt, &make_joint<Add>);
const Registration joint_replace("poisson_joint_gaussian_replace", std::nullopt, &make_joint<Replace>);

}  // namespace

}  // namespace hockeystick
