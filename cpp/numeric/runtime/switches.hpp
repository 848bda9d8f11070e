// SPDX-License-Identifier: Apache-2.0
// Special cases that a build for tests can do without, so that benchmarks/special.py can ask what each is good for.
#pragma once

#include <string_view>

namespace hockeystick {

#ifdef HOCKEYSTICK_PARTS
/// Whether the environment's HOCKEYSTICK_OFF, names with commas between them, has this one. Read once.
bool is_off(std::string_view special_case);
#else
constexpr bool is_off(std::string_view) { return false; }
#endif

}  // namespace hockeystick
