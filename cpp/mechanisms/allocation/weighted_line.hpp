// SPDX-License-Identifier: Apache-2.0
// The moments on a line of a weighted sum of pairs, M(z) = sum_i w_i M_i(z), from the lines of each.
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// A part of the sum: its weight, within 2 u, its line, and `error` as of Choice, at most `largest_line_error` over
/// (3 + tilt).
struct WeightedPart {
  double weight;
  std::unique_ptr<MgfLine> line;
  double error;
};
constexpr double largest_line_error = 1e-9;

/// A part that has no line: at a real tilt t in the range of the sum's its moment is at most e^(t (t + 1) slope), times
/// a weight of at most this.
struct PartLeftOut {
  double weight, slope;
};

/// At least one part; all lines of the same needs, but for the accuracy.
std::unique_ptr<MgfLine> weighted_line(std::vector<WeightedPart> parts, std::vector<PartLeftOut> left_out, double tilt);

}  // namespace hockeystick
