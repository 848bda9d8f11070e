// SPDX-License-Identifier: Apache-2.0
#include "pld/given_step.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// Bound of the underflow in a product.
constexpr double tiny = 1e-307;

double outward(Side side) { return side == Side::upper ? 1.0 : -1.0; }

// A non-negative value with the given relative error, moved to the safe side.
double moved(double value, double relative, Side side) {
  const double result = value * (1 + outward(side) * relative);
  return side == Side::upper ? result + tiny : std::max(0.0, result);
}

// An estimate of the epsilon > 0 at which the step has this delta. With the sums over the losses above l
//     curve = sum m (1 - e^(l - loss)),    weight = sum m e^(l - loss),
// the curve at l - y is curve + (1 - e^-y) weight.
double guess_epsilon(const StepPmf& step, double delta) {
  const double goal = delta - step.infinity_mass;
  double curve = 0, weight = 0;
  for (std::size_t k = step.mass.size(); k-- > 0;) {
    checkpoint_each<8192>(k);
    const double loss = step.loss(k);
    if (loss <= 0) return 0;
    weight += step.mass[k];
    const double below = k > 0 ? std::max(0.0, step.loss(k - 1)) : 0.0;
    const double rise = -std::expm1(below - loss);
    if (curve + rise * weight > goal || below == 0)
      return std::max(0.0, loss + std::log1p(-std::clamp((goal - curve) / weight, 0.0, rise)));
    curve += rise * weight;
    weight *= 1 - rise;
  }
  return 0;
}

}  // namespace

StepPmf given_step(double interval, std::span<const std::int64_t> index, std::span<const double> mass,
                   double infinity_mass, Side side) {
  if (index.size() != mass.size()) throw std::invalid_argument("index and mass must be equally long");
  if (!(infinity_mass >= 0 && infinity_mass <= 1)) throw std::invalid_argument("infinity_mass must be in [0, 1]");
  StepPmf step{interval, 0, {}, {}, infinity_mass, side == Side::upper ? 1.0 : 0.0, 0, side};
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (k > 0 && index[k] <= index[k - 1]) throw std::invalid_argument("index must increase");
    if (!(mass[k] >= 0 && mass[k] < infinity)) throw std::invalid_argument("mass must be finite and >= 0");
    if (mass[k] == 0) continue;
    step.index.push_back(index[k]);
    step.mass.push_back(mass[k]);
  }
  return step;
}

double step_delta(const StepPmf& step, double epsilon) {
  if (epsilon == infinity) return step.infinity_mass;
  // The losses k d are rounded, the difference once more: 4 u (|loss| + |epsilon|), which moves epsilon.
  const double top =
      step.mass.empty() ? 0 : std::max(std::fabs(step.loss(0)), std::fabs(step.loss(step.mass.size() - 1)));
  const double finite = std::isinf(epsilon) ? 0 : std::fabs(epsilon);
  // proof: given-steps
  const double shifted = epsilon - outward(step.side) * (step.loss_error + 4 * u * (top + finite)) * (1 + 4 * u);
  CompensatedSum sum;
  for (std::size_t k = step.mass.size(); k-- > 0;) {
    checkpoint_each<8192>(k);
    const double beyond = step.loss(k) - shifted;
    if (!(beyond > 0)) break;
    sum.add(step.mass[k] * -std::expm1(-beyond));
  }
  const double curve = sum.value();
  const double finite_part = curve > 0 ? moved(curve, 16 * u, step.side) : 0;  // proof: given-steps
  if (finite_part == 0) return step.infinity_mass;
  return std::clamp((finite_part + step.infinity_mass) * (1 + outward(step.side) * 2 * u), 0.0, 1.0);
}

double step_epsilon(const StepPmf& step, double delta) {
  const bool upper = step.side == Side::upper;
  if (step.infinity_mass > delta) return infinity;
  const auto exceeds = [&](double epsilon) { return step_delta(step, epsilon) > delta; };
  if (!exceeds(0)) return 0;
  // Only the outcome of `exceeds` matters; the estimate before saves calls.
  double epsilon = guess_epsilon(step, delta);
  double nudge = 4 * u * (epsilon + step.interval) + step.loss_error + 1e-300;
  for (; exceeds(epsilon) == upper; nudge *= 2) {
    epsilon += upper ? nudge : -nudge;
    if (epsilon <= 0) return 0;  // a lower one: 0 is below any answer
  }
  return epsilon;
}

}  // namespace hockeystick
