// SPDX-License-Identifier: Apache-2.0
// The contour that serves where a sum of log-normal variables is asked for.
#pragma once

#include <algorithm>
#include <optional>

#include "mechanisms/allocation/lognormal_hyperbola.hpp"
#include "mechanisms/allocation/lognormal_series.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// For d = K - E S in [from, to]: P(S <= K), or of order 2 E (S - K)_+ for from >= 0 and E (K - S)_+ for to <= 0; what
/// lies above K by a hyperbola where there is one, else on a line, which takes few samples within a deviation. A
/// hyperbola takes few more nodes to hold up to `further` times `to`.
class LognormalContour {
 public:
  LognormalContour(const LognormalSum& sum, Kind kind, double from, double to, double accuracy, double further = 1)
      : kind_(kind), calls_(kind == Kind::put && to > 0), to_(to) {
    if (1.2 * from > sum.deviation()) hyperbola_.emplace(sum, kind, from, further * to, accuracy);
    if (hyperbola_ && hyperbola_->built())
      to_ *= further;
    else
      line_.emplace(sum, kind, from, to, accuracy);
  }

  double to() const { return to_; }
  bool is_complete() const { return !line_ || line_->is_complete(); }

  Interval at(double d) const {
    if (line_) {
      const auto [lower, upper] = line_->at(d);
      return calls_ ? Interval{down(lower - d), up(upper - d)} : Interval{lower, upper};
    }
    const auto [lower, upper] = hyperbola_->at(d);
    if (kind_ == Kind::put) return {lower, upper};
    return {std::max(0.0, down(1 - upper)), std::min(1.0, up(1 - lower))};
  }

 private:
  Kind kind_;
  bool calls_;
  double to_;
  std::optional<LognormalHyperbola> hyperbola_;
  std::optional<LognormalSeries> line_;
};

}  // namespace hockeystick
