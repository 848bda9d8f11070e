// SPDX-License-Identifier: Apache-2.0
// The contour that serves where a curve is asked for.
#pragma once

#include <optional>
#include <vector>

#include "mechanisms/allocation/allocation_hyperbola.hpp"
#include "mechanisms/allocation/lognormal_series.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// call(t + d) / t for d in [from, to], from >= 0 < to, or put(t + d) / t for to <= 0: calls by a hyperbola where there
/// is one, else on a line.
class AllocationContour {
 public:
  AllocationContour(const LognormalTransform& transform, double t, double from, double to, double accuracy)
      : t_(t), calls_(to > 0) {
    if (calls_ && from > 0) hyperbola_.emplace(transform, t, from, to, accuracy);
    if (hyperbola_ && hyperbola_->built()) return;
    line_.emplace(transform, std::vector<LognormalPart>{{1, t}}, LognormalSeries::Kind::put, from, to, accuracy * t);
  }

  bool is_complete() const { return !line_ || line_->is_complete(); }

  Interval at(double d) const {
    if (!line_) return hyperbola_->call(d);
    const Interval whole = line_->at(d), put{whole.lower / t_, whole.upper / t_};
    const double part = d / t_;
    if (!calls_) return put;
    return {put.lower - part * (1 + 4 * u), put.upper - part * (1 - 4 * u)};  // proof: allocation-epoch
  }

 private:
  double t_;
  bool calls_;
  std::optional<AllocationHyperbola> hyperbola_;
  std::optional<LognormalSeries> line_;
};

}  // namespace hockeystick
