// SPDX-License-Identifier: Apache-2.0
#include "methods/step_mgf_line.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/modulus_bound.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
StepMgfLine::StepMgfLine(TiltedStep step, Decay decay) : step_(std::move(step)), decay_(decay) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < step_.mass.size(); ++i) {
    sum.add(step_.mass[i]);
    losses_.push_back(step_.step->loss(i));
  }
  const double value = math::log(sum.value());
  // proof: smoothing-rounding
  log_moment_ = {step_.log_moment + value, u * (4 + 5 * std::fabs(value) + std::fabs(step_.log_moment + value))};
}

double StepMgfLine::log_moment_above(double tilt) const {
  const double bound = hockeystick::log_moment_above(step_, tilt - step_.tilt);
  return bound + step_.log_moment + 2 * u * (std::fabs(bound) + std::fabs(step_.log_moment));
}

double StepMgfLine::modulus_bound(double frequency) const {
  if (!(frequency < decay_.reach)) return 1;
  const double bound = hockeystick::modulus_bound(step_.mass, losses_, frequency, decay_.reach);
  const double largest = std::max(std::fabs(losses_.front()), std::fabs(losses_.back()));
  const double turned =
      2.02 * u * decay_.reach * (largest + 2 * std::fabs(step_.step->offset));  // proof: modulus-bound
  return std::min(1.0, std::max(bound + turned, decay_.floor));                 // proof: modulus-bound
}

std::vector<MomentSample> StepMgfLine::samples(double spacing, std::size_t count) const {
  // A loss is a sum of offset and grid point: its error is 2 u of their sizes.
  std::vector<PointMass> points;
  points.reserve(losses_.size());
  const double offset = std::fabs(step_.step->offset);
  for (std::size_t i = 0; i < losses_.size(); ++i)  // proof: smoothing-rounding
    points.push_back({step_.mass[i], losses_[i], 0, 2 * u * (std::fabs(losses_[i]) + 2 * offset)});
  return samples_of({points, spacing}, count);
}

}  // namespace hockeystick
