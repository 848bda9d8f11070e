// SPDX-License-Identifier: Apache-2.0
// A mechanism whose Renyi divergences of one order 1 + t are at most R in both directions: a pair that dominates every
// such mechanism (cpp/proofs/renyi-curve.md). For alpha >= 1, h(alpha) <= e^(t R) alpha^-t t^t / (1 + t)^(1 + t).
#include <algorithm>

#include "mechanisms/curves/zero_concentrated.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "mechanisms/moments_alone.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

AtomicLaw above(Parameters p) {
  const double t = p[0] - 1, divergence = p[1], cells = p[2], tail = p[3];  // t is exact
  const double constant = math::log1p(t) + t * math::log1p(1 / t);
  const double one = divergence - constant / t;    // before, the bound is above 1
  const double begins = one > 0x1p-40 ? one : 0;   // which is another double than 0
  const double reach = (1 - math::log(tail)) / t;  // to where it falls to the tail
  // Chords lie 1e-3 of delta above it at 40 cells; below t = .1 they are long in alpha, and cost a step in epsilon.
  const double finer = std::clamp(0.1 / t, 1.0, 10.0);
  const double step = std::max(reach / (25 * finer * cells), 0x1p-46 * (1 + begins));
  return law_of_both_directions({divergence, begins, step, tail}, [=](double epsilon) {
    const double with = t * divergence, without = t * epsilon;
    const double error = 16 * u * (with + without + constant);  // proof: renyi-curve
    return math::exp(std::min(0.0, with - without - constant + error)) * (1 + 8 * u) + 1e-300;
  });
}

// Cells in 25th parts of where the curve falls to the tail.
const AtomicRegistration registration(above, "renyi_dp_above",
                                      {{{"order", {1.0001, 1e4}},
                                        {"divergence", {1e-12, 1e4}},
                                        parameter::cells,
                                        {"tail", {1e-300, 1, Range::Ends::open_above}}}});

// Renyi divergences do not fall with the order: at lower orders they are at most the given one. At higher orders
// nothing is known.
class RenyiMoments final : public MomentsAlone {
 public:
  explicit RenyiMoments(Parameters p) : t_(p[0] - 1), divergence_(p[1]) {}

  Interval infinity_mass() const override { return {0, 0}; }
  Interval log_moment_bounds(double t) const override {
    return {0, t <= t_ ? t * divergence_ * (1 + 2 * u) : infinity};  // proof: renyi-curve
  }

 private:
  double t_, divergence_;
};

const Registration moments("renyi_dp_moments",
                           std::vector<Parameter>{{"order", {1.0001, 1e4}}, {"divergence", {1e-12, 1e4}}},
                           [](Parameters p) { return std::make_shared<const RenyiMoments>(p); });

}  // namespace
}  // namespace hockeystick
