// SPDX-License-Identifier: Apache-2.0
#include "discretize/tangent_hull.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/hull.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// A piecewise linear curve f(alpha), alpha = e^loss, that is 0 from the last support point on: `mass[i]` is the P-mass
// whose kink the curve has at point i, `error[i]` its rounding.
struct Kinks {
  std::vector<double> mass, error;
  bool ends_at_zero = true;  // false: no tangent allows the value 0 at the last point
};

// All mass above the last point used, as if in one cell: P(L > e) and P - e^e Q, whose errors are fractions of `scale`:
// p (1 - e^-width) for a cell, p above all points.
struct Top {
  double p, above, scale;
  bool closed = false;  // whether it lies on the last point
};

double growth(double gap) { return expm1_short(gap); }       // e^d - 1
double shrinkage(double gap) { return -expm1_short(-gap); }  // 1 - e^-d

// Joins the cell that starts at point i to the top: the cell's own mass, and the mass above as seen from point i.
Top with_cell(const Top& top, const SupportCells& cells, std::size_t i) {
  const CellMass cell = whole_cell(cells, i);
  const double shrunk = shrinkage(cells.gap(i));
  return {cell.p + top.p, cell.above + top.above * (1 - shrunk) + top.p * shrunk,
          cell.p * shrunk + top.scale * (1 - shrunk) + top.p * shrunk};  // proof: support-tails
}

// The curve of the tangents at the cuts over the first `points` support points. Let p_i be the P-mass between the cuts
// around point i (the last point's cell reaches to +inf), D_i = p_i - e^loss_i q_i (the difference at point i of the
// tangents at the cuts below and above), D = D+ - D-. The curve takes the lower tangent at each point; its second
// difference at point i, as P-mass, is, with d_i the gap above point i,
//     p_i + (D_i+ / (e^d_(i-1) - 1) - D_(i+1)+ / (e^d_i - 1))
//         + (D_i- / (1 - e^-d_i) - D_(i-1)- / (1 - e^-d_(i-1))).
// Above the last point the tangent is 0, so that D >= 0 is needed there.
//
// The edges of the cells are within edge_error of the support, and loss_error covers this: mass between point i and the
// cut above enters by p and `above` alone, mass below the point by p and `below`, each as if its losses were shifted by
// the error of its own reference (a point or, in the top, a cut). So the curve is that of losses shifted by at most
// edge_error, whose tangents here are lines P(S) - alpha Q(S), each under its curve.
Kinks cut_kinks(const SupportCells& cells, std::size_t points, const Top& top) {
  const PairCells& parts = cells.parts;
  Kinks kinks{std::vector<double>(points, 0.0), std::vector<double>(points, 0.0)};
  for (std::size_t i = 0; i < points; ++i) {
    checkpoint_each<4096>(i);
    const bool last = i + 1 == points;
    const CellMass left = i > 0 ? parts.cells[2 * i - 1] : CellMass{};
    const CellMass right = last ? CellMass{top.p, top.above, 0} : parts.cells[2 * i];
    const double p = left.p + right.p;
    const double difference = right.above - left.below;
    kinks.mass[i] += p;
    kinks.error[i] += (parts.mass_error + 4 * u) * p;  // proof: cell-errors
    // An error of D is taken on the safe side: mass stays, or moves one point further down. This costs error * gap in
    // the mean and no P-mass.
    const double uncertain = last && top.closed ? left.p : p;  // of what lies on the point no share is taken
    const double largest = (last ? top.scale : right.p * shrinkage(cells.cuts[i] - cells.loss(i))) +
                           (i > 0 ? left.p * growth(cells.loss(i) - cells.cuts[i - 1]) : 0.0);
    const double scale = parts.own_scale ? right.above + left.below : largest;
    const double shares = parts.share_error + (last ? parts.mass_error : 0.0);  // of the top masses, too, are terms
    const double error = (shares + 8 * u) * scale + parts.share_error_p * uncertain;  // proof: cell-errors
    const double raised = std::max(0.0, difference - error);                          // proof: cell-errors
    const double lowered = std::max(0.0, error - difference);
    if (i > 0) {
      const double amount = raised / growth(cells.gap(i - 1));
      kinks.mass[i] += amount;
      kinks.mass[i - 1] -= amount;
    }
    if (!last) {
      const double amount = lowered / shrinkage(cells.gap(i));
      kinks.mass[i] += amount;
      kinks.mass[i + 1] -= amount;
    } else {
      kinks.ends_at_zero = lowered == 0;  // proof: tangent-hull
    }
  }
  for (std::size_t i = 0; i < points; ++i) kinks.error[i] += 8 * u * std::fabs(kinks.mass[i]);
  return kinks;
}

// Algorithm 2. With B_i = `below` of the cell that ends at point i and A_i = `above` of the cell that starts there, the
// neighbours' tangents lie B_i and A_i under the curve at point i. The lower of them is g_i = max(A_i, B_i) under the
// dots that connect_dots connects, so that its kinks are those of connect_dots minus
//     (g_(i+1) - g_i) / (e^d_i - 1) - (g_i - g_(i-1)) / (1 - e^-d_(i-1)).
// At the last point f = 0: g is the divergence there, and the tangent from below must not be < 0.
Kinks tangent_kinks(const SupportCells& cells, std::size_t points, const Top& top) {
  const PairCells& parts = cells.parts;
  Kinks kinks{std::vector<double>(points, 0.0), std::vector<double>(points, 0.0)};
  std::vector<double> off(points, 0.0), off_error(points, 0.0);
  for (std::size_t i = 0; i + 1 < points; ++i) {
    checkpoint_each<4096>(i);
    const CellMass cell = whole_cell(cells, i);
    const double gap = cells.gap(i);
    const double weight = cell.below + exp_short(gap) * cell.above;
    const double share = weight > 0 ? cell.below / weight : 0;
    const double share_error = cells.share_error(i, share, 1 - share);
    const double error = (parts.mass_error + share_error) * cell.p;
    kinks.mass[i] += cell.p * share;
    kinks.mass[i + 1] += cell.p * (1 - share);
    kinks.error[i] += error;
    kinks.error[i + 1] += error;
    const double absolute = share_error * cell.p * growth(gap);
    off[i] = std::max(off[i], cell.above);  // proof: tangent-hull
    off_error[i] = std::max(off_error[i], absolute);
    off[i + 1] = cell.below;
    off_error[i + 1] = absolute;
  }
  kinks.ends_at_zero = top.above * (1 - 2 * parts.share_error) >= off.back() + off_error.back();
  off.back() = top.above;
  off_error.back() = 2 * parts.share_error * top.p;
  kinks.mass.back() += top.p - top.above;
  kinks.error.back() += (parts.mass_error + 2 * parts.share_error) * top.p;
  for (std::size_t i = 0; i < points; ++i) {
    const double left_scale = i > 0 ? 1 / shrinkage(cells.gap(i - 1)) : 1;
    const double right_scale = i + 1 < points ? 1 / growth(cells.gap(i)) : 0;
    const double left = i > 0 ? off[i - 1] : 0, right = i + 1 < points ? off[i + 1] : 0;
    kinks.mass[i] += (off[i] - left) * left_scale - (right - off[i]) * right_scale;
    const double left_error = i > 0 ? off_error[i - 1] : 0;
    const double right_error = i + 1 < points ? off_error[i + 1] : 0;
    kinks.error[i] += (off_error[i] + left_error + 8 * u * (off[i] + left)) * left_scale +
                      (off_error[i] + right_error + 8 * u * (off[i] + right)) * right_scale;
  }
  return kinks;
}

// How many points a next try may have where the last kink is negative, so that the curve comes to zero from below, from
// its least value at the point before. Where more than rounding is missing that point's tangent itself lies below zero,
// and does so on any support that goes on beyond the point.
std::size_t points_left(const Kinks& kinks, std::span<const std::size_t> kept) {
  const std::size_t last = kinks.mass.size() - 1;
  const double rounding = std::accumulate(kinks.error.begin(), kinks.error.end(), 0.0);
  return kept.size() > 1 && kinks.mass[last] < -2 * rounding ? kept[kept.size() - 2] + 1 : last;
}

// Subtracts rounding from the masses, then removes points above the hull. Returns 0, or the points that a next try may
// have.
std::size_t certify(const SupportCells& cells, Kinks& kinks, StepPmf& pmf) {
  for (std::size_t i = 0; i < kinks.mass.size(); ++i) kinks.mass[i] -= kinks.error[i];  // proof: support-tails
  const auto& index = cells.support.index;
  constexpr auto none = static_cast<std::size_t>(-1);
  const auto share = [&](std::size_t left, std::size_t i, std::size_t right) -> KinkShare {
    if (left == none) return {0, 1};  // the neighbour is loss -inf, which holds no P-mass
    const double below = cells.loss(i) - cells.loss(left);
    const double above = cells.loss(right) - cells.loss(i);
    checkpoint_each<4096>(i);
    const double part = exp_short(-below) * shrinkage(above) / shrinkage(below + above);  // grown, they may overflow
    return {part, 1 - part};
  };
  const auto kept = lower_hull(std::span(kinks.mass), 16 * u, share);
  pmf.index.clear();
  pmf.mass.clear();
  for (const std::size_t i : kept) {
    if (kinks.mass[i] < 0) return points_left(kinks, kept);  // proof: tangent-hull
    pmf.index.push_back(index[i]);
    pmf.mass.push_back(kinks.mass[i] * (1 - 4 * u));  // proof: cell-errors
  }
  return 0;
}

// With mass t at +inf, h(alpha) >= t + (1 - t - alpha)+ by Q's support alone: a mass of 1 - t at loss log(1 - t), or
// below. A convex curve that comes down to t at or below that loss lies under its chord from 1, hence under this curve.
// So if the tangents leave no mass above such a loss of the support, as for steps that move the loss by much less than
// an interval, that mass is the better estimate.
void raise_to_no_loss(const SupportCells& cells, StepPmf& pmf) {
  const auto& index = cells.support.index;
  double infinite = cells.parts.infinity_mass;
  if (cells.support.closed) {
    const auto [at_top, at_infinity, error] = beyond(cells);
    infinite = std::min(1.0, (infinite + at_infinity + error) * (1 + 4 * u));  // proof: closed-support
  }
  // proof: normalization-bound
  const double highest = math::log1p(-infinite) * (1 + 8 * u);
  std::size_t nearest = index.size();
  while (nearest > 0 && !(cells.loss(nearest - 1) <= highest)) --nearest;
  if (nearest == 0) return;
  for (std::size_t k = 0; k < pmf.index.size(); ++k)
    if (pmf.index[k] > index[nearest - 1] && pmf.mass[k] > 0) return;
  pmf.index.assign(1, index[nearest - 1]);                                // proof: normalization-bound
  pmf.mass.assign(1, infinite > 0 ? (1 - infinite) * (1 - 4 * u) : 1.0);  // proof: normalization-bound
}

template <class Curve>
StepPmf lower_pmf(const SupportCells& cells, Curve&& curve) {
  StepPmf pmf{cells.support.interval, cells.support.offset, {}, {}, cells.parts.infinity_mass_lower, 0,
              cells.parts.loss_error, Side::lower};
  Top top{cells.parts.upper_tail_p, cells.parts.upper_tail_above, cells.parts.upper_tail_p};  // proof: support-tails
  if (cells.support.closed) {
    const auto [at_top, at_infinity, error] = beyond(cells);
    top = {std::max(0.0, at_top - error), 0, 0, true};  // proof: closed-support
    pmf.infinity_mass =
        lowered(pmf.infinity_mass + std::max(0.0, at_infinity - error), 4 * u);  // proof: closed-support
  }
  // Points are given up one at a time, later in doubling numbers (earlier for large supports), or all that cannot help:
  // the cost stays bounded and linear in the support.
  const std::size_t patience = std::clamp<std::size_t>((std::size_t{1} << 22) / cells.support.index.size(), 4, 64);
  std::size_t drop = 1, tries = 0;
  for (std::size_t points = cells.support.index.size(); points >= 2; drop *= ++tries > patience ? 2 : 1) {
    Kinks kinks = curve(cells, points, top);
    const std::size_t most = kinks.ends_at_zero ? certify(cells, kinks, pmf) : points - 1;
    if (most == 0) {
      raise_to_no_loss(cells, pmf);
      return pmf;
    }
    for (std::size_t i = 0; (i < drop || points > most) && points >= 2; ++i, --points)
      top = with_cell(top, cells, points - 2);
  }
  pmf.index.assign(1, cells.support.index.front());  // the zero curve is under every curve
  pmf.mass.assign(1, 0.0);
  raise_to_no_loss(cells, pmf);
  return pmf;
}

}  // namespace

StepPmf tangent_hull(const SupportCells& cells) { return lower_pmf(cells, cut_kinks); }

StepPmf algorithm_2(const SupportCells& cells) { return lower_pmf(cells, tangent_kinks); }

}  // namespace hockeystick
