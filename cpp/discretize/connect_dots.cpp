// SPDX-License-Identifier: Apache-2.0
#include "discretize/connect_dots.hpp"

#include <algorithm>

#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {

StepPmf connect_dots(const SupportCells& cells) {
  const PairCells& parts = cells.parts;
  const Support& support = cells.support;
  const std::size_t points = support.index.size();
  StepPmf pmf{support.interval, support.offset, support.index, std::vector<double>(points, 0.0), 0, 0,
              parts.loss_error, Side::upper};
  double reverse = parts.lower_tail_q;  // proof: support-tails
  std::vector<double> at_loss(points);  // e^-loss
  for (std::size_t i = 0; i < points; ++i) at_loss[i] = -cells.loss(i);
  exponentials(at_loss);
  for (std::size_t i = 0; i + 1 < points; ++i) {
    checkpoint_each<4096>(i);
    const CellMass cell = whole_cell(cells, i);
    const double gap = cells.gap(i);
    const double grown = exp_short(gap) * cell.above;  // proof: connect-the-dots
    const double weight = cell.below + grown;          // = (e^gap - 1) p
    const double low = weight > 0 ? cell.below / weight : 0, high = weight > 0 ? grown / weight : 1;
    // Moving the mass up by the error of the share keeps the curve above the pair's. The Q-mass lost by the move goes
    // to loss -inf, so that the reversed pair stays covered.
    const double error = cells.share_error(i, low, high);
    const double moved = std::min(low, error);  // proof: cell-errors
    pmf.mass[i] += cell.p * (low - moved);
    pmf.mass[i + 1] += cell.p * (high + moved);
    reverse += cell.p * 2 * error * -expm1_short(-gap) * at_loss[i];  // proof: cell-errors
  }
  // Below the support all P-mass is rounded up to the first point. Above the support the cell ends at +inf, where
  // connect the dots puts the hockey-stick divergence of the last point: 0 if no loss exceeds that point.
  pmf.mass.front() += parts.lower_tail_p;  // proof: support-tails
  const double beyond = cells.nothing_above() ? 0 : parts.upper_tail_above * (1 + 2 * parts.share_error);
  pmf.mass.back() += std::max(0.0, parts.upper_tail_p - (cells.nothing_above() ? 0 : parts.upper_tail_above)) +
                     (parts.share_error + parts.mass_error) * parts.upper_tail_p;  // proof: support-tails
  const double inflate = 1 + parts.mass_error + 16 * unit_roundoff;                // proof: cell-errors
  for (double& mass : pmf.mass) mass *= inflate;
  // Mass lost to underflow goes to the top, if there is one.
  (cells.nothing_above() && parts.infinity_mass == 0 ? pmf.mass[cells.top] : pmf.infinity_mass) += 1e-307;
  if (support.closed) pmf.infinity_mass += hockeystick::beyond(cells).error;  // proof: closed-support
  pmf.infinity_mass += (beyond + parts.infinity_mass) * inflate;              // proof: support-tails
  pmf.reverse_infinity_mass = reverse * (1 + 64 * unit_roundoff) + 1e-307;
  return pmf;
}

}  // namespace hockeystick
