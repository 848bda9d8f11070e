// SPDX-License-Identifier: Apache-2.0
#include "discretize/privacy_buckets.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

StepPmf empty_pmf(const SupportCells& cells, Side side) {
  const Support& support = cells.support;
  const std::vector<double> none(support.index.size(), 0.0);
  return {support.interval, support.offset, support.index, none, 0, 0, cells.parts.loss_error, side};
}

// Upper bound of e^-loss times mass.
double reversed(double mass, double loss) { return mass * math::exp(-loss) * (1 + (4 * std::fabs(loss) + 16) * u); }

// Whether all mass of a cell lies on its lower edge, as only that of atoms can: such mass is not moved.
bool on_edge(const PairCells& parts, double above) { return parts.own_scale && above == 0; }

}  // namespace

StepPmf privacy_buckets_upper(const SupportCells& cells) {
  const PairCells& parts = cells.parts;
  const std::size_t last = cells.support.index.size() - 1;
  StepPmf pmf = empty_pmf(cells, Side::upper);
  // Rounding up loses the Q-mass Q - e^-upper P of a cell, which is e^-upper `below`.
  CompensatedSum reverse;
  reverse.add(parts.lower_tail_q);
  pmf.mass.front() = parts.lower_tail_p;
  for (std::size_t i = 0; i < last; ++i) {
    checkpoint_each<4096>(i);
    const CellMass cell = whole_cell(cells, i);
    const bool stays = on_edge(parts, cell.above);
    const std::size_t to = stays ? i : i + 1;
    const double atom = stays || cells.atoms.empty() ? 0.0 : std::min(cells.atoms[i], cell.p);
    pmf.mass[i] += atom;
    pmf.mass[to] += cell.p - atom;
    const double lost = stays ? 0.0 : cell.below;
    const double error = cells.share_error(i, 1, 1) * math::expm1(cells.gap(i)) * cell.p;
    reverse.add(reversed(lost + error, cells.loss(to)));  // proof: privacy-buckets
  }
  const bool top_stays = cells.nothing_above() || on_edge(parts, parts.upper_tail_above);
  // All of Q above the support: e^-last (P - above).
  const double tail = top_stays ? 0.0 : std::max(0.0, parts.upper_tail_p - parts.upper_tail_above);
  const double tail_error = parts.mass_error + 2 * parts.share_error + parts.share_error_p;
  reverse.add(reversed(tail + tail_error * parts.upper_tail_p, cells.loss(last)));
  if (top_stays) pmf.mass[last] += parts.upper_tail_p;
  const double inflate = 1 + parts.mass_error + 16 * u;  // proof: cell-errors
  for (double& mass : pmf.mass) mass *= inflate;
  // Mass lost to underflow goes to the top, if there is one.
  (cells.nothing_above() && parts.infinity_mass == 0 ? pmf.mass[cells.top] : pmf.infinity_mass) += 1e-307;
  // proof: privacy-buckets
  pmf.infinity_mass += ((top_stays ? 0.0 : parts.upper_tail_p) + parts.infinity_mass) * inflate;
  pmf.reverse_infinity_mass = reverse.value() * (1 + 16 * u) + 1e-307;
  return pmf;
}

StepPmf privacy_buckets_lower(const SupportCells& cells) {
  const PairCells& parts = cells.parts;
  const std::size_t last = cells.support.index.size() - 1;
  StepPmf pmf = empty_pmf(cells, Side::lower);
  for (std::size_t i = 0; i < last; ++i) checkpoint_each<4096>(i), pmf.mass[i] = whole_cell(cells, i).p;
  pmf.mass[last] = parts.upper_tail_p;                                  // proof: privacy-buckets
  const double deflate = std::max(0.0, 1 - parts.mass_error - 16 * u);  // proof: cell-errors
  for (double& mass : pmf.mass) mass *= deflate;
  pmf.infinity_mass = parts.infinity_mass_lower;
  return pmf;
}

}  // namespace hockeystick
