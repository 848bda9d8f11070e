// SPDX-License-Identifier: Apache-2.0
#include "views/composed_curve.hpp"

#include <tuple>
#include <utility>

#include "methods/budgeted.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "plan/grid_interval.hpp"
#include "pld/reflect.hpp"
#include "views/composed_pld.hpp"
#include "views/curve_points.hpp"

namespace hockeystick {
namespace {

constexpr int most_passes = 6;
constexpr double finer = 0.3;        // than the grid before
constexpr double tail_mass = 1e-15;  // hardly more than a transform rounds

}  // namespace

Answer ComposedCurve::at(double loss, double tolerance, double enough) {
  Answer found = enclosed({0, 1}, "fft_composition");
  for (int pass = 0; pass <= most_passes; ++pass) {
    if (above_) std::tie(found.lower, found.upper) = value(loss);
    found.converged = found.upper - found.lower <= std::max(enough, tolerance * (found.upper + math::expm1(loss)));
    if (found.converged || pass == most_passes || !refine(tolerance)) break;
  }
  if (found.converged) return found;
  found.limited_by = refused_.limited_by.empty() ? "passes" : refused_.limited_by;
  found.required_bytes = refused_.required_bytes;
  return found;
}

// The distribution tells more where it has atoms, its reflection where h is nearly 1 - e^loss.
std::pair<double, double> ComposedCurve::value(double loss) const {
  const Interval direct{below_->curve.delta(loss).value, above_->curve.delta(loss).value};
  const Interval reverse{below_->reflected.delta(-loss).value, above_->reflected.delta(-loss).value};
  const auto [lower, upper] = both(direct, curve_point(loss, reverse).value);
  return {lower, upper};
}

// False if there is no finer grid.
bool ComposedCurve::refine(double tolerance) {
  if (!refused_.limited_by.empty()) return false;
  const Saddlepoint saddlepoint(direction_);
  const double deviation = saddlepoint.deviation(), last = above_ ? above_->curve.pmf().interval : infinity;
  interval_ = interval_ > 0 ? finer * interval_ : interval_for_variance(saddlepoint, tolerance * deviation * deviation);
  const auto curve = [&](Side side) {
    LossPmf pmf = explicit_pmf(direction_, {interval_, side, Estimator::connect_dots, tail_mass, 0, {}, true});
    CurveTable reflection(reflected(pmf));
    return Curves{CurveTable(std::move(pmf)), std::move(reflection)};
  };
  try {
    Curves above = curve(Side::upper);
    below_.emplace(curve(Side::lower)), above_.emplace(std::move(above));
    if (!(above_->curve.pmf().interval < last)) refused_.limited_by = "rounding";  // the grid of the atoms
  } catch (const OverBudget& over) {
    refuse(refused_, over);
  }
  return true;
}

}  // namespace hockeystick
