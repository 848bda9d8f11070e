// SPDX-License-Identifier: Apache-2.0
// The privacy loss of Laplace noise, and its cells between given losses.
//
// In noise units, with m = 1 / noise multiplier (relative error at most u): P is Laplace noise about m, Q about 0. L(x)
// = |x| - |x - m| is -m for x <= 0, m for x >= m and 2 x - m between. Hence
//     P(L = m) = Q(L = -m) = 1/2,       P(L = -m) = Q(L = m) = e^-m / 2,
// and between them L has the densities e^((l - m) / 2) / 4 under P, e^(-(l + m) / 2) / 4 under Q. Swapping P and Q
// gives -L the same law: the pair is its own reverse.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick::laplace {

/// Bound of the underflow in a mass.
inline constexpr double tiny = 1e-307;

/// Below this P-mass, underflow may have removed it all though its Q-mass is not small.
inline constexpr double vanishing = 1e-290;

/// e^upper Q - P is a sum over Q-masses; where these come near underflow, the P-masses of the cell do not (m <= 1000).
inline constexpr double faint = 1e-250;

/// With m and q in these ranges and no cell of density narrower, no product below comes near underflow: e^-m / 4 times
/// the square of half a width, q and e^-m exceeds 1e-250, and rounded differences are 0 or exceed u m and u q.
inline constexpr double least_m = 1e-20, most_m = 200, least_half = 1e-25;

/// The cell [lower, upper) of the loss: P, Q, P - e^lower Q, e^upper Q - P, and the last times e^-upper.
struct Piece {
  double p = 0, q = 0, above = 0, below = 0, scaled_below = 0;
  double width = 0;     // of the part above -m: rounding of `below` grows with it
  bool narrow = false;  // whether the square of the width may be near underflow
};

/// The losses at which the atoms are taken to be.
struct AtomLosses {
  double low, high;
};

/// The law of the loss, with m as given.
class LaplaceLoss {
 public:
  explicit LaplaceLoss(double m) : m_(m), rare_(0.5 * math::exp(-m)) {}

  double end() const { return m_; }
  bool may_underflow() const { return !(m_ >= least_m && m_ <= most_m); }
  double rare() const { return rare_; }

  /// Relative error of p and q: 14 u; of above and scaled_below: 32 u; of below: (32 + 2 width) u. Sums of
  /// non-negative terms throughout. Infinite ends are allowed, but `below` is of no use at upper = inf.
  Piece piece(double lower, double upper, const AtomLosses& at) const;

  /// Upper bound of the total variation of P and Q; m may be off by u.
  double total_variation_bound() const { return std::min(1.0, -math::expm1(-0.5 * m_) * (1 + 16 * u)); }

  struct Node {
    double loss, log_p, log_q;
  };

  /// The atoms, and between them a midpoint rule with exact masses.
  std::vector<Node> nodes() const;

 private:
  void add_density(Piece& piece, double a, double c, double under, double over) const;

  double m_, rare_;
};

struct Cell {
  CellMass mass;
  double q;      // Q(cell)
  double width;  // of its inner losses
  bool narrow;
};

/// An edge and the inner loss that sampling turns into it.
struct Edge {
  double inner;   // infinite if no loss is mapped there
  double excess;  // 1 - q - e^loss if positive: error 4 u q, which edge_error covers, and 5 u relative
  double weight;  // posterior weight of the record at the inner loss, relative error 16 u
};

/// An atom next to an edge counts as on the edge, for a loss error: there connect the dots is exact, whereas the lower
/// estimate would have to move an atom next to the edge by a whole interval. Returns the new place as an inner loss.
double snapped(double loss, double inner, std::span<const double> losses, std::span<const Edge> edges, double& moved);

/// The common part of the three pairs: cell_at(i) is cell i between `count` edges; cell -1 lies below them, cell count
/// - 1 above.
template <class CellAt>
PairCells cut(std::ptrdiff_t count, bool may_underflow, CellAt&& cell_at) {
  PairCells result;
  result.cells.reserve(static_cast<std::size_t>(count));
  double widest = 0, lost = 0;
  for (std::ptrdiff_t i = 0; i + 1 < count; ++i) {
    checkpoint_each<1024>(static_cast<std::size_t>(i));
    const Cell cell = cell_at(i);
    result.cells.push_back(cell.mass);
    widest = std::max(widest, cell.width);
    may_underflow = may_underflow || cell.narrow;  // proof: laplace-cells
    if (cell.mass.p < vanishing) lost += cell.q;
  }
  const Cell bottom = cell_at(-1), top = cell_at(count - 1);
  may_underflow = may_underflow || bottom.narrow || top.narrow;
  result.lower_tail_p = bottom.mass.p;
  // Cells that may have lost their P-mass count at loss -inf.
  result.lower_tail_q = (bottom.q + lost) * (1 + 64 * u);
  result.upper_tail_p = top.mass.p;
  result.upper_tail_above = top.mass.above;
  result.mass_error = 24 * u;                  // proof: laplace-cells
  result.share_error = (48 + 2 * widest) * u;  // proof: laplace-cells
  result.share_error_p = may_underflow ? tiny : 0;
  result.own_scale = true;
  return result;
}

}  // namespace hockeystick::laplace
