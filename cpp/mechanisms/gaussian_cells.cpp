// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian_cells.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/gaussian_sweep.hpp"
#include "numeric/cpu.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;

// The integral of kernel (e^(mu z) - 1), z >= 0, where e^(mu z) alone might overflow: together with phi.
double grown(const GaussianFamily& f, double a, double width, double rest, double k0) {
  const auto rule = panel_rule(f.lowest_centre, f.highest_centre, a, width);
  double sum = 0;
  for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
    const double x = a + width * rule.nodes[k], z = rest + width * rule.nodes[rule.nodes.size() - 1 - k];
    sum += rule.weights[k] * (grown_density(k0, 0, f.mu, x, z) + grown_density(f.k1, f.mu, f.mu, x, z));
  }
  return sum * width;
}

// A density's part in the integrands of a panel at a.
PanelDensity part(double a, double centre, double weight, double above, double below) {
  const LocalDensity density(a, centre);
  return {true, density.t, weight * density.base, above * density.base, below * density.base};
}

// One Gauss-Legendre panel [a, a + width] of the cell between two edges.
CellMass panel(const FftKernel& kernel, const GaussianFamily& f, double a, double width, const GaussianEdge& from,
               const GaussianEdge& to) {
  const PaddedRule& rule = padded_gauss_legendre(panel_reach(f.lowest_centre, f.highest_centre, a, width));
  const bool has_from = !std::isinf(from.x), has_to = !std::isinf(to.x);
  const double offset = has_from ? a - from.x : 0.0, rest = has_to ? std::max(0.0, to.x - (a + width)) : 0.0;
  PanelRequest request{rule.nodes, rule.mirrored, rule.weights, rule.count, width, f.mu, offset, rest, {}};
  PanelDensity* next = request.density;
  if (f.weight0 > 0 || from.k0 > 0 || to.k0 > 0) *next++ = part(a, 0.0, f.weight0, from.k0, to.k0);
  if (f.weight1 > 0) *next = part(a, f.mu, f.weight1, f.k1, f.k1);
  double sums[3];
  kernel.panel(request, sums);
  const bool grows = has_to && f.mu * (rest + width) >= largest_growth;
  return {sums[0], has_from ? sums[1] : 0.0, grows ? grown(f, a, width, rest, to.k0) : has_to ? sums[2] : 0.0};
}

auto panels(const GaussianFamily& f) {
  return [&f, &kernel = default_fft_kernel()](double a, double width, const GaussianEdge& from,
                                              const GaussianEdge& to) { return panel(kernel, f, a, width, from, to); };
}

template <class Panel>
GaussianSweep<GaussianEdge, Panel> sweep_of(const GaussianFamily& f, const Panel& panel_of) {
  return {f.lowest_centre, f.highest_centre, panel_of};
}

}  // namespace

PairCells gaussian_cells(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges) {
  const auto panel_of = panels(family);
  const std::span<const GaussianEdge> at = edges.at;
  PairCells result = sweep_of(family, panel_of).cells(losses, at);
  // The derivation is in cpp/README.md, "Cell integrals".
  result.mass_error = 40 * u;
  result.share_error = (100 + 4 * family.mu * widest_cell(at)) * u;
  result.share_error_p = 6 * gauss_legendre_error + 1e-307;
  result.loss_error = result.edge_error = edges.loss_error;
  return result;
}

void add_gaussian_tails(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges,
                        PairCells& cells) {
  const auto panel_of = panels(family);
  sweep_of(family, panel_of).add_tails(losses, std::span<const GaussianEdge>(edges.at), cells);
}

double shifted_tail_moment(double mu, double x, double t) {
  const double centre = (1 + t) * mu;
  const double from = x - centre - 1e-14 * (std::fabs(x) + centre);
  const double exponent = t * (t + 1) * mu * mu / 2;
  return std::exp(exponent * (1 + 1e-14)) * (normal_tail(from) * (1 + 1e-14) + 1e-307) * (1 + 1e-12);
}

}  // namespace hockeystick
