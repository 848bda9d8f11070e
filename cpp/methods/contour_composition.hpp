// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "methods/contour_sum.hpp"
#include "methods/fft_composition.hpp"
#include "methods/method.hpp"
#include "numeric/union_probability.hpp"
#include "plan/contour_plan.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// The curve of a composition by contour sums: of the moments of densities and of atoms, or of discretized steps. With
/// smoothing, the two sides of the curve are two sums. The cost hardly depends on the counts.
class ContourComposition final : public Evaluator {
 public:
  /// For pairs that have a density or atoms, by lines that the plan needs; null if a pair has neither. `near`: the
  /// forecast epsilon.
  static std::shared_ptr<const ContourComposition> of(const Direction& terms, const ContourPlan& plan, double near);
  /// The same with given lines.
  static std::shared_ptr<const ContourComposition> of(const Direction& terms, const Lines& lines,
                                                      const ContourPlan& plan, double near);
  /// For the discretized steps of a grid of this interval; null if their masses underflow.
  static std::shared_ptr<const ContourComposition> of_steps(const Direction& terms, double interval,
                                                            const DiscretizedSteps& steps, const ContourPlan& plan,
                                                            double near);

  Answer answer(Quantity quantity, double at, double near) const override;
  void deltas(std::span<const double> epsilons, std::span<Answer> answers) const override;
  std::shared_ptr<const Evaluator> sibling(const Direction& terms) const override;
  std::shared_ptr<const Evaluator> grown(const Direction& more) const override;
  bool shows_at_most(const Direction& terms, double epsilon, double delta) const override;
  double bytes() const override { return cost::contour_sample_bytes * static_cast<double>(plan_.contour.count); }

  /// The sum of the upper side, of finite losses.
  const ContourSum& sum() const { return upper_; }

 private:
  // The parts of all steps' losses that the sums do not count.
  class Rest {
   public:
    explicit Rest(const Closing& closing) : closing_(closing) {}
    void add(const MgfLine& line, double count);
    Interval infinity_mass() const { return {infinite_.lower(), infinite_.upper()}; }
    double loss_error() const { return 1.01 * loss_error_; }  // proof: loss-coupling
    Reach reach() const;

   private:
    Closing closing_;
    UnionProbability infinite_;
    double loss_error_ = 0;
    double closed_mass_ = 0, room_ = infinity, least_ = 0, size_ = 0, log_moment_ = 0;
  };
  struct Moments {
    ContourProduct product;
    Rest rest;
  };
  // Both sides at an epsilon.
  struct Ends {
    ContourDelta high, low;
  };
  // The epsilon at which the upper sum is what infinite losses leave of delta, and the sum there.
  struct Root {
    double epsilon = infinity;
    ContourDelta at{};
  };

  ContourComposition(Moments moments, const ContourPlan& plan, double near);
  // Of steps, whose lower side has moments of its own.
  ContourComposition(const Moments& upper, const Moments& lower, const Reach& reach, const ContourPlan& plan,
                     double near);
  static Moments moments_of(const Direction& terms, const LineOf& line_of, const ContourPlan& plan);
  static bool may_be_whole(const Direction& terms, const ContourPlan& plan);

  const ContourSum& lower() const { return lower_ ? *lower_ : upper_; }
  bool has_one_sum() const { return !lower_ && error_above_ == 0; }
  bool is_complement() const { return plan_.contour.tilt < 0; }
  Answer unanswered() const;
  Ends ends(double epsilon) const;
  Interval delta(double epsilon, const Ends& at) const;
  Interval epsilon(double delta, double start, Root& root) const;
  void spend(double epsilon, const Ends& at, Answer& result) const;
  bool is_at_most(const Direction& terms, double epsilon, double delta) const;

  ContourPlan plan_;
  double near_, interval_ = 0;
  std::optional<Moments> moments_;  // of lines, which may grow
  ContourSum upper_;
  std::optional<ContourSum> lower_;  // none if the sides share one
  Interval infinity_mass_{0, 0};
  double error_above_ = 0, error_below_ = 0;  // of losses, from the upper and the lower side [nats]
  Reach reach_;
  Held held_;
};

}  // namespace hockeystick
