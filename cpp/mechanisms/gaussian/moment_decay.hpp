// SPDX-License-Identifier: Apache-2.0
// How fast moments M(z) of a mixture of shifted normals fall away from the real axis, from bounds of the integrand on a
// path above it. cpp/proofs/moment-decay.md has the proof.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace hockeystick {

class MomentDecay {
 public:
  /// A cell of the path: log of its share of M(tilt) at most, lambda'(x) and lambda'(-x) at least, and at most that of
  /// them that a negative exponent has.
  struct Cell {
    double log_mass, slope, slope_behind, bent;
  };

  /// `steepest` is the largest shift, `bends` the size of the negative exponent of e^lambda, 0 if there is none. Ends,
  /// where the path leaves the axis and comes back to it, have densities for masses; beyond them lies a share of
  /// `beyond` at most.
  MomentDecay(double steepest, double bends, std::vector<Cell> cells, const std::array<Cell, 2>& ends, double beyond);

  /// Upper bound of |M(tilt + i w)| / M(tilt) for every w >= frequency.
  double bound(double frequency);

 private:
  // The integrand on a path of one height falls as e^(-frequency turned).
  struct Path {
    double height;
    std::vector<double> log_mass, turned;
    std::array<double, 2> end_rise, end_turned;
  };

  const Path& path(std::size_t index);
  double bound_on(const Path& path, double frequency) const;
  double rise(const Cell& cell, double height) const;

  double steepest_, bends_, beyond_, mean_slope_;
  std::vector<Cell> cells_;
  std::array<Cell, 2> ends_;
  std::vector<Path> paths_;  // by falling height, made when they are first asked for
};

}  // namespace hockeystick
