// SPDX-License-Identifier: Apache-2.0
// The privacy loss of a Gaussian mechanism of random sensitivity as a function of the outcome, and its inverse.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// In noise units and with t_i(x) = s_i x - s_i^2/2, the privacy loss of a Gaussian mechanism of random sensitivity at
/// outcome x is L(x) = log sum_i p_i e^(t_i(x)), which increases and is convex.
class MixtureLoss final : public LogMixture {
 public:
  struct Component {
    double shift, weight;  // s_i > 0, with relative error u; p_i, within (5 + merged) u
  };

  /// The mixture, sampled with probability q: every shift's weight is multiplied by q, and the rest of the mass has the
  /// shift 0.
  MixtureLoss(double deviation, double q, std::span<const double> sensitivities, std::span<const double> weights);
  /// One shift, sampled with probability 0 < q < 1: by closed forms (sampling_weight.hpp). mu is within 1.01 u.
  MixtureLoss(double mu, double q);

  /// Whether the mixture is such a sample of one shift.
  bool is_sample() const { return is_sample_; }

  const std::vector<Component>& components() const { return components_; }
  std::size_t size() const { return components_.size(); }
  double rest() const { return rest_; }  // P(s = 0)
  double largest() const { return components_.back().shift; }
  double terms() const { return terms_; }      // summands in any sum over components, to bound its rounding
  bool may_rest() const { return may_rest_; }  // whether P(s = 0) > 0, even if a double cannot hold it

  /// The infimum, -inf if P(s = 0) = 0, and a bound of its error: `rest` and `moving` are within (8 + terms) u of
  /// themselves, unless they are next to underflow.
  double infimum() const { return moving_ < 0.5 ? math::log1p(-moving_) : math::log(rest_); }
  double infimum_error() const;

  /// The loss at a point, its slope, and a bound of the errors by its rounding and by the shifts' rounding.
  using LossAt = LocalLog;

  /// The losses at any number of points, by vectors. Relative errors of slopes are at most (40 + 2 terms) u, with 1e-40
  /// of the largest shift in addition.
  void losses(std::span<const double> x, std::span<LossAt> to) const;
  void log_mixtures(std::span<const double> x, std::span<LocalLog> to) const override { losses(x, to); }
  /// Takes points to their losses alone.
  void to_losses(std::span<double> x) const;
  double steepest() const override { return largest() * (1 + 4 * u); }

  /// The loss at x, slower; writes the components' posterior weights, relative error (40 + 2 terms) u.
  LossAt posterior(double x, double* weights) const;

  /// The double x nearest to L(x) = loss, up to a few roundings, and a bound of |L(x) - loss|; -inf at or below the
  /// infimum.
  struct Inverse {
    double x, loss_error;
  };
  /// The inverses of losses in order. Newton's method first solves for the part that moves, G(x) = log sum_(s_i > 0)
  /// p_i e^(t_i). G is convex and its slope is at least s_1, so that the iterates fall to the root from the right
  /// without overshooting; one that starts at the root of the loss before comes from the left once. The method then
  /// solves for L itself, which is certified.
  std::vector<Inverse> inverses(std::span<const double> losses) const;

  /// Total variation is at most the average of the components' total variations, and that of a sample at most the rate.
  double total_variation_bound() const;

 private:
  void merge();

  static constexpr std::size_t block = 64;  // points at once

  void losses_of_block(std::span<const double> x, std::span<LossAt> to) const;
  void losses_of_sample(std::span<const double> x, std::span<LossAt> to) const;
  std::vector<Inverse> inverses_of_sample(std::span<const double> losses) const;
  LossAt by_logarithm(double loss, double logarithm, double more, double weighted, double shifted) const;
  LossAt with_slope(double loss, double error, double weighted, double shifted) const;

  double near_inverse(double loss, double near) const;

  // G and its slope, for the search alone.
  std::pair<double, double> moving(double x) const;

  std::vector<Component> components_;  // by increasing shift
  double rest_ = 0, moving_ = 0, terms_ = 0;
  std::size_t merged_ = 0;
  bool may_rest_ = false, is_sample_ = false;
};

}  // namespace hockeystick
