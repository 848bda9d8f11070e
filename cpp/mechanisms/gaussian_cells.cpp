// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/exponential.hpp"
#include "numeric/gauss_legendre.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Beyond this distance from every centre a normal density is below 1e-330 and rounds to zero.
constexpr double density_reach = 39.0;

struct CellSums {
  CompensatedSum p, above, below;
};

struct Reference {
  double x;  // finite: the kernel's reference point; infinite: the integral is not wanted
  double k0;
};

// kernel (e^(mu z) - 1) with z >= 0; where e^(mu z) alone might overflow, together with phi.
double grown(const GaussianFamily& f, double x, double z, double k0, double g0, double g1) {
  if (f.mu * z < 300) return (k0 * g0 + f.k1 * g1) * expm1_short(f.mu * z);
  const auto [grow, grow_error] = two_product(f.mu, z);
  const auto term = [&](double weight, double m) {
    const auto [square, error] = two_product(x - m, x - m);
    return weight * inverse_sqrt_two_pi * exp_sum(grow - 0.5 * square, grow_error - 0.5 * error);
  };
  return (k0 > 0 ? term(k0, 0) : 0) + (f.k1 > 0 ? term(f.k1, f.mu) : 0);
}

// One Gauss-Legendre panel [a, a + width] of the cell between the references.
CellMass panel(const GaussianFamily& f, double a, double width, const Reference& from, const Reference& to) {
  const double farthest = std::max(std::fabs(a - f.lowest_centre), std::fabs(a - f.highest_centre));
  const auto rule = gauss_legendre(width * (farthest + width + 4.0));
  const LocalDensity density0(a, 0.0), density1(a, f.mu);
  const bool has0 = f.weight0 > 0 || from.k0 > 0 || to.k0 > 0;
  const bool has1 = f.weight1 > 0;
  const double offset = std::isinf(from.x) ? 0.0 : a - from.x;
  const double rest = std::isinf(to.x) ? 0.0 : std::max(0.0, to.x - (a + width));
  CellMass sum;
  for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
    const double y = width * rule.nodes[k];
    const double g0 = has0 ? density0(y) : 0.0;
    const double g1 = has1 ? density1(y) : 0.0;
    sum.p += rule.weights[k] * (f.weight0 * g0 + f.weight1 * g1);
    if (!std::isinf(from.x))
      sum.above -= rule.weights[k] * (from.k0 * g0 + f.k1 * g1) * expm1_short(-f.mu * (offset + y));
    if (!std::isinf(to.x)) {
      const double z = rest + width * rule.nodes[rule.nodes.size() - 1 - k];
      sum.below += rule.weights[k] * grown(f, a + y, z, to.k0, g0, g1);
    }
  }
  return {sum.p * width, sum.above * width, sum.below * width};
}

double panel_width(const GaussianFamily& f, double x) {
  return normal_panel_width(std::max(std::fabs(x - f.lowest_centre), std::fabs(x - f.highest_centre)));
}

void add(CellSums& sums, const CellMass& mass) {
  sums.p.add(mass.p);
  sums.above.add(mass.above);
  sums.below.add(mass.below);
}

// A panel no longer matters if it is below 1e-19 of what has been gathered: beyond all centres the
// next panels shrink faster than geometrically (ratio below 1/e^1.8), so the rest is below 1e-18.
bool negligible(const CellMass& mass, const CellSums& sums) {
  return mass.p <= 1e-19 * sums.p.value() && mass.above <= 1e-19 * sums.above.value() &&
         mass.below <= 1e-19 * sums.below.value();
}

CellMass value(const CellSums& sums) { return {sums.p.value(), sums.above.value(), sums.below.value()}; }

// (from.x, to.x] swept rightwards; to.x may be +inf.
CellMass sweep_right(const GaussianFamily& f, const Reference& from, const Reference& to) {
  CellSums sums;
  double a = std::max(from.x, f.lowest_centre - density_reach);
  const double end = std::min(to.x, f.highest_centre + density_reach);
  while (a < end) {
    double next = a + panel_width(f, a);
    if (!(next < end)) next = end;
    const CellMass mass = panel(f, a, next - a, from, to);
    add(sums, mass);
    if (a > f.highest_centre + 1.0 && negligible(mass, sums)) break;
    a = next;
  }
  return value(sums);
}

// (-inf, end] swept leftwards; `to` is the reference of `below`, at infinity if that is unwanted.
CellMass sweep_left(const GaussianFamily& f, double end, const Reference& to) {
  CellSums sums;
  double b = std::min(end, f.highest_centre + density_reach);
  const double stop = f.lowest_centre - density_reach;
  while (b > stop) {
    const double a = std::max(stop, b - panel_width(f, b));
    const CellMass mass = panel(f, a, b - a, {-infinity, 0}, to);
    add(sums, mass);
    if (b < f.lowest_centre - 1.0 && negligible(mass, sums)) break;
    b = a;
  }
  return value(sums);
}

// Where an edge lies outside the range of L, its integral follows from p and the other one:
// below + e^d above = (e^d - 1) p for any cell of loss width d.
CellMass cell(const GaussianFamily& f, const Reference& from, const Reference& to, double d) {
  if (!(from.x < to.x)) return {};
  const bool no_from = std::isinf(from.x), no_to = std::isinf(to.x);
  CellMass mass = no_from && !no_to ? sweep_left(f, to.x, to) : sweep_right(f, from, to);
  if (no_from && no_to) return {mass.p, -mass.p * std::expm1(-d) / 2, mass.p * std::expm1(d) / 2};
  if (no_from) mass.above = std::max(0.0, mass.p * -std::expm1(-d) - mass.below * std::exp(-d));
  if (no_to) mass.below = std::max(0.0, mass.p * std::expm1(d) - mass.above * std::exp(d));
  return mass;
}

}  // namespace

PairCells gaussian_cells(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges) {
  PairCells result;
  const std::size_t count = edges.at.size() - 1;
  result.cells.resize(count);
  double widest = 0;
  const auto reference = [&](std::size_t i) { return Reference{edges.at[i].x, edges.at[i].k0}; };
  for (std::size_t i = 0; i < count; ++i) {
    result.cells[i] = cell(family, reference(i), reference(i + 1), losses[i + 1] - losses[i]);
    const double width = edges.at[i + 1].x - edges.at[i].x;
    if (width > widest) widest = width;
  }
  // The derivation is in cpp/README.md, "Cell integrals".
  result.mass_error = 40 * u;
  result.share_error = (100 + 4 * family.mu * std::min(widest, 80.0)) * u;
  result.share_error_p = 6 * gauss_legendre_error + 1e-307;
  result.loss_error = result.edge_error = edges.loss_error;
  return result;
}

void add_gaussian_tails(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges,
                        PairCells& cells) {
  const GaussianEdge &first = edges.at.front(), &last = edges.at.back();
  if (first.x > -infinity) cells.lower_tail_p = sweep_left(family, first.x, {infinity, 0}).p;
  if (last.x == -infinity) {  // all mass lies above the last edge
    cells.upper_tail_p = 1;
    cells.upper_tail_above = -std::expm1(losses.back());
  } else if (last.x < infinity) {
    const CellMass tail = sweep_right(family, Reference{last.x, last.k0}, Reference{infinity, 0});
    cells.upper_tail_p = tail.p;
    cells.upper_tail_above = tail.above;
  }
}

double shifted_tail_moment(double mu, double x, double t) {
  const double centre = (1 + t) * mu;
  const double from = x - centre - 1e-14 * (std::fabs(x) + centre);
  const double exponent = t * (t + 1) * mu * mu / 2;
  return std::exp(exponent * (1 + 1e-14)) * (normal_tail(from) * (1 + 1e-14) + 1e-307) * (1 + 1e-12);
}

LossNodes gaussian_nodes(const GaussianFamily& family, double (*loss)(double, const void*), const void* pair,
                         bool smooth) {
  const double low = family.lowest_centre - 12.0;
  const double high = family.highest_centre + 40.0;
  const double step = smooth ? 0.5 : std::clamp(2.0 / family.mu, 0.05, 0.5);
  const auto count = static_cast<std::size_t>((high - low) / step) + 1;
  LossNodes nodes;
  nodes.loss.reserve(count);
  nodes.log_mass.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = low + step * static_cast<double>(i);
    const double y = x - family.mu;
    const double log0 = std::log(family.weight0) - x * x / 2;
    const double log1 = std::log(family.weight1) - y * y / 2;
    const double larger = std::max(log0, log1), smaller = std::min(log0, log1);
    const double log_density = larger + std::log1p(std::exp(smaller - larger));
    nodes.loss.push_back(loss(x, pair));
    nodes.log_mass.push_back(log_density + std::log(step * inverse_sqrt_two_pi));
  }
  return nodes;
}

}  // namespace hockeystick
