// SPDX-License-Identifier: Apache-2.0
// The moments of a Gaussian mechanism that a record joins in exactly k of t steps, drawn at random: above by those of
// the k steps, below by those of one choice of them, or of the mean of all steps (cpp/proofs/selected-moments.md).
#include <algorithm>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/moments_alone.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

class SelectedMoments final : public MomentsAlone {
 public:
  explicit SelectedMoments(Parameters p) : half_square_(p[3] / p[0] / p[0] / 2), steps_(p[1]), selected_(p[2]) {
    checked("selected", selected_, {1, steps_ - 1, Range::Ends::closed, true});
    const double rest = steps_ - selected_;
    log_choices_ = selected_ * math::log1p(rest / selected_) + rest * math::log1p(selected_ / rest);
  }

  Interval infinity_mass() const override { return {0, 0}; }
  double renyi_slope_bound(double) const override { return all() * (1 + 16 * u); }  // proof: selected-moments
  double renyi_slope_limit() const override { return all() * (1 - 16 * u); }        // proof: selected-moments

  Interval log_moment_bounds(double t) const override {
    const double most = all() * (t + 1);
    const double of_mean = most * (selected_ / steps_) * (1 - 16 * u);              // proof: selected-moments
    const double of_one = most * (1 - 16 * u) - log_choices_ * (1 + 16 * u);        // proof: selected-moments
    return {t * std::max(of_mean, of_one) * (1 - 4 * u), t * most * (1 + 16 * u)};  // proof: selected-moments
  }

 private:
  double all() const { return half_square_ * selected_; }

  double half_square_, steps_, selected_, log_choices_;
};

const Registration registration(
    "selected_steps_moments",
    {{parameter::noise_multiplier, allocated_steps, {"selected", ranges::most_steps}, allocated_epochs}},
    [](Parameters p) -> std::shared_ptr<const DominatingPair> { return std::make_shared<SelectedMoments>(p); });

}  // namespace
}  // namespace hockeystick
