// SPDX-License-Identifier: Apache-2.0
// Sweeps of Gauss-Legendre panels over the line, for pairs whose densities are mixtures of unit normals: the common
// part of integrate_gaussian and mixtures of many components. The caller gives the integrand of a panel.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/fft/tables.hpp"
#include "numeric/gauss_legendre.hpp"
#include "numeric/normal.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/work.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

/// The largest exponent of a kernel's e^(rate z) that is safe on its own.
inline constexpr double largest_growth = 300;

/// weight phi(a + y - centre) e^(rate (rest - y)) beyond largest_growth, where e^z - 1 equals e^z; y is at most a
/// panel's width. Squares of large numbers cancel in the exponent: they, `rest` and a - centre are stored in two
/// doubles, and y adds a few units. Relative error at most 60 u, and u rate y.
class GrownDensity {
 public:
  GrownDensity(double weight, double a, double centre, double rate, const TwoParts& rest) : weight_(weight) {
    const auto [t, t_low] = two_sum(a, -centre);
    const auto [grow, grow_low] = two_product(rate, rest.value);
    const auto [square, square_low] = two_product(t, t);
    const auto [high, high_low] = two_sum(grow, -0.5 * square);
    fall_ = rate + t;
    high_ = high;
    low_ = high_low + (grow_low + rate * rest.error) - (0.5 * square_low + t * t_low);
  }

  double operator()(double y) const {
    if (!(weight_ > 0)) return 0;
    const double little = low_ - y * (fall_ + 0.5 * y);
    const double root = math::exp(0.5 * high_);  // e^high may overflow where a weight is below the normal range
    return weight_ * root * inverse_sqrt_two_pi * (root * exp_short(little));
  }

 private:
  double weight_, high_, low_, fall_;
};

/// An interval of the line, and the reach of the rule that it takes.
struct LinePanel {
  double a, width, reach;
};

/// The terms that a density adds to the integrands of a panel at a, from its weights there.
inline PanelDensity panel_density(double a, double centre, double p, double above, double below) {
  const LocalDensity density(a, centre);
  return {true, density.t, p * density.base, above * density.base, below * density.base};
}

/// The largest exponent rate z of any e^(rate z) - 1 over these cells; beyond largest_growth, GrownDensity is used.
template <class Edge>
double widest_growth(double rate, std::span<const Edge> edges) {
  double widest = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double width = edges[i + 1].x - edges[i].x;
    if (width > widest) widest = width;
  }
  return std::min(rate * widest, largest_growth);
}

/// The cost of one panel of a density [ns], with 8 nodes: 5,000 panels of a delta at noise 0.004 take 0.15 ms.
inline constexpr double panel_cost = 30;

/// Panel(panel, from, to) gives p, above and below over a panel of the cell between two edges; an edge with an infinite
/// x asks for no integral. Edge: an aggregate that begins with x.
template <class Edge, class Panel>
class GaussianSweep {
 public:
  /// The centres of all normal densities in P, Q and the kernel, in order; kept by the caller.
  /// `cost`: of a panel [ns].
  GaussianSweep(std::span<const double> centres, double cost, const Panel& panel)
      : centres_(centres), lowest_(centres.front()), highest_(centres.back()), cost_(cost), panel_(panel) {}

  PairCells cells(std::span<const double> losses, std::span<const Edge> edges) const {
    PairCells result;
    const std::size_t count = edges.size() - 1;
    result.cells.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      checkpoint_each<16>(i);
      result.cells[i] = cell(edges[i], edges[i + 1], losses[i + 1] - losses[i]);
    }
    return result;
  }

  /// The cell between two edges whose losses differ by d. If an edge lies outside the range of L, its integral follows
  /// from p and the other one: below + e^d above = (e^d - 1) p for any cell of loss width d.
  CellMass cell(const Edge& from, const Edge& to, double d) const {
    if (!(from.x < to.x)) return {};
    const bool no_from = std::isinf(from.x), no_to = std::isinf(to.x);
    CellMass mass = no_from && !no_to ? sweep_left(to.x, to) : sweep_right(from, to);
    if (no_from && no_to) return {mass.p, -mass.p * math::expm1(-d) / 2, mass.p * math::expm1(d) / 2};
    if (no_from) mass.above = std::max(0.0, mass.p * -math::expm1(-d) - mass.below * math::exp(-d));
    if (no_to) mass.below = std::max(0.0, mass.p * math::expm1(d) - mass.above * math::exp(d));
    return mass;
  }

  /// P below the first edge.
  double lower_tail(const Edge& first) const { return first.x > -infinity ? sweep_left(first.x, at_infinity).p : 0; }

  /// Adds P's tail above the last edge.
  void add_upper_tail(std::span<const double> losses, const Edge& last, PairCells& cells) const {
    if (last.x == -infinity) {  // all mass lies above the last edge
      cells.upper_tail_p = 1;
      cells.upper_tail_above = -math::expm1(losses.back());
    } else if (last.x < infinity) {
      const CellMass tail = sweep_right(last, at_infinity);
      cells.upper_tail_p = tail.p;
      cells.upper_tail_above = tail.above;
    }
  }

 private:
  static constexpr Edge at_infinity{infinity, {}};

  // Beyond this distance from every centre a normal density is below 1e-330 and rounds to zero.
  static constexpr double density_reach = 39.0;

  struct CellSums {
    CompensatedSum p, above, below;

    void add(const CellMass& mass) {
      p.add(mass.p);
      above.add(mass.above);
      below.add(mass.below);
    }
    CellMass value() const { return {p.value(), above.value(), below.value()}; }
  };

  // A density whose centre is further away is zero all over a panel of one that is within `density_reach`.
  static constexpr double near_reach = 80, least_distance = 12;
  // So far beyond a lower edge, e^(rate (from - x)) is below 1e-19 for rates above 40.
  static constexpr double past_kernel = 1.1;

  // The distance to the farthest centre that counts for a panel at x. `far`: where all of them do.
  double farthest(double x, bool far) const {
    const double all = std::max(std::fabs(x - lowest_), std::fabs(x - highest_));
    if (far || all <= near_reach) return all;
    const auto first = std::lower_bound(centres_.begin(), centres_.end(), x - near_reach);
    const auto last = std::upper_bound(first, centres_.end(), x + near_reach);
    if (first == last) return near_reach;
    return std::max({least_distance, x - *first, *(last - 1) - x});  // proof: cell-quadrature
  }

  // A panel that begins at x, or ends there.
  LinePanel panel_from(double x, double end, bool far) const {
    const double distance = farthest(x, far);
    double stop = x + normal_panel_width(distance);
    if (!(stop < end)) stop = end;
    return {x, stop - x, (stop - x) * (distance + (stop - x) + 4)};
  }
  LinePanel panel_to(double x, double end) const {
    const double start = std::max(end, x - normal_panel_width(farthest(x, false)));
    return {start, x - start, (x - start) * (farthest(start, false) + (x - start) + 4)};
  }

  // Between centres further apart than the reach from both, P and Q have less than 1e-330, and nothing is swept. The
  // place from which a sweep goes on, upwards or downwards.
  double beyond_void(double x, bool upwards) const {
    if (!(highest_ - lowest_ > 2 * density_reach)) return x;
    const auto next = std::upper_bound(centres_.begin(), centres_.end(), x);
    if (next == centres_.begin() || next == centres_.end()) return x;
    const double begin = *(next - 1) + density_reach, end = *next - density_reach;
    return !(x > begin && x < end) ? x : upwards ? end : begin;
  }

  // A panel is negligible if it is below 1e-19 of the sum so far: beyond all centres the next panels shrink faster than
  // geometrically (ratio below 1/e^1.8), so the rest is below 1e-18.
  static bool negligible(const CellMass& mass, const CellSums& sums) {
    return mass.p <= 1e-19 * sums.p.value() && mass.above <= 1e-19 * sums.above.value() &&
           mass.below <= 1e-19 * sums.below.value();
  }

  // Panels from `start` on, each where `next` says, until they are negligible beyond `past`.
  template <class Next, class Past>
  CellMass sweep(double start, const Edge& from, const Edge& to, const Next& next, const Past& past) const {
    CellSums sums;
    LinePanel panel{};
    double at = start;
    for (std::size_t swept = 1; next(at, panel); ++swept) {
      checkpoint_each<8>(swept);
      WorkLimit::spend(cost_);
      const CellMass mass = panel_(panel, from, to);
      sums.add(mass);
      if (past(panel) && negligible(mass, sums)) break;
    }
    return sums.value();
  }

  // (from.x, to.x] swept rightwards; to.x may be +inf.
  CellMass sweep_right(const Edge& from, const Edge& to) const {
    const double end = std::min(to.x, highest_ + density_reach), kernel_end = from.x + past_kernel;
    const auto next = [&](double& at, LinePanel& panel) {
      at = beyond_void(at, true);
      if (!(at < end)) return false;
      panel = panel_from(at, end, at < kernel_end);
      at = panel.a + panel.width;
      return true;
    };
    return sweep(std::max(from.x, lowest_ - density_reach), from, to, next,
                 [&](const LinePanel& panel) { return panel.a > highest_ + 1.0; });
  }

  // (-inf, end] swept leftwards; `to` is the reference of `below`, at infinity if `below` is not wanted.
  CellMass sweep_left(double end, const Edge& to) const {
    const double stop = lowest_ - density_reach;
    const auto next = [&](double& at, LinePanel& panel) {
      at = beyond_void(at, false);
      if (!(at > stop)) return false;
      panel = panel_to(at, stop);
      at = panel.a;
      return true;
    };
    return sweep(std::min(end, highest_ + density_reach), Edge{-infinity, {}}, to, next,
                 [&](const LinePanel& panel) { return panel.a + panel.width < lowest_ - 1.0; });
  }

  std::span<const double> centres_;
  double lowest_, highest_, cost_;
  const Panel& panel_;
};

/// Step of the trapezoid rule for a loss whose singularities lie pi / largest shift off the axis.
inline double trapezoid_step(double largest_shift) { return std::clamp(2.0 / largest_shift, 0.05, 0.5); }

/// Trapezoid nodes of L under P over all x that matter at any tilt that a line runs at (e^-1152 of P lies beyond):
/// `fill` replaces points x by losses L(x), and adds log(P / phi) there to the log densities of phi.
template <class Fill>
LossNodes trapezoid_nodes(double lowest, double highest, double step, Fill&& fill) {
  const double low = lowest - 12.0, high = highest + 48.0;
  const auto count = static_cast<std::size_t>((high - low) / step) + 1;
  const double log_unit = math::log(step * inverse_sqrt_two_pi);
  LossNodes nodes{std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = low + step * static_cast<double>(i);
    nodes.loss[i] = x;
    nodes.log_mass[i] = log_unit - x * x / 2;
  }
  fill(std::span(nodes.loss), std::span(nodes.log_mass));
  return nodes;
}

}  // namespace hockeystick
