// SPDX-License-Identifier: Apache-2.0
#include "discretize/cells.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// By how much loss(i), as a double, may miss offset + index d; usually by nothing.
double rounding_of(const Support& support) {
  double largest = 0;
  for (const std::int64_t index : support.index) {
    const auto [product, product_error] = two_product(support.interval, static_cast<double>(index));
    const auto [loss, sum_error] = two_sum(support.offset, product);
    largest = std::max(largest, std::fabs(product_error) + std::fabs(sum_error));
  }
  return largest * (1 + 4 * unit_roundoff);
}

// The top atom is the cut: with mass next to the atom, the tangent at any other cut would meet zero off the support.
void cut_below_top(const Support& support, double top, std::vector<double>& cuts) {
  for (std::size_t i = cuts.size(); i-- > 0;) {
    const double gap = support.loss(i + 1) - support.loss(i);
    if (std::fabs(support.loss(i + 1) - top) < 1e-3 * gap) cuts[i] = support.loss(i + 1);
    if (support.loss(i + 1) < top) break;
  }
}

// Below the lowest atom no mass can balance the mass next to the atom. That mass goes to the next point, except for a
// thin slice that keeps the atom off the cut.
void cut_above_bottom(const Support& support, double bottom, std::vector<double>& cuts) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double gap = support.loss(i + 1) - support.loss(i);
    if (std::fabs(support.loss(i) - bottom) < 1e-3 * gap) cuts[i] = support.loss(i) + 1e-2 * gap;
    if (support.loss(i) > bottom) break;
  }
}

// Certified masses of atoms that are support points.
std::vector<double> atoms_on(const Support& support, std::span<const Atom> atoms) {
  if (atoms.empty()) return {};
  std::vector<double> masses(support.index.size(), 0.0);
  std::size_t i = 0;
  for (const Atom& atom : atoms) {
    while (i < masses.size() && support.loss(i) < atom.loss) ++i;
    if (i < masses.size() && support.loss(i) == atom.loss) masses[i] = atom.mass;
  }
  return masses;
}

}  // namespace

SupportCells cut_midway(const DominatingPair& pair, Support support) {
  std::vector<double> cuts;
  cuts.reserve(support.index.size());
  for (std::size_t i = 0; i + 1 < support.index.size(); ++i)
    cuts.push_back(support.offset +
                   0.5 * support.interval * static_cast<double>(support.index[i] + support.index[i + 1]));
  if (support.has_atoms()) {
    cut_above_bottom(support, support.lowest_atom, cuts);
    cut_below_top(support, support.highest_atom, cuts);
  }
  if (support.closed && !cuts.empty()) cuts.back() = support.loss(cuts.size());
  return cut_at(pair, std::move(support), std::move(cuts));
}

SupportCells cut_at(const DominatingPair& pair, Support support, std::vector<double> cuts) {
  if (!(support.interval <= largest_interval))
    throw std::invalid_argument("discretization_interval must be at most 500 nats");
  SupportCells cells{std::move(support), std::move(cuts), {}, {}, 0};
  std::vector<double> edges;
  edges.reserve(2 * cells.support.index.size());
  for (std::size_t i = 0; i < cells.support.index.size(); ++i) {
    if (i > 0) edges.push_back(cells.cuts[i - 1]);
    edges.push_back(cells.loss(i));
  }
  cells.parts = pair.integrate(edges);
  cells.atoms = atoms_on(cells.support, pair.atoms_from_below());
  cells.parts.loss_error += rounding_of(cells.support);  // proof: loss-coupling
  const double most = pair.finite_loss_bound();
  const double error = cells.parts.loss_error;
  while (cells.nothing_above() && cells.loss(cells.top) < most && !(down(cells.loss(cells.top) + error) >= most))
    ++cells.top;  // proof: bounded-support
  return cells;
}

Beyond beyond(const SupportCells& cells) {
  const PairCells& parts = cells.parts;
  const double p = parts.upper_tail_p, above = parts.upper_tail_above;
  // proof: closed-support
  return {p - above, above,
          (2 * parts.share_error + parts.share_error_p + 2 * parts.mass_error + 8 * unit_roundoff) * p};
}

CellMass whole_cell(const SupportCells& cells, std::size_t i) {
  const CellMass& low = cells.parts.cells[2 * i];
  const CellMass& high = cells.parts.cells[2 * i + 1];
  const double grow = expm1_short(cells.loss(i + 1) - cells.cuts[i]);
  const double shrink = -expm1_short(cells.loss(i) - cells.cuts[i]);
  // Moves the reference of a part to the far end: e^upper Q = e^(upper - cut) (P + below) for the low part, e^lower Q =
  // e^(lower - cut) (P - above) for the high one. Both are sums of non-negative terms.
  return {low.p + high.p, low.above + high.above * (1 - shrink) + high.p * shrink,
          high.below + low.below * (1 + grow) + low.p * grow};
}

}  // namespace hockeystick
