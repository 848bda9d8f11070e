// SPDX-License-Identifier: Apache-2.0
// The table of views: what each asks of a run, and by which functions.
#pragma once

#include <span>
#include <vector>

#include "run/ask.hpp"
#include "run/enclosing.hpp"
#include "run/loss_by_curve.hpp"

namespace hockeystick {

/// What a view asks of a run, and which reverses of the directions help to answer it.
struct ViewRow {
  View view;
  Wanted wanted;
  std::vector<Answer> (*alone)(std::span<const Direction>, std::span<const double>, const Limits&) = nullptr;
  std::vector<Answer> (*faced)(std::span<const Direction>, std::span<const Direction> reverses, std::span<const double>,
                               const Limits&) = nullptr;
  /// Of the loss of a run that is known by its curve.
  std::vector<Answer> (*by_curve)(const CurveOfLoss&, std::span<const double>, const Limits&) = nullptr;
};

/// The row of a view but tradeoff, which is asked as power. A program that asks fewer views links a table of its own,
/// as docs/calculator/view_rows.cpp, in place of this file's.
const ViewRow& row_of(View view);

}  // namespace hockeystick
