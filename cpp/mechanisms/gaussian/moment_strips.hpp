// SPDX-License-Identifier: Apache-2.0
// The error of the trapezoid rule for moments M(z) of a mixture of shifted normals, from bounds of the integrand off
// the real axis (Trefethen & Weideman 2014, Theorem 5.1). cpp/proofs/mgf-trapezoid.md has the proof.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

class MomentStrips {
 public:
  MomentStrips(const LogMixture& mixture, const SmoothWeights& weights, const LineNeeds& needs);

  /// A step whose errors are within the needs.
  double step() const { return step_; }

  /// Upper bound of the rule's error at tilt + i frequency, relative to M(tilt), for a step of at most step();
  /// infinite where none is known.
  double error(double step, double tilt, double frequency) const;

 private:
  // The integrand is bounded in strips |Im x| <= a by its largest turn and growth anywhere; or in cells, each with a
  // height of its own, which takes more time and saves nodes.
  struct Strip {
    double a, bend, rise;
  };
  struct Height {
    double a, all, all_bend;  // how far e^lambda turns at most, and the log of how much it shrinks
  };
  struct Cells {
    std::vector<double> x;  // ends
    std::vector<SidedLog> at;
    std::array<Height, 32> heights;
  };

  double error_by_strips(double step, double tilt, double frequency) const;
  double error_by_cells(double step, double tilt, double frequency) const;
  double log_moment_below(double tilt) const;
  struct Exponents {
    double by_slope, anywhere;  // each convex in the height
  };
  struct Slopes {
    double here, behind;  // lambda' at x and -x
  };
  Exponents exponents_at(const Height& height, Slopes slopes, double tilt, double frequency) const;
  void make_cells(const LogMixture& mixture);

  SmoothWeights weights_;
  LineNeeds needs_;
  double steepest_, sides_, step_ = 0;
  std::array<Strip, 6> strips_;
  Cells cells_;  // empty if they are not worth their time
  // Errors by cells, for step(): at the lowest, the line's and the highest tilt, and on the line as far up as needed.
  double at_lowest_ = infinity, at_tilt_ = infinity, at_highest_ = infinity, on_line_ = infinity;
};

}  // namespace hockeystick
