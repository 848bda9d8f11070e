// SPDX-License-Identifier: Apache-2.0
#include "plan/window.hpp"

#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/fft/real_fft.hpp"
#include "plan/cost.hpp"
#include "pld/chernoff.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {
namespace {

// The window covers the losses from `lowest` to `highest`. P-mass above it is at most e^-log_above, and tilted mass
// that wraps into it from either side at most e^-log_wrapped.
struct WindowNeeds {
  double tilt, lowest, highest, log_above, log_wrapped;
};

WindowForecast make_window(const Saddlepoint& saddlepoint, const Cumulants& k, const WindowGrid& grid,
                           const WindowNeeds& needs) {
  const auto [d, shift, limit] = grid;
  const auto above = [&, limit = limit](double tilt, double log_reciprocal) {
    return saddlepoint.chernoff_quantile({tilt, saddlepoint.cumulants(tilt)}, log_reciprocal, 1, limit);
  };
  const auto top = above(0, needs.log_above), from_above = above(needs.tilt, needs.log_wrapped);
  const auto from_below = saddlepoint.chernoff_quantile({needs.tilt, k}, needs.log_wrapped, -1, limit);
  const double high = std::max(top.loss, needs.highest);
  WindowForecast window{};
  window.first = std::floor((needs.lowest - shift) / d) - 2;
  window.size = std::ceil((high - shift) / d) + 3 - window.first;
  window.period = std::max(high - from_below.loss, from_above.loss - needs.lowest) / d + 16;
  window.chernoff = {top.tilt - needs.tilt, 0, from_above.tilt - needs.tilt, from_below.tilt - needs.tilt};
  return window;
}

}  // namespace

Window WindowForecast::window() const {
  return {static_cast<std::int64_t>(first), static_cast<std::size_t>(std::max(size, 1.0))};
}

std::size_t WindowForecast::fft_size() const { return RealFft::good_size(static_cast<std::size_t>(length())); }

double WindowForecast::bytes(int curves) const {
  if (!is_feasible()) return std::fabs(first) <= 0x1p62 ? length() * cost::circle_point_bytes : infinity;
  const std::size_t points = fft_size();
  return static_cast<double>(CyclicProduct::bytes(points) + RealFft::bytes(points) + 2 * sizeof(double) * points) +
         curves * CurveTable::bytes(size);
}

void WindowForecast::clip(double lowest, double highest) {
  const double last = std::min(first + size - 1, highest);
  first = std::min(std::max(first, lowest), highest);
  size = std::max(1.0, last - first + 1);
}

WindowForecast question_window(const Saddlepoint& saddlepoint, const Saddle& at, double tilt, const WindowGrid& grid,
                               double cut, bool is_rough) {
  const Cumulants k = saddlepoint.cumulants(tilt);
  const double epsilon = at.epsilon, margin = std::sqrt(k.variance), d = grid.interval;
  const double log_lost = math::log(cut) + at.log_delta;
  // Mass that wraps around, at its largest weight, adds at most the part `cut` of delta.
  const double log_wrapped = k.value - tilt * epsilon + log_chernoff_peak(tilt) - log_lost;
  const bool smooth = at.regular && !is_rough && d < 0.25 * margin;
  const double least = std::min(epsilon, 0.0) - 4 * d, lowest = smooth ? std::max(epsilon - margin, least) : least;
  return make_window(saddlepoint, k, grid,
                     {tilt, lowest, epsilon + 4 * d, std::max(1.0, -log_lost), std::max(1.0, log_wrapped)});
}

WindowForecast whole_window(const Saddlepoint& saddlepoint, const WindowGrid& grid, double tail_mass) {
  const double log_lost = -math::log(tail_mass);
  const auto below = [&](double at) { return saddlepoint.chernoff_quantile(at, log_lost, -1, grid.steepest); };
  const auto below_q = below(-1);
  const double lowest = std::min(below(0).loss, below_q.loss);
  WindowForecast window =
      make_window(saddlepoint, saddlepoint.cumulants(0), grid, {0, lowest, -infinity, log_lost, log_lost});
  window.chernoff.below = below_q.tilt;
  window.period = 0;  // the window holds all but the tail mass
  return window;
}

}  // namespace hockeystick
