// SPDX-License-Identifier: Apache-2.0
// A bound of Fourier transforms: a density above a histogram is above a sum of uniform densities on nested intervals,
// whose transforms have known moduli.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numeric/runtime/scratch.hpp"

namespace hockeystick {

/// A histogram below a density, as layers: the uniform densities that add up to the histogram.
class LayerCake {
 public:
  /// Heights and widths of adjacent bars, all >= 0. The true width of a bar may be larger.
  LayerCake(std::span<const double> heights, std::span<const double> widths) {
    const Scratch<Open, 128> open(heights.size());
    std::size_t count = 0;
    layers_.reserve(heights.size());
    double at = 0;
    for (std::size_t i = 0; i <= heights.size(); ++i) {
      const double height = i < heights.size() ? heights[i] : 0.0;
      double start = at;
      while (count > 0 && open[count - 1].height >= height) {
        const Open top = open[--count];
        start = top.start;
        const double base = count > 0 && open[count - 1].height > height ? open[count - 1].height : height;
        if (top.height > base) layers_.push_back({(top.height - base) * (at - start), (at - start) / 2});
      }
      if (height > 0) open[count++] = {height, start};
      if (i < heights.size()) at += widths[i];
    }
  }

  /// Lower bound of M - |M f(w)| for all w >= frequency and a density of total mass M above the histogram, M f its
  /// transform, up to a relative rounding of 1e-9: a layer of mass m and a width of 2 s >= 2 r adds at least
  /// m (1 - |sin(w s) / (w s)|), and w s >= frequency r.
  double modulus_gap(double frequency) const {
    double gap = 0;
    for (const auto& [mass, radius] : layers_) gap += mass * sinc_gap(frequency * radius);
    return gap;
  }

  /// Lower bound of 1 - |sin y / y| for all y >= x: for x < 2.5 by sin x <= x - x^3/6 + x^5/120; beyond, |sin y| <= 1
  /// and |sin y / y| <= 0.24.
  static double sinc_gap(double x) {
    if (x < 2.5) return x * x / 6 * (1 - x * x / 20);
    return x < 3.6 ? 0.716 : 1 - 1 / x;  // proof: contour-tail
  }

 private:
  struct Open {
    double height, start;
  };
  struct Layer {
    double mass, radius;
  };
  std::vector<Layer> layers_;
};

}  // namespace hockeystick
