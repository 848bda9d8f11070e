// SPDX-License-Identifier: Apache-2.0
// A Gauss-Legendre panel of the cell between two edges, for densities and kernels that are sums of normal densities.
#pragma once

#include <algorithm>
#include <cmath>

#include "mechanisms/gaussian/gaussian_sweep.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {

/// A normal density, and its weights in P and in the kernels of the edge before and the edge after.
struct NormalPart {
  double centre = 0, p = 0, above = 0, below = 0;
};

/// The integrals of a panel, a vector of nodes at a time.
class NormalPanel {
 public:
  template <class Edge>
  NormalPanel(const LinePanel& panel, const Edge& from, const Edge& to)
      : a_(panel.a),
        width_(panel.width),
        rule_(padded_gauss_legendre(panel.reach)),
        has_from_(!std::isinf(from.x)),
        has_to_(!std::isinf(to.x)),
        offset_(has_from_ ? a_ - from.x : 0.0),
        beyond_(has_to_ ? two_sum(to.x, -a_) : TwoParts{}),
        rest_(has_to_ ? std::max(0.0, to.x - (a_ + width_)) : 0.0) {}

  bool has_from() const { return has_from_; }
  bool has_to() const { return has_to_; }

  /// Adds two densities, whose kernels have one rate; those without a weight cost nothing.
  void add(double rate, const NormalPart& one, const NormalPart& other) {
    PanelRequest request{rule_.nodes, rule_.mirrored, rule_.weights, rule_.count, width_, rate, offset_, rest_, {}};
    PanelDensity* next = request.density;
    for (const auto* part : {&one, &other})
      if (part->p > 0 || part->above > 0 || part->below > 0)
        *next++ = panel_density(a_, part->centre, part->p, part->above, part->below);
    double sums[3];
    kernel_.panel(request, sums);
    sum_.p += sums[0];
    if (has_from_) sum_.above += sums[1];
    if (has_to_) sum_.below += rate * (rest_ + width_) < largest_growth ? sums[2] : grown(rate, one, other);
  }
  const CellMass& sum() const { return sum_; }

 private:
  // The integral of kernel (e^(rate z) - 1), z >= 0, with e^(rate z) joined to phi, as e^(rate z) alone might overflow.
  double grown(double rate, const NormalPart& one, const NormalPart& other) const {
    const GrownDensity first(one.below, a_, one.centre, rate, beyond_);
    const GrownDensity second(other.below, a_, other.centre, rate, beyond_);
    double sum = 0;
    for (std::size_t n = 0; n < rule_.count; ++n) {
      const double y = width_ * rule_.nodes[n];
      sum += rule_.weights[n] * (first(y) + second(y));
    }
    return sum * width_;
  }

  const SimdKernels& kernel_ = default_fft_kernel();
  double a_, width_;
  const PaddedRule& rule_;
  bool has_from_, has_to_;
  double offset_;
  TwoParts beyond_;
  double rest_;
  CellMass sum_{};
};

}  // namespace hockeystick
