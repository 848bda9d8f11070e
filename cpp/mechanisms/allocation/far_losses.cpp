// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/far_losses.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/allocation/mean_moments.hpp"
#include "mechanisms/allocation/reversed_moments.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/moments_alone.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/work.hpp"

namespace hockeystick {
namespace {

using Pair = std::shared_ptr<const DominatingPair>;

constexpr double least_mu = 1e-5, most_mu = 2.5;  // of steps whose transform serves

// Bounds of log E_P[e^(t L)] of a step.
Interval log_moment(const DominatingPair& step, double t) {
  const double mu = step.gaussian_mu();
  if (!(mu > 0)) return step.log_moment_bounds(t);
  const double value = mu * mu * t * (t + 1) / 2;
  return {value * (1 - 0x1p-40), value * (1 + 0x1p-40)};
}

// log E_Q R_t^k at whole k, if P(R = inf) = 0.
class MeanMoments {
 public:
  MeanMoments(const DominatingPair& step, double steps) : step_(step), log_steps_(math::log(steps)) {
    std::vector<Interval> moments{{0, 0}, {0, 0}};
    for (std::size_t j = 2; j <= most_moments; ++j) {
      const Interval next = log_moment(step, static_cast<double>(j - 1));
      if (!std::isfinite(next.upper)) break;
      moments.push_back(next);
    }
    known_ = log_moments_of_mean(moments, steps);
    known_[0] = known_[1] = {0, 0};
    for (const Interval& each : known_) above_.push_back(each.upper);
    if (!(step.gaussian_mu() > 0)) return;  // others take long
    const double enough = 2 * log_steps_ / (step.gaussian_mu() * step.gaussian_mu());
    while (static_cast<double>(above_.size()) < std::min(enough, most_listed))
      above_.push_back(beyond(static_cast<double>(above_.size())));
  }

  // At a > 1: chords are above a convex function, and below it beyond their ends.
  Interval between(double a) const {
    if (!(a < static_cast<double>(known_.size() - 1))) {
      if (!(step_.gaussian_mu() > 0)) return {-infinity, infinity};
      const double whole = std::floor(a), part = a - whole;
      // proof: far-losses
      const double upper = (1 - part) * beyond(whole) + (part > 0 ? part * beyond(whole + 1) : 0);
      return {-infinity, upper * (1 + 16 * u)};
    }
    const auto k = static_cast<std::size_t>(a);
    const double part = a - static_cast<double>(k);
    const Interval &before = known_[k - 1], &left = known_[k], &right = known_[k + 1];
    if (part == 0) return left;
    double lower = left.lower + part * (left.lower - before.upper);  // proof: far-losses
    if (k + 2 < known_.size()) lower = std::max(lower, right.lower - (1 - part) * (known_[k + 2].upper - right.lower));
    const double upper = (1 - part) * left.upper + part * right.upper;  // proof: far-losses
    const double off = 16 * u * (std::fabs(before.upper) + std::fabs(right.upper) + std::fabs(lower));
    return {lower - off, upper + off};
  }

 private:
  static constexpr double most_listed = 1024;

  // Upper bound at a whole a beyond those. Of the products of a ratios, all but j <= last are of one step, or no step
  // has more than a - last - 1.
  double beyond(double a) const {
    const double last = std::min(static_cast<double>(above_.size()), std::floor(a / 2)) - 1;
    double log_choices = 0, size = a * log_steps_;
    // proof: far-losses
    std::vector<double> terms{log_moment(step_, a - last - 2).upper + log_moment(step_, last).upper};
    for (double j = 0; j <= last; ++j) {
      const double moments = log_moment(step_, a - j - 1).upper + above_[static_cast<std::size_t>(j)];
      terms.push_back(log_choices + moments - (a - j - 1) * log_steps_);  // proof: far-losses
      size = std::max(size, log_choices + moments);
      log_choices += math::log((a - j) / (j + 1));
    }
    const double largest = *std::max_element(terms.begin(), terms.end());
    double sum = 0;
    for (const double term : terms) sum += math::exp(term - largest);
    const double bound = largest + math::log(sum) + (8 * last + 32) * u * size;  // proof: far-losses
    return std::min(bound, log_moment(step_, a - 1).upper);
  }

  const DominatingPair& step_;
  double log_steps_;
  std::vector<Interval> known_;
  std::vector<double> above_;  // upper ends, of more orders than are known closely
};

class AllocatedMoments final : public MomentsAlone {
 public:
  AllocatedMoments(Pair step, double steps, bool back) : step_(std::move(step)), steps_(steps), back_(back) {
    const double mu = step_->gaussian_mu();
    if (steps == 1) return;
    if (!back) moments_.emplace(*step_, steps);
    if (back && mu >= least_mu && mu <= most_mu) transform_ = std::make_unique<const LognormalTransform>(mu);
    if (!back && mu > 0) central_ = log_moments_of_mean(log_central_moments(mu), steps);
  }

  // Mass that all places share; of the reverse, all must have it.
  Interval infinity_mass() const override {
    const auto [lower, upper] = step_->infinity_mass();
    return {back_ ? 0 : lower, upper};  // proof: far-losses
  }

  double renyi_slope_bound(double order) const override {
    const double least = step_->renyi_slope_bound(order);
    if (!back_) return least;
    const double part = 1 / steps_, inner = 1 + (order - 1) * part * (1 - 4 * u);
    // proof: far-losses
    return std::min(least, step_->renyi_slope_bound(inner) * (part + (1 - part) / order) * (1 + 16 * u));
  }
  double renyi_slope_limit() const override { return back_ ? 0 : step_->renyi_slope_limit(); }  // proof: far-losses

  Interval log_moment_bounds(double t) const override {
    const auto [lower, upper] = log_moment(*step_, t);
    if (steps_ == 1) return {lower, upper};
    if (!back_) {
      // A power above 1 of a sum is at least the sum of the powers.
      const double size = std::fabs(lower) + t * math::log(steps_);
      const double alone = lower - t * math::log(steps_) - 16 * u * size;  // proof: far-losses
      const Interval known = both({std::isfinite(alone) ? std::max(0.0, alone) : 0, upper}, moments_->between(1 + t));
      return central_.empty() ? known : both(known, log_moment_by_central(central_, t));
    }
    const Interval known{0, std::min(upper, log_moment_of_product(t))};
    if (!transform_ || !WorkLimit::take(reversed_moment_work(transform_->mu(), steps_, t))) return known;
    // E R^-t - 1 is about t (t + 1) / 2 of the variance of R.
    const double excess = t * (t + 1) / 2 * transform_->variance() / steps_;
    return both(known, reversed_log_moment(*transform_, steps_, t, 25 - std::min(0.0, math::log(excess))));
  }

 private:
  // The arithmetic mean R_t is at least the geometric one.
  double log_moment_of_product(double t) const {
    // proof: far-losses
    return steps_ * log_moment(*step_, t / steps_ * (1 + 4 * u)).upper * (1 + 8 * u);
  }

  Pair step_;
  double steps_;
  bool back_;
  std::optional<MeanMoments> moments_;                   // of several steps, unless they are of the reverse
  std::vector<Interval> central_;                        // of a Gaussian step
  std::unique_ptr<const LognormalTransform> transform_;  // of a Gaussian step, where it is known
};

// The pair above a curve, of whose mass at +inf only `moments` say how much it has in moments.
class FarLosses final : public DominatingPair {
 public:
  FarLosses(Pair curve, Pair step, double steps, bool back)
      : curve_(std::move(curve)), moments_(step, steps, back), beyond_(curve_->infinity_mass().upper) {
    if (!back && step->has_no_infinite_loss()) most_ = step->finite_loss_bound();
    if (const auto law = curve_->finite_law(); law && !law->atoms.empty())
      top_ = std::max(0.0, law->atoms.back().loss + law->loss_error);
    // h(e^(top - d)) is at least P(L > top) (1 - e^-d).
    for (double d = 1; d > 1e-7; d *= 0.25) {
      const double near = top_ - d;
      const PairCells cells = curve_->integrate({&near, 1});
      const double above = cells.upper_tail_above * (1 + cells.share_error) + cells.share_error_p * cells.upper_tail_p;
      const double off = cells.loss_error + cells.edge_error + 4 * u * (std::fabs(top_) + 1);
      if (!(off < 1e-3 * d)) break;
      // proof: far-losses
      const double far = (above + cells.infinity_mass + 1e-300) / -math::expm1(-d) * 1.01;
      log_far_ = std::min(log_far_, math::log(far));
    }
  }

  PairCells integrate(std::span<const double> edges) const override {
    PairCells cells = curve_->integrate(edges);
    cells.infinity_mass_lower = 0;
    return cells;
  }
  LossNodes nodes() const override { return curve_->nodes(); }
  AtomSketch atom_sketch() const override { return curve_->atom_sketch(); }
  std::optional<FiniteLaw> finite_law() const override {
    std::optional<FiniteLaw> law = curve_->finite_law();
    if (law) law->cut += law->infinity_mass, law->infinity_mass = law->infinity_mass_lower = 0;
    return law;
  }
  Interval infinity_mass() const override { return {0, std::min(beyond_, moments_.infinity_mass().upper)}; }
  double loss_infimum() const override { return curve_->loss_infimum(); }
  double loss_supremum() const override { return curve_->loss_supremum(); }
  double finite_loss_bound() const override { return curve_->finite_loss_bound(); }
  double tail_moment_bound(double top, double t) const override { return curve_->tail_moment_bound(top, t); }
  double unlisted_moment_bound(double t) const override {
    // proof: far-losses
    return (beyond_ * (1 + t) * math::exp(t * top_) + beyond_top(t)) * (1 + 1e-8);
  }
  double renyi_slope_bound(double order) const override {
    return std::min(curve_->renyi_slope_bound(order), moments_.renyi_slope_bound(order));
  }
  double table_bytes() const override { return curve_->table_bytes(); }

 private:
  // Upper bound of E_P[e^(t L); L > top]: by the largest loss, or Hoelder's inequality.
  double beyond_top(double t) const {
    double least = t * most_ + log_far_;  // proof: far-losses
    for (double share = 1; share > 1e-7; share *= 0.8)
      // proof: far-losses
      least = std::min(least, share * moments_.log_moment_bounds(t / share).upper + (1 - share) * log_far_);
    return math::exp(least) * (1 + 1e-8);
  }

  Pair curve_;
  AllocatedMoments moments_;
  double beyond_;           // P-mass that the curve has at +inf
  double top_ = 0;          // its largest finite loss, if that is not negative
  double most_ = infinity;  // upper bound of the loss, where the step's largest is one
  double log_far_ = 0;      // upper bound of log P(L > top)
};

}  // namespace

std::shared_ptr<const DominatingPair> allocated_moments(Pair step, double steps, bool back) {
  checked("steps", steps, ranges::most_steps);
  return std::make_shared<AllocatedMoments>(std::move(step), steps, back);
}

std::shared_ptr<const DominatingPair> with_far_losses(Pair curve, Pair step, double steps, bool back) {
  checked("steps", steps, ranges::most_steps);
  return std::make_shared<FarLosses>(std::move(curve), std::move(step), steps, back);
}

}  // namespace hockeystick
