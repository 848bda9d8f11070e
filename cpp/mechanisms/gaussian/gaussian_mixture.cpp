// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms of random sensitivity, and on a Poisson subsample: a mixture of shifted normals against a normal,
// and the reverse.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/gaussian/gaussian_cells.hpp"
#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "mechanisms/gaussian/mixture_loss.hpp"
#include "mechanisms/gaussian/normal_panel.hpp"
#include "mechanisms/gaussian/poisson_gaussian.hpp"
#include "mechanisms/gaussian/sampling_weight.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/exponential.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// In noise units, the pair (sum_i p_i N(s_i, 1), N(0, 1)) and its reverse, s_i >= 0. With t_i(x) = s_i x - s_i^2/2 the
// loss L(x) = log sum_i p_i e^(t_i(x)) increases and is convex. For a reference point r, on either side of r, this is a
// sum of terms of one sign:
//     e^(L(r)) Q(x) - P(x) = sum_i p_i phi(x - s_i) (e^(s_i (r - x)) - 1).
// Dominating: Choquette-Choo, Ganesh, Steinke, Thakurta (2024), Section 3, for sensitivities bounded by a random
// variable; Zhu, Dong, Wang (2022), Theorem 11, for removal from and addition to a Poisson subsample.

// An edge of the loss axis on the line; k_i of the kernel sum_i k_i phi(x - c_i) (e^(s_i (r - x)) - 1) at r = x.
struct MixtureEdge {
  double x;
  const double* k;
};

struct MixtureEdges {
  std::vector<MixtureEdge> at;
  std::vector<double> weights;  // the arrays that the k point to
  double loss_error = 0;
};

constexpr std::size_t weights_at_once = 1 << 16;

// Removal and, of sign -1, addition, reflected so that the loss increases.
class Mixture : public DominatingPair {
 public:
  Mixture(MixtureLoss loss, double sign)
      : loss_(std::move(loss)),
        sign_(sign),
        lowest_(sign > 0 ? 0 : -loss_.largest()),
        highest_(lowest_ + loss_.largest()) {
    if (loss_.is_sample()) return;
    centres_.push_back(0);
    for (const auto& [shift, weight] : loss_.components()) centres_.push_back(sign * shift);
    std::sort(centres_.begin(), centres_.end());
  }

  SampledGaussian sampled_gaussian() const override {
    using Form = SampledGaussian::Form;
    if (!loss_.is_sample()) return {};
    return {loss_.largest(), loss_.components().front().weight, sign_ > 0 ? Form::remove : Form::add};
  }

  PairCells integrate(std::span<const double> losses) const override {
    if (loss_.is_sample()) {
      const GaussianEdges edges = edges_of_sample(losses);
      PairCells result = gaussian_cells(family(), losses, edges);
      add_gaussian_tails(family(), losses, edges, result);
      result.lower_tail_q = q_below(edges.at.front().x);
      return result;
    }
    const std::array ends{losses.front(), losses.back()};
    const std::vector<MixtureLoss::Inverse> places = placed(losses);
    const MixtureEdges edges = carried(std::array{places.front(), places.back()});
    PairCells tails = cells(ends, edges, true);
    tails.lower_tail_p = p_below(edges.at.front().x);
    tails.lower_tail_q = q_below(edges.at.front().x);
    return inner(std::move(tails), losses, places);
  }

  PairCells integrate_inner(std::span<const double> losses) const override {
    if (loss_.is_sample()) return gaussian_cells(family(), losses, edges_of_sample(losses));
    return inner({}, losses, placed(losses));
  }

  LossNodes nodes() const override {
    const auto fill = [&](std::span<double> x, std::span<double> log_density) {
      for (double& each : x) each *= sign_;
      loss_.to_losses(x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] *= sign_;
        if (sign_ > 0) log_density[i] += x[i];
      }
    };
    return trapezoid_nodes(lowest_, highest_, trapezoid_step(loss_.largest()), fill);
  }

  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const override {
    return smooth_line(loss_, sign_ > 0 ? SmoothForm::remove : SmoothForm::add, needs);
  }

  Interval infinity_mass() const override { return {0, 0}; }
  double total_variation_bound() const override { return loss_.total_variation_bound(); }
  AtomSketch atom_sketch() const override {
    return {{}, false, loss_.is_sample() ? 1 : 1.5 + 0.7 * static_cast<double>(loss_.size())};
  }

  // The divergences are quasi-convex in the pair, and those of N(s, 1) and N(0, 1) are at most a s^2 / 2 either way.
  // proof: zcdp
  double renyi_slope_bound(double order) const override {
    const double most = loss_.largest() * loss_.largest() / 2 * (1 + 8 * u);
    return std::min(most, slope_between(loss_infimum(), finite_loss_bound(), order));
  }

 protected:
  // No loss above `top` occurs up to this point, which is slightly below the point of the edge `top`.
  double before(double top) const {
    const double loss = sign_ * top, x = sign_ * loss_.inverses({&loss, 1}).front().x;
    return x - 1e-9 * (1 + std::fabs(x));
  }

  // Integrates the cells, or the upper tail alone.
  virtual PairCells cells(std::span<const double> losses, const MixtureEdges& edges, bool tails) const = 0;
  // Within `mass_error`; an upper bound.
  virtual double p_below(double x) const = 0;
  virtual double q_below(double x) const = 0;

  // The mass below x of the mixture whose components lie at `sign` times their shifts.
  double mixed_below(double x, double sign) const {
    if (std::isinf(x)) return x > 0 ? 1 : 0;
    CompensatedSum sum;
    if (loss_.rest() > 0) sum.add(loss_.rest() * normal_tail(-x));
    for (const auto& [shift, weight] : loss_.components()) {
      const auto [z, rounding] = two_sum(sign * shift, -x);
      sum.add(weight * normal_tail(z) * (1 - std::max(z, 0.0) * rounding));  // proof: cell-rounding
    }
    return sum.value();
  }

  // Rounding as for gaussian_cells, plus that of sums over the components;
  // cpp/proofs/cell-rounding.md.
  template <class Panel>
  PairCells swept(const Panel& panel, std::span<const double> losses, const MixtureEdges& edges, bool tails) const {
    const std::span<const MixtureEdge> at = edges.at;
    const GaussianSweep<MixtureEdge, Panel> sweep(centres_, 0.5 * panel_cost * static_cast<double>(loss_.size()),
                                                  panel);
    PairCells result = tails ? PairCells{} : sweep.cells(losses, at);
    if (tails) sweep.add_upper_tail(losses, at.back(), result);
    result.loss_error = result.edge_error = edges.loss_error;  // proof: loss-coupling
    result.mass_error = (50 + loss_.terms()) * u;              // proof: cell-rounding
    // proof: cell-rounding
    result.share_error = (150 + 3 * loss_.terms() + 4 * (tails ? 0 : widest_growth(loss_.largest(), at))) * u;
    result.share_error_p = 6 * gauss_legendre_error + 1e-307;  // proof: cell-quadrature
    return result;
  }

  MixtureLoss loss_;
  double sign_, lowest_, highest_;  // between which the centres of the densities lie

 private:
  std::vector<double> centres_;

  // Of a Poisson sample. Added: P = N(0, 1), and the kernel is weight(-r) phi(x).
  GaussianFamily family() const {
    const double mu = loss_.largest(), q = loss_.components().front().weight;
    if (sign_ > 0) return {mu, loss_.rest(), q, q, 0, mu};
    return {mu, 1, 0, 0, -mu, 0};
  }

  GaussianEdges edges_of_sample(std::span<const double> losses) const {
    GaussianEdges edges;
    std::vector<double> weights;
    for (const auto& [x, error] : placed(losses)) {
      edges.at.push_back({x, 0});
      edges.loss_error = std::max(edges.loss_error, error);
      if (sign_ < 0) weights.push_back(-x);
    }
    sampled_weights(loss_.largest(), loss_.components().front().weight, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) edges.at[i].k0 = weights[i];
    return edges;
  }

  // The losses' places on the line, sign * x(sign * loss), in order: cells that overlap would count mass twice. A place
  // that is raised to the one before has a loss between those of both, each within the error of its own.
  std::vector<MixtureLoss::Inverse> placed(std::span<const double> losses) const {
    std::vector<double> of_removal(losses.begin(), losses.end());
    for (double& loss : of_removal) loss *= sign_;
    std::vector<MixtureLoss::Inverse> places = loss_.inverses(of_removal);
    double last = -infinity;
    for (auto& [x, error] : places) last = x = std::max(last, sign_ * x);  // proof: loss-coupling
    return places;
  }

  // Edges at these places, with the posterior weights there.
  MixtureEdges carried(std::span<const MixtureLoss::Inverse> places) const {
    MixtureEdges edges;
    edges.weights.resize(places.size() * loss_.size());
    edges.at.reserve(places.size());
    for (const auto& [x, error] : places) {
      double* const here = edges.weights.data() + edges.at.size() * loss_.size();
      if (std::isfinite(x)) loss_.posterior(sign_ * x, here);
      edges.at.push_back({x, here});
      edges.loss_error = std::max(edges.loss_error, error);
    }
    return edges;
  }

  // The cells between the losses, added to those of `ends`, run by run: the weights of all edges at once could take far
  // more memory than anything else.
  PairCells inner(PairCells ends, std::span<const double> losses, std::span<const MixtureLoss::Inverse> places) const {
    const std::size_t run = std::max(weights_at_once / loss_.size(), std::size_t{1});
    ends.cells.reserve(losses.size());
    for (std::size_t from = 0; from + 1 < losses.size(); from += run) {
      const std::size_t count = std::min(run + 1, losses.size() - from);
      const PairCells next = cells(losses.subspan(from, count), carried(places.subspan(from, count)), false);
      ends.cells.insert(ends.cells.end(), next.cells.begin(), next.cells.end());
      for (auto error : {&PairCells::mass_error, &PairCells::share_error, &PairCells::share_error_p,
                         &PairCells::edge_error, &PairCells::loss_error})
        ends.*error = std::max(ends.*error, next.*error);
    }
    return ends;
  }
};

class Remove final : public Mixture {
 public:
  explicit Remove(MixtureLoss loss) : Mixture(std::move(loss), 1) {}

  std::shared_ptr<const DominatingPair> reverse() const override;

  double loss_infimum() const override { return loss_.infimum(); }
  double largest_loss_from_below() const override { return infinity; }

  // E_Q[r^(t+1)], r = e^L: by Jensen's inequality at most the components' own, weighted. And beyond x both r and the
  // density of P are at most c times those of the largest shift, as all others grow less.
  double tail_moment_bound(double top, double t) const override {
    const double x = before(top), largest = loss_.largest();
    double sum = loss_.rest() * (normal_tail(x) + 1e-307);
    for (const auto& [shift, weight] : loss_.components())
      sum += weight * shifted_tail_moment(shift * (1 + 4 * u), x, t);
    const double log_c = top - largest * (x - largest / 2) + 1e-9 + 8 * u * largest * (std::fabs(x) + largest);
    // proof: tail-moments
    const double by_largest = shifted_tail_moment(largest * (1 + 4 * u), x, t) * math::exp((t + 1) * log_c);
    return by_largest < sum ? by_largest : sum * (1 + 1e-9);
  }
  // The moment is at least p^a times that of the largest shift alone.
  double renyi_slope_limit() const override { return loss_.largest() * loss_.largest() / 2 * (1 - 8 * u); }

  // Of a sample: the divergence is convex in the pair, and at least q^a times that without sampling. The norm of order
  // t + 1 of 1 - q + q R under Q is at most 1 - q and q times that of R, e^(t mu^2 / 2).
  Interval log_moment_bounds(double t) const override {
    const Interval line = DominatingPair::log_moment_bounds(t);
    if (!loss_.is_sample()) return line;
    const double mu = loss_.largest(), q = loss_.components().front().weight;
    const auto [lower, upper] = by_moved_part(line, mu, q, t, 0, 0);
    const double norm = mu * mu / 2 * t, mean = sampled_loss(q, norm);
    const double off = sampled_loss_error(q, norm, mean) + 5 * u * norm;
    return {lower, std::min(upper, (t + 1) * (mean + off) * (1 + 4 * u))};  // proof: log-moments
  }

 private:
  PairCells cells(std::span<const double> losses, const MixtureEdges& edges, bool tails) const override {
    const auto panel = [&](const LinePanel& at, const MixtureEdge& from, const MixtureEdge& to) {
      NormalPanel all(at, from, to);
      double still = loss_.rest();
      for (const auto& [shift, weight] : loss_.components())
        all.add(shift, {0, std::exchange(still, 0.0), 0, 0}, {shift, weight, weight, weight});
      return all.sum();
    };
    return swept(panel, losses, edges, tails);
  }

  double p_below(double x) const override { return mixed_below(x, 1); }
  double q_below(double x) const override { return normal_tail(-x) * (1 + 2 * normal_error); }
};

// The reverse, reflected so that the loss increases: with the posterior weights w_i(-r) the kernel is
// phi(x) sum_i w_i(-r) (e^(s_i (r - x)) - 1).

class Add final : public Mixture {
 public:
  explicit Add(MixtureLoss loss) : Mixture(std::move(loss), -1) {}

  std::shared_ptr<const DominatingPair> reverse() const override { return std::make_shared<Remove>(loss_); }

  double loss_supremum() const override { return -loss_.infimum(); }
  double finite_loss_bound() const override {
    const double most = loss_supremum();
    return std::isfinite(most) ? up(most + loss_.infimum_error()) : infinity;  // proof: largest-loss
  }
  double largest_loss_from_below() const override {
    if (!loss_.may_rest()) return infinity;
    const double most = loss_supremum();
    return std::isfinite(most) ? down(most - loss_.infimum_error()) : 700;  // proof: largest-loss
  }

  // E_P[r^t], r = e^L the weighted harmonic mean of the components' own: by Jensen's inequality as for removal. Each is
  // the integral of e^(t (s y + s^2/2)) phi(y), a shifted tail moment from y + s on.
  double tail_moment_bound(double top, double t) const override {
    const double bounded = Mixture::tail_moment_bound(top, t);
    if (loss_.rest() > 0) return bounded;
    const double y = before(top);
    double sum = 0;
    for (const auto& [shift, weight] : loss_.components()) {
      const double s = shift * (1 + 4 * u);
      sum += weight * shifted_tail_moment(s, y + s, t);
    }
    return std::min(bounded, sum * (1 + 1e-9));
  }

 private:
  PairCells cells(std::span<const double> losses, const MixtureEdges& edges, bool tails) const override {
    const auto panel = [&](const LinePanel& at, const MixtureEdge& from, const MixtureEdge& to) {
      NormalPanel all(at, from, to);
      double p = 1;
      for (std::size_t i = 0; i < loss_.size(); ++i)
        all.add(loss_.components()[i].shift,
                {0, std::exchange(p, 0.0), all.has_from() ? from.k[i] : 0, all.has_to() ? to.k[i] : 0}, {});
      return all.sum();
    };
    return swept(panel, losses, edges, tails);
  }

  double p_below(double x) const override { return normal_tail(-x); }
  double q_below(double x) const override { return mixed_below(x, -1) * (1 + 2 * normal_error + loss_.terms() * u); }
};

std::shared_ptr<const DominatingPair> Remove::reverse() const { return std::make_shared<Add>(loss_); }

// Parameters: standard deviation, sampling probability in (0, 1], then all sensitivities, then their probabilities.
template <class Pair>
std::shared_ptr<const DominatingPair> make(Parameters p) {
  if (p.size() < 4 || p.size() % 2 != 0)
    throw std::invalid_argument(
        "parameters must be two numbers, then sensitivities, then a probability for each, got " +
        std::to_string(p.size()));
  const std::size_t count = p.size() / 2 - 1;
  checked("standard_deviation", p[0], ranges::positive);
  checked("sampling_probability", p[1], {0, 1, Range::Ends::open_below});
  for (const double sensitivity : p.subspan(2, count)) {
    checked("sensitivities", sensitivity, ranges::finite);
    if (sensitivity > 0)
      checked("standard_deviation over a sensitivity", p[0] / sensitivity, parameter::noise_multiplier.range);
  }
  check_each("probabilities", p.subspan(2 + count), {0, 1, Range::Ends::open_below});
  return std::make_shared<Pair>(MixtureLoss(p[0], p[1], p.subspan(2, count), p.subspan(2 + count)));
}

const Registration remove("gaussian_mixture_remove", std::nullopt, &make<Remove>);
const Registration add("gaussian_mixture_add", std::nullopt, &make<Add>);
const Registration sample_remove("poisson_gaussian_remove", sample_parameters, &make_sample<Remove>);
const Registration sample_add("poisson_gaussian_add", sample_parameters, &make_sample<Add>);
const Registration joint_remove("poisson_joint_gaussian_remove", std::nullopt, &make_joint_sample<Remove>);
const Registration joint_add("poisson_joint_gaussian_add", std::nullopt, &make_joint_sample<Add>);

}  // namespace

}  // namespace hockeystick
