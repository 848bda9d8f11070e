// SPDX-License-Identifier: Apache-2.0
// Gauss-Legendre panels for the moments M(z) of a removed or replaced mixture of shifted normals without its largest
// losses, where the trapezoid rule cannot end. cpp/proofs/moment-panels.md has the proof.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/mgf_line.hpp"
#include "numeric/constants.hpp"

namespace hockeystick {

class MomentPanels {
 public:
  /// The panels run from far below to an outcome beyond which lies at most the mass that the needs allow to be cut.
  MomentPanels(const LogMixture& mixture, const SmoothWeights& weights, const LineNeeds& needs);

  /// Nodes by x, with weights of the integral; none if the needs ask for too many.
  struct Node {
    double x, weight;
  };
  const std::vector<Node>& nodes() const { return nodes_; }

  /// The end of the last panel, and lambda there.
  struct End {
    double x;
    SidedLog at;
  };
  const End& end() const { return ends_.back(); }

  /// Upper bound of the mass beyond the last panel.
  double left_out() const { return left_out_; }

  /// Upper bound, in units of phi(0) e^log_unit, of the errors of the rule and of the integral below the first panel at
  /// tilt + i frequency.
  double error(double tilt, double frequency, double log_unit) const;

 private:
  // A moment, with the logs of the largest integrand at its tilt and of a bound of its error.
  struct Wanted {
    double tilt, frequency, log_most = -infinity, log_error = infinity;
  };
  using Errors = std::array<double, 4>;
  static constexpr std::array<double, 4> anything_goes{infinity, infinity, infinity, infinity};

  bool find_ends(const LogMixture& mixture, double& first, double& last);
  bool make_panels(const LogMixture& mixture, double first, double last);
  Errors log_errors(const End& left, const End& right, std::span<const Wanted> wanted, const Errors& allowed) const;
  double log_integrand(const SidedLog& at, double tilt, double x) const;
  End end_at(const LogMixture& mixture, double x) const;
  double log_below(double tilt) const;

  SmoothWeights weights_;
  LineNeeds needs_;
  double steepest_;
  double left_out_ = infinity;
  std::array<Wanted, 4> wanted_;  // at the lowest, the line's and the highest tilt, and as far up as needed
  std::vector<End> ends_;
  std::vector<Node> nodes_;
};

}  // namespace hockeystick
