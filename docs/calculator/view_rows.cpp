// SPDX-License-Identifier: Apache-2.0
// The views that the page asks, in place of cpp/run/view_rows.cpp; divergences bound the smallest deltas.
#include "run/view_rows.hpp"

#include <stdexcept>

#include "methods/questions.hpp"
#include "views/renyi.hpp"

namespace hockeystick {

const ViewRow& row_of(View view) {
  static constexpr ViewRow rows[] = {
      {View::epsilon, Wanted::epsilon, epsilon_bounds},
      {View::delta, Wanted::delta, delta_bounds},
      {View::renyi, Wanted::moments, renyi_bounds},
  };
  for (const ViewRow& row : rows)
    if (row.view == view) return row;
  throw std::invalid_argument("view must be epsilon or delta in this build");
}

}  // namespace hockeystick
