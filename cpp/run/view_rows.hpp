// SPDX-License-Identifier: Apache-2.0
// The table of views: the question that each asks of a run, and the functions that answer it.
#pragma once

#include <span>
#include <vector>

#include "run/ask.hpp"
#include "run/enclosing.hpp"
#include "views/loss_tail.hpp"

namespace hockeystick {

/// The question of a view, and the reverses of the directions that help to answer it.
struct ViewRow {
  View view;
  Wanted wanted;
  std::vector<Answer> (*alone)(std::span<const Direction>, std::span<const double>, const Limits&) = nullptr;
  std::vector<Answer> (*faced)(std::span<const Direction>, std::span<const Direction> reverses, std::span<const double>,
                               const Limits&) = nullptr;
  /// The answer about the loss of a run whose curve is known from above and from below.
  std::vector<Answer> (*between)(const CurveOfLoss&, std::span<const double>, const Limits&) = nullptr;
};

/// The row of a view. tradeoff has no row, as it is asked as power. A program that asks fewer views links a table of
/// its own in place of this file's, as docs/calculator/view_rows.cpp does.
const ViewRow& row_of(View view);

}  // namespace hockeystick
