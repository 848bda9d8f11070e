// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/switches.hpp"

#ifdef HOCKEYSTICK_PARTS

#include <cstdlib>
#include <string>

namespace hockeystick {

bool is_off(std::string_view special_case) {
  static const std::string names = [] {
    const char* given = std::getenv("HOCKEYSTICK_OFF");
    return "," + std::string(given == nullptr ? "" : given) + ",";
  }();
  return names.size() > 2 && names.find("," + std::string(special_case) + ",") != std::string::npos;
}

}  // namespace hockeystick

#endif
