// SPDX-License-Identifier: Apache-2.0
// Special cases that a build for tests can turn off, and tuned constants that it can change: benchmarks/special.py and
// benchmarks/tuning.py measure the effect of each.
#pragma once

#include <string_view>

namespace hockeystick {

/// Whether the environment's HOCKEYSTICK_OFF, names with commas between them, has this one. Read once; a shipped build
/// does not read it.
bool is_off(std::string_view special_case);
/// `value`, or the one that the environment's HOCKEYSTICK_TUNING ("name=value,name=value") has for this name.
double tuned(std::string_view name, double value);

}  // namespace hockeystick
