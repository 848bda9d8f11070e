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
  /// A cell of the path: the log of its largest share of M(tilt), the least lambda'(x) and lambda'(-x), and the largest
  /// slope with a negative exponent.
  struct Cell {
    double log_mass, slope, slope_behind, bent;
  };

  /// `steepest` is the largest shift, `bends` the size of the negative exponent of e^lambda, 0 if there is none. At an
  /// end the path leaves the axis or comes back to it; the masses of ends are densities. Beyond the ends lies a share
  /// of at most `beyond`.
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
