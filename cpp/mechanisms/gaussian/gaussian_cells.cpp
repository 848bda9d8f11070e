// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/gaussian_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "mechanisms/gaussian/normal_panel.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

// Up to here vectors of densities are far from underflow, and their arguments have enough bits (cell_kernel.hpp).
constexpr double farthest_density = 37;

// Panels of a family for GaussianSweep.
class Panels {
 public:
  explicit Panels(const GaussianFamily& family) : f_(family) {}

  CellMass operator()(const LinePanel& panel, const GaussianEdge& from, const GaussianEdge& to) const {
    NormalPanel all(panel, from, to);
    all.add(f_.mu, {0, f_.weight0, from.k0, to.k0}, {f_.mu, f_.weight1, f_.k1, f_.k1});
    return all.sum();
  }

 private:
  const GaussianFamily& f_;
};

// Cells narrow enough for cell_kernel.hpp, gathered until they fill a vector.
class NarrowCells {
 public:
  NarrowCells(const GaussianFamily& family, std::vector<CellMass>& cells) : family_(family), cells_(cells) {}
  NarrowCells(const NarrowCells&) = delete;
  NarrowCells& operator=(const NarrowCells&) = delete;

  /// Takes the cell i between two edges; returns false if the cell is too wide.
  bool take(std::size_t i, const GaussianEdge& from, const GaussianEdge& to) {
    const double farthest =
        std::max({std::fabs(from.x - family_.lowest_centre), std::fabs(from.x - family_.highest_centre),
                  std::fabs(from.x), std::fabs(from.x - family_.mu)});
    const double width = to.x - from.x, reach = width * (farthest + width + 4.0);
    if (!(farthest <= farthest_density && width > 0 && reach <= 0.7)) return false;  // false for infinite edges
    reach_ = std::max(reach_, reach);
    index_[count_] = i;
    from_[count_] = from.x, to_[count_] = to.x, k0_from_[count_] = from.k0, k0_to_[count_] = to.k0;
    if (++count_ == most) flush();
    return true;
  }

  void flush() {
    if (count_ == 0) return;
    for (std::size_t i = count_; i < most; ++i)
      from_[i] = from_[0], to_[i] = to_[0], k0_from_[i] = k0_from_[0], k0_to_[i] = k0_to_[0];
    const auto rule = gauss_legendre(reach_);
    const bool zero = family_.weight0 > 0 || std::any_of(k0_from_, k0_from_ + most, positive) ||
                      std::any_of(k0_to_, k0_to_ + most, positive);
    const CellGroup group{rule.nodes.data(),
                          rule.weights.data(),
                          rule.nodes.size(),
                          family_.mu,
                          {family_.weight0, family_.weight1},
                          family_.k1,
                          {zero, family_.weight1 > 0 || family_.k1 > 0},
                          from_,
                          to_,
                          k0_from_,
                          k0_to_};
    double p[most], above[most], below[most];
    kernel_.cells(group, p, above, below);
    for (std::size_t i = 0; i < count_; ++i) cells_[index_[i]] = {p[i], above[i], below[i]};
    count_ = 0;
    reach_ = 0;
  }

 private:
  static constexpr std::size_t most = 8;
  static bool positive(double x) { return x > 0; }
  const GaussianFamily& family_;
  const SimdKernels& kernel_ = default_fft_kernel();
  std::vector<CellMass>& cells_;
  std::size_t count_ = 0, index_[most];
  double reach_ = 0, from_[most], to_[most], k0_from_[most], k0_to_[most];
};

// The centres of a family's densities, some of which may be equal.
std::array<double, 3> centres_of(const GaussianFamily& f) {
  return {f.lowest_centre, std::clamp(0.0, f.lowest_centre, f.highest_centre), f.highest_centre};
}

// Upper bound of the ratio of the kernel's densities to P's between these edges: (k0 + k1 E) / (weight0 + weight1 E) is
// monotone in E(x), so that the largest ratio is at an end.
double kernel_weight(const GaussianFamily& f, std::span<const GaussianEdge> at) {
  double k0 = 0, lowest = infinity, highest = -infinity;
  for (const GaussianEdge& edge : at) {
    if (!std::isinf(edge.x)) k0 = std::max(k0, edge.k0);
    lowest = std::min(lowest, edge.x), highest = std::max(highest, edge.x);
  }
  const auto share = [&](double x) {
    const double grown = math::exp(f.mu * (x - f.mu / 2));
    if (!(f.weight1 > 0)) return k0 / f.weight0;
    return grown < 1e300 && f.weight0 + grown > 0 ? (k0 + f.k1 * grown) / (f.weight0 + f.weight1 * grown)
                                                  : f.k1 / f.weight1;
  };
  return std::min(1.0, 1.01 * std::max(share(lowest), share(highest)));
}

}  // namespace

PairCells gaussian_cells(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges) {
  const Panels panel_of(family);
  const std::span<const GaussianEdge> at = edges.at;
  PairCells result;
  result.cells.resize(at.size() - 1);
  NarrowCells narrow(family, result.cells);
  const std::array centres = centres_of(family);
  const GaussianSweep<GaussianEdge, Panels> sweep(centres, 2 * panel_cost, panel_of);
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    if (!narrow.take(i, at[i], at[i + 1])) result.cells[i] = sweep.cell(at[i], at[i + 1], losses[i + 1] - losses[i]);
  narrow.flush();
  // The derivation is in cpp/proofs/cell-rounding.md.
  result.mass_error = 40 * u;                                                            // proof: cell-rounding
  result.share_error = (100 + 4 * widest_growth(family.mu, at)) * u;                     // proof: cell-rounding
  result.share_error_p = 6 * gauss_legendre_error * kernel_weight(family, at) + 1e-307;  // proof: cell-quadrature
  result.loss_error = result.edge_error = edges.loss_error;                              // proof: loss-coupling
  return result;
}

void add_gaussian_tails(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges,
                        PairCells& cells) {
  const Panels panel_of(family);
  const std::array centres = centres_of(family);
  const GaussianSweep<GaussianEdge, Panels> sweep(centres, 2 * panel_cost, panel_of);
  cells.lower_tail_p = sweep.lower_tail(edges.at.front());
  sweep.add_upper_tail(losses, edges.at.back(), cells);
  const auto [x, k0] = edges.at.back();
  if (std::isinf(x)) return;
  const double kernel = 1.01 * (k0 * normal_tail(x) + family.k1 * normal_tail(x - family.mu));
  const double weight = kernel < cells.upper_tail_p ? kernel / cells.upper_tail_p : 1.0;
  cells.share_error_p = std::max(cells.share_error_p, 6 * gauss_legendre_error * weight + 1e-307);
}

double shifted_tail_moment(double mu, double x, double t) {
  const double centre = (1 + t) * mu;
  const double from = x - centre - 1e-14 * (std::fabs(x) + centre);
  const double exponent = t * (t + 1) * mu * mu / 2;
  // proof: tail-moments
  return math::exp(exponent * (1 + 1e-14)) * (normal_tail(from) * (1 + 1e-14) + 1e-307) * (1 + 1e-12);
}

}  // namespace hockeystick
