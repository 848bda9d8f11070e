// SPDX-License-Identifier: Apache-2.0
#include "plan/contour_frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/elementary.hpp"
#include "plan/tuning.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
double highest_tilt(const Saddle& at) {
  constexpr double of_unit_deviation = 500;
  return of_unit_deviation / std::min(1.0, at.deviation);
}

double likely_rounding(const Saddlepoint& saddlepoint) {
  return tuning::moment_rounding * std::sqrt(saddlepoint.total_count());
}

ContourFrame contour_frame(const Saddlepoint& saddlepoint, const Saddle& at, double log_fraction, double rounding,
                           double flattest, double highest) {
  ContourFrame frame{};
  Contour& best = frame.contour;
  double nearby = std::numeric_limits<double>::quiet_NaN();
  // Aliases decay slowly near a tilt at which rare huge losses start to dominate the moment. Below that tilt they decay
  // fast, so flatter tilts are tried as well.
  const bool is_complement = at.tilt < 0;  // tried at the saddle alone
  const double lowest = is_complement ? -1 : 0;
  for (double tilt = at.tilt; is_complement || tilt > flattest * at.tilt; tilt *= 0.75) {
    const Cumulants k = saddlepoint.cumulants(tilt);
    const double excess = k.value - tilt * at.epsilon - log_fraction - at.log_delta;
    if (best.period > 0 && excess + math::log(tuning::rounding_allowed * rounding) > 0) break;
    const double wanted = std::max(1.0, excess + log_chernoff_peak(tilt));
    const auto above =
        saddlepoint.chernoff_quantile({tilt, k}, wanted, 1, std::min(highest_tilt(at), highest - tilt), nearby);
    const auto below = saddlepoint.chernoff_quantile({tilt, k}, wanted, -1, tilt - lowest);
    nearby = above.tilt;
    // An alias is at most e^(K(t) - t epsilon + peak(t) - abs(t - tilt) period). The quantile's loss determines K(t).
    const auto wanted_period = [&](const ChernoffQuantile& quantile) {
      const double rise = (quantile.tilt - tilt) * (quantile.loss - at.epsilon);
      return (rise - wanted + excess + log_chernoff_peak(quantile.tilt)) / std::fabs(quantile.tilt - tilt);
    };
    const double period = 1.02 * std::max(wanted_period(above), wanted_period(below));
    if (best.period == 0 || period < 0.7 * best.period)
      frame = {{std::max(lowest, below.tilt), tilt, above.tilt, period, 0}, k};
    if (is_complement || period < 4 * std::sqrt(wanted * k.variance)) break;
  }
  return frame;
}

}  // namespace hockeystick
